package ledgertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

var largeTests = map[string]func(*testing.T, Ledger){
	"an upload of 10,000 objects lives its whole life":           tenThousand,
	"a manifest that grows keeps what it knew":                   growing,
	"100 attempts of 10,000 keys are stored":                     largestDeclared,
	"1,000 explicit objects with keys of 1,024 bytes are stored": largestExplicit,
	"2,000 multipart uploads are declared at once":               manyMultiparts,
	"of many recordings into one large upload exactly one wins":  largeRace,
	"large and small uploads are loaded together":                largeAmongMany,
}

func recorded(attempt int64, seq int) upload.RecordObject {
	return upload.RecordObject{
		Fence: attempt, Seq: seq, VersionID: fmt.Sprintf("v-%026d-%d", seq, attempt), Size: int64(seq),
		ETag: fmt.Sprintf("%032x", seq), Checksum: fmt.Sprintf("%044d", seq),
	}
}

func reserveLarge(t *testing.T, l Ledger, n int) upload.Record {
	t.Helper()
	e := reserving(id(n))
	e.Declared = upload.MaxDeclared
	return commit(t, l, upload.Record{}, e, start)
}

func tenThousand(t *testing.T, l Ledger) {
	r := reserveLarge(t, l, 1)
	for _, seq := range []int{1, 25, 26, 5_000, 9_999, 10_000, 2} {
		r = commit(t, l, r, recorded(1, seq), start)
		expectStored(t, l, r)
	}
	known := r.Manifest
	r = allKnown(t, l, r)
	r = commit(t, l, r, upload.Complete{Fence: 1, List: keysOf(1, 9_000), HoldUntil: start.Add(48 * time.Hour)}, start)
	expectStored(t, l, r)
	if got := r.Manifest.Object(upload.Key{Attempt: 1, Seq: 25}); got.VersionID != known.Object(got.Key).VersionID {
		t.Errorf("a key's first version is gone: %+v", got)
	}
	r = commit(t, l, r, upload.Release{Owner: "alice"}, start)
	now := r.DueAt.Add(time.Hour)
	r = commit(t, l, r, upload.Claim{Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "w", Token: "t"}, now)
	expectStored(t, l, r)
	r = commit(t, l, r, upload.Continue{Fence: r.Fence, Through: 6_000}, now)
	r = commit(t, l, r, upload.Reclaim{Worker: "w2", Token: "t2"}, now)
	r = commit(t, l, r, upload.Finish{Fence: r.Fence, Gone: 4_000}, now)
	expectStored(t, l, r)
}

// allKnown records everything that is missing in a few changes, which no event
// can do, so that the test takes seconds.
func allKnown(t *testing.T, l Ledger, r upload.Record) upload.Record {
	t.Helper()
	for through := 2_000; through <= upload.MaxDeclared; through += 2_000 {
		c := upload.Change{Event: upload.KindRecordObject, Before: r, After: r}
		c.After.Version++
		c.After.Manifest.Objects = nil
		for seq := 1; seq <= upload.MaxDeclared; seq++ {
			k := upload.Key{Attempt: 1, Seq: seq}
			o := r.Manifest.Object(k)
			if e := recorded(1, seq); o.VersionID == "" && seq <= through {
				o = upload.Object{Key: k, VersionID: e.VersionID, Size: e.Size, ETag: e.ETag, Checksum: e.Checksum}
			}
			if o.VersionID != "" {
				c.After.Manifest.Objects = append(c.After.Manifest.Objects, o)
			}
		}
		if err := l.Commit(t.Context(), c); err != nil {
			t.Fatalf("commit: %v", err)
		}
		r = c.After
	}
	return r
}

func keysOf(attempt int64, n int) []upload.Key {
	var keys []upload.Key
	for seq := 1; seq <= n; seq++ {
		keys = append(keys, upload.Key{Attempt: attempt, Seq: seq})
	}
	return keys
}

// Without the move of what was known, the objects of a small upload that grows
// would be forgotten, and never deleted.
func growing(t *testing.T, l Ledger) {
	e := reserving(id(1))
	e.Declared = 8
	r := commit(t, l, upload.Record{}, e, start)
	for seq := 1; seq <= 8; seq++ {
		r = commit(t, l, r, recorded(1, seq), start)
	}
	for fence := int64(2); fence <= 4; fence++ {
		r = commit(t, l, r, upload.Acquire{Holder: "writer-1", Lease: time.Minute}, start)
		r = commit(t, l, r, upload.Declare{Fence: fence, Declared: 8}, start)
		r = commit(t, l, r, recorded(fence, 1), start)
		expectStored(t, l, r)
	}
	for _, declared := range []int{9, 40, 10_000} {
		r = commit(t, l, r, upload.Declare{Fence: 4, Declared: declared}, start)
		expectStored(t, l, r)
		r = commit(t, l, r, recorded(4, declared), start)
		expectStored(t, l, r)
	}
}

func largestDeclared(t *testing.T, l Ledger) {
	r := commit(t, l, upload.Record{}, reserving(id(1)), start)
	r.Manifest.Attempts = nil
	for n := range upload.MaxAttempts {
		listed := upload.Bits(make([]byte, upload.MaxDeclared/8))
		for i := range listed {
			listed[i] = byte(i)
		}
		r.Manifest.Attempts = append(r.Manifest.Attempts, upload.Attempt{
			Number: int64(n + 1), Declared: upload.MaxDeclared, Listed: listed,
		})
	}
	c := upload.Change{Before: load(t, l, r.ID), After: r}
	c.After.Version++
	if err := l.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	expectStored(t, l, c.After)
}

func largestExplicit(t *testing.T, l Ledger) {
	e := upload.Adopt{ID: id(1), Source: "orphan"}
	for n := range upload.MaxExplicit {
		e.Objects = append(e.Objects, upload.Explicit{
			Bucket: "bucket", Key: fmt.Sprintf("%04d/", n) + strings.Repeat("語", 339) + "xx", VersionID: strings.Repeat("v", 64),
			ETag: fmt.Sprintf("%032x", n), Size: 1, LastModified: start.Add(time.Duration(n) * time.Millisecond),
		})
	}
	r := commit(t, l, upload.Record{}, e, start)
	expectStored(t, l, r)
	now := r.DueAt.Add(time.Hour)
	r = commit(t, l, r, upload.Claim{Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "w", Token: "t"}, now)
	expectStored(t, l, r)
}

func manyMultiparts(t *testing.T, l Ledger) {
	r := reserveLarge(t, l, 1)
	e := upload.Declare{Fence: 1}
	for seq := 1; seq <= 2_000; seq++ {
		e.Multiparts = append(e.Multiparts, upload.Multipart{
			Key: upload.Key{Attempt: 1, Seq: seq}, UploadID: strings.Repeat("m", 120) + fmt.Sprint(seq),
		})
	}
	r = commit(t, l, r, e, start)
	expectStored(t, l, r)
	r = commit(t, l, r, recorded(1, 7), start)
	expectStored(t, l, r)
}

func largeRace(t *testing.T, l Ledger) {
	r := reserveLarge(t, l, 1)
	won := atOnce(t, l, 10, upload.ErrChanged, func(i int) upload.Change {
		return change(t, r, recorded(1, 1+30*i), start)
	})
	if got := load(t, l, r.ID); won != 1 || len(got.Manifest.Objects) != 1 {
		t.Errorf("%d won, %d objects are known", won, len(got.Manifest.Objects))
	}
}

func largeAmongMany(t *testing.T, l Ledger) {
	var (
		ids  []upload.ID
		want []upload.Record
	)
	for n := range 12 {
		e := reserving(id(n))
		e.Declared = 1 + 20*n
		r := commit(t, l, upload.Record{}, e, start)
		r = commit(t, l, r, recorded(1, e.Declared), start)
		ids, want = append(ids, r.ID), append(want, r)
	}
	got, err := l.LoadMany(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !equal(want[i], got[i]) {
			t.Errorf("upload %d with %d declared is another", i, 1+20*i)
		}
	}
}
