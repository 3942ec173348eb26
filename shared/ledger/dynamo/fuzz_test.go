package dynamo

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// FuzzItem: an item of any attributes in an upload's place is a record that is
// the same when it is stored and read again, and that the pure core can look at,
// or an error that names no key.
func FuzzItem(f *testing.F) {
	for _, item := range []string{
		`{"pk":"T#acme#U#u-1","sk":"#","schema":1,"state":"deleting","version":7,"fence":3,"due_at":"2026-12-01T00:00:00.000Z#00","writers":[{"n":1,"d":3,"l":"b64:Bw=="}],
			"manifest":[{"a":1,"s":2,"v":"v","z":5,"x":{"z":5,"c":"k"},"m":["mp"]}],"retained":1,"retained_until":1796026200000}`,
		`{"pk":"T#a%23b#U#%2525","sk":"#","schema":1,"state":"cancelled","version":1,"explicit":[{"b":"b","k":"k","v":"null","t":1796026200000000001}],"marked_from":"complete"}`,
		`{"pk":"T#a#U#u","sk":"#","schema":9,"state":"unheard-of","version":2,"writers":7}`,
		`{"pk":"T#a#U#u","schema":1,"state":"complete","version":1,"writers":[{"n":1,"d":1152921504606846976},{"n":-1,"d":-1}],"superseded_due_at":1}`,
		`{"pk":"T#a#U#u","schema":1,"state":"complete","version":1,"marked_from":"` + strings.Repeat("x", 3_000) + `"}`,
		`{"pk":"T#a#U#u","schema":1,"state":"complete","version":1,"due_at":"` + strings.Repeat("\u0080", 3_000) + `#"}`,
		`{"pk":"T#a%2#U#u","schema":1,"state":"complete","version":9223372036854775807,"fence":-1,"lease_until":9223372036854775807,"due_at":"x"}`,
	} {
		f.Add([]byte(item))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		it := itemOf(text)
		var h head
		if it == nil || attributevalue.UnmarshalMap(it, &h) != nil {
			return
		}
		r, err := h.record()
		if err != nil {
			if says := err.Error(); len(says) > 2_000+len(h.PK) || strings.ContainsAny(says, "\n\r") && !strings.ContainsAny(h.PK, "\n\r") {
				t.Fatalf("%.300q", says)
			}
			return
		}
		if r.Validate() != nil {
			return // nothing is stored under such an id
		}
		wantLookedAt(t, r)
		wantStoredAgain(t, r)
	})
}

// wantLookedAt: whatever it holds, the core decides about it, soon.
func wantLookedAt(t *testing.T, r upload.Record) {
	t.Helper()
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	p := policy.Default()
	_, _ = upload.Decide(p, r, now.Add(-p.SafetyMargin), now)
	_, _ = upload.Step(p, r, upload.Claim{Version: r.Version, Worker: "w", Token: "t", Cutoff: now.Add(-p.SafetyMargin)}, now)
	r.Superseded()
	r.Declares(r.ObjectKey(upload.Key{Attempt: 1, Seq: 1}), upload.Key{Attempt: 1, Seq: 1})
}

func wantStoredAgain(t *testing.T, r upload.Record) {
	t.Helper()
	it, err := encode(r, "stamp")
	if err != nil || r.Schema > upload.Schema {
		return
	}
	var h head
	if err := attributevalue.UnmarshalMap(it, &h); err != nil {
		t.Fatal(err)
	}
	again, err := h.record()
	if err != nil {
		t.Fatalf("%+v cannot be read again: %v", r, err)
	}
	if !inline(r.Manifest) { // the rest is in pages
		again.Manifest, r.Manifest = upload.Manifest{}, upload.Manifest{}
	}
	if d := cmp.Diff(r, again, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("stored and read again it is another (-was +is):\n%s", d)
	}
}

// FuzzKeys: whatever ids are called, two different ones never make one key, a key
// tells its ids again, and what no key was made like is none.
func FuzzKeys(f *testing.F) {
	f.Add("acme", "u-1", "acme#U", "u-1", "T#acme#U#u-1", int64(1))
	f.Add("a%23", "b", "a#", "b", "T#a%2#U#b", int64(-1))
	f.Fuzz(func(t *testing.T, tenant, id, otherTenant, other, pk string, generation int64) {
		a, b := upload.ID{Tenant: tenant, Upload: id}, upload.ID{Tenant: otherTenant, Upload: other}
		if got, err := parseUpload(uploadKey(a).pk); err != nil || got != a {
			t.Fatalf("%q is read as %q, %v", a, got, err)
		}
		ref, ref2 := upload.Reference{Source: tenant, Entity: id, Generation: generation}, upload.Reference{Source: otherTenant, Entity: other, Generation: generation}
		if (a == b) != (uploadKey(a) == uploadKey(b)) || (a == b) != (hashKey("t", tenant, id) == hashKey("t", otherTenant, other)) ||
			(a == b) != (quotaKey(tenant, id) == quotaKey(otherTenant, other)) || (ref == ref2) != (referenceKey(a, ref) == referenceKey(a, ref2)) {
			t.Fatalf("%q and %q", a, b)
		}
		for _, k := range []key{hashKey(tenant, id, other), quotaKey(tenant, id), referenceKey(a, ref), idempotencyKey(tenant, id, other), pageKey(a, pageAt{generation, 3})} {
			if k == uploadKey(a) || k == uploadKey(b) {
				t.Fatalf("%+v is an upload's", k)
			}
		}
		use, err := referenceUse(item{"sk": text(referenceKey(a, ref).sk), "use": text(useLive)})
		if err != nil || use.Reference != ref {
			t.Fatalf("%+v is read as %+v, %v", ref, use, err)
		}
		if got, err := parseUpload(pk); err == nil && uploadKey(got).pk != pk {
			t.Fatalf("%q is read as %q, whose key is another", pk, got)
		}
	})
}

// FuzzDueAndDocuments: an entry of the due index tells an instant or is an
// error; a document is what was put.
func FuzzDueAndDocuments(f *testing.F) {
	f.Add("2026-12-01T00:00:00.000Z#00ff", []byte("{}"), int64(7), int64(1796026200000))
	f.Add("9999-12-31T23:59:60.000Z#", []byte{}, int64(-1), int64(-1<<63))
	f.Fuzz(func(t *testing.T, sort string, data []byte, revision, expires int64) {
		if at, err := parseDue(sort); err == nil {
			if begin, _, _ := strings.Cut(dueSort(at, upload.ID{Tenant: "t", Upload: "u"}), "#"); !strings.HasPrefix(sort, begin+"#") {
				t.Fatalf("%q is read as %v, which is %q", sort, at, begin)
			}
		}
		d := ledger.Document{Collection: "C", ID: "i", Data: data, Revision: revision, ExpiresAt: time.UnixMilli(expires).UTC()}
		it, err := attributevalue.MarshalMap(document{
			Collection: d.Collection, ID: d.ID, Revision: d.Revision, Data: d.Data, ExpiresAt: millis(d.ExpiresAt), TTL: ttl(d.ExpiresAt),
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseDocument(it)
		if diff := cmp.Diff(d, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}

// itemOf makes an item of JSON: the closest to what a service sends that a
// fuzzer can change piece by piece. Text that begins with "b64:" is binary.
func itemOf(text []byte) item {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var fields map[string]any
	if d.Decode(&fields) != nil {
		return nil
	}
	it := item{}
	for name, value := range fields {
		it[name] = fuzzedValue(value)
	}
	return it
}

func fuzzedValue(value any) types.AttributeValue {
	switch v := value.(type) {
	case string:
		if coded, ok := strings.CutPrefix(v, "b64:"); ok {
			content, _ := base64.StdEncoding.DecodeString(coded)
			return &types.AttributeValueMemberB{Value: content}
		}
		return text(v)
	case json.Number:
		return &types.AttributeValueMemberN{Value: v.String()}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []any:
		list := &types.AttributeValueMemberL{}
		for _, e := range v {
			list.Value = append(list.Value, fuzzedValue(e))
		}
		return list
	case map[string]any:
		m := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}
		for name, e := range v {
			m.Value[name] = fuzzedValue(e)
		}
		return m
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
