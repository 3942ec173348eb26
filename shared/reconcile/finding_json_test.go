package reconcile

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"
)

func TestALineOfAFindingsFile(t *testing.T) {
	at := time.Date(2026, 11, 1, 1, 0, 0, 5e6, time.UTC)
	for _, c := range []struct {
		name    string
		finding Finding
		want    string
	}{
		{"everything is known",
			Finding{Verdict: TooFresh, Bucket: "b", Key: "k/<é>&\"", VersionID: "null", Size: 5, LastModified: at, RecordedAt: at.Add(time.Hour),
				Tenant: "acme", Upload: "u-1", KeyKnown: true, NullVersion: true, Latest: true, Note: "n"},
			`{"verdict":"too_fresh","bucket":"b","key":"k/<é>&\"","version_id":"null","size":5,"last_modified":"2026-11-01T01:00:00.005Z",` +
				`"recorded_at":"2026-11-01T02:00:00.005Z","tenant":"acme","upload":"u-1","key_known":true,"null_version":true,"note":"n"}`},
		{"a size that cannot be is unknown", Finding{Verdict: OK, Bucket: "b", Key: "k", Size: -7}, `{"verdict":"ok","bucket":"b","key":"k"}`},
		{"nothing is", Finding{Verdict: Missing, Bucket: "b", Key: "k", Size: -1}, `{"verdict":"missing","bucket":"b","key":"k"}`},
		{"a size of 0 is known", Finding{Verdict: OK, Bucket: "b", Key: "k"}, `{"verdict":"ok","bucket":"b","key":"k","size":0}`},
		{"an orphan says whether its key is known", Finding{Verdict: Orphan, Bucket: "b", Key: "k", Size: -1},
			`{"verdict":"orphan","bucket":"b","key":"k","key_known":false}`},
		{"a key of other bytes", Finding{Verdict: Missing, Bucket: "b", Key: "\xff\x00", Size: -1}, `{"verdict":"missing","bucket":"b","key_base64":"/wA="}`},
		{"an instant that no line can say", Finding{Verdict: OK, Bucket: "b", Key: "k", Size: -1, LastModified: time.UnixMilli(1 << 60)},
			`{"verdict":"ok","bucket":"b","key":"k"}`},
	} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(c.finding); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if b.String() != c.want+"\n" {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, b.String(), c.want)
		}
	}
}

func TestALineThatNamesNoObjectIsNotAFinding(t *testing.T) {
	for _, text := range []string{
		``, `{}`, `[]`, `null`, `{"verdict":"orphan","bucket":"b"}`, `{"verdict":"fine","bucket":"b","key":"k"}`,
		`{"verdict":"ok","key":"k","key_base64":"aw=="}`, `{"verdict":"ok","key_base64":"?"}`, `{"verdict":"ok","key":"k","size":"5"}`,
		`{"verdict":"ok","key":"k","last_modified":"yesterday"}`,
	} {
		var f Finding
		if err := f.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is %+v", text, f)
		}
	}
}

// What was written is read again as it was, except what a line does not say:
// Latest.
func FuzzFindingLines(f *testing.F) {
	f.Add("k", "v1", int64(5), int64(1), int64(0), "acme", "u-1", uint8(3), "n")
	f.Add("\xff", "null", int64(-1), int64(-1<<62), int64(1<<60), "", "", uint8(255), "")
	f.Fuzz(func(t *testing.T, key, version string, size, modified, recorded int64, tenant, upload string, bits uint8, note string) {
		for _, s := range []string{version, tenant, upload, note} {
			if !utf8.ValidString(s) {
				t.Skip("only keys have other bytes")
			}
		}
		verdicts := Verdicts()
		in := Finding{
			Verdict: verdicts[int(bits)%len(verdicts)], Bucket: "b", Key: key, VersionID: version, Size: size,
			LastModified: instant(modified), RecordedAt: instant(recorded), Tenant: tenant, Upload: upload,
			KeyKnown: bits&64 != 0, NullVersion: bits&128 != 0, Note: note,
		}
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(text, '\n') {
			t.Fatalf("a line of two: %q", text)
		}
		var out Finding
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		in.Size = max(in.Size, -1)
		for _, instant := range []*time.Time{&in.LastModified, &in.RecordedAt} {
			if known(*instant) == nil {
				*instant = time.Time{}
			}
		}
		if out != in {
			t.Fatalf("%s is read as\n%+v, was\n%+v", text, out, in)
		}
	})
}

func FuzzAnyTextAsAFinding(f *testing.F) {
	f.Add([]byte(`{"verdict":"orphan","bucket":"b","key_base64":"/wA=","size":-7,"key_known":true,"last_modified":"2026-11-01T01:00:00+02:00"}`))
	f.Add([]byte(`{"verdict":"orphan","key":"","recorded_at":"0000-01-01T00:00:00+01:00"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var once, twice Finding
		if json.Unmarshal(text, &once) != nil {
			return
		}
		again, err := json.Marshal(once)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &twice); err != nil || once != twice {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}
