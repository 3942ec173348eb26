package source_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/source"
)

// FuzzSources: what is read as sources is the same when it is written and read
// again, and each is valid; what is refused is refused in one line.
func FuzzSources(f *testing.F) {
	f.Add([]byte(`[{"name":"orders","table":"orders","bucket":"b","tenant":"acme","paths":{"key":"images[].key","version":"images[].v"}}]`))
	f.Add([]byte(`[{"name":"cdn","table":"t","tenant":"a","paths":{"url":"u"},"urls":[{"url":"https://cdn.example.com/","bucket":"b","prefix":"p/"}],` +
		`"index":{"name":"by-url","attribute":"u","holds":"url"}},{"name":"outbox"}]`))
	long := strings.Repeat("long", 500)
	for _, text := range []string{
		`[{"name":"` + long + `"}]`, `[{"` + long + `":1}]`, `[{"name":1` + strings.Repeat("0", 2000) + `}]`, `[{"name":"a","table":"t","paths":{"key":"` + long + `."}}]`,
		`[{"name":"a","table":"t","bucket":"b","tenant":"t","paths":{"key":"` + long + `","entity":"` + long + `[].a"}}]`, "[{\"name\":\"a\"},{\"\n\":1}]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := source.Parse(text)
		if err != nil {
			wantOneLine(t, err)
			if all != nil {
				t.Fatalf("refused, and %d sources all the same", len(all))
			}
			return
		}
		written, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := source.Parse(written)
		if d := cmp.Diff(all, again); err != nil || d != "" && len(all)+len(again) > 0 {
			t.Fatalf("%s became %s: %v\n%s", text, written, err, d)
		}
		for _, s := range all {
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// wantOneLine: a refusal is one line of a length that a log can bear.
func wantOneLine(t *testing.T, err error) {
	t.Helper()
	if says := err.Error(); says == "" || len(says) > 1500 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) {
		t.Fatalf("not one short line: %.600q", says)
	}
}

// readers are sources of each kind that reads URLs.
var readers = []source.Source{
	{Name: "any", Index: &source.Index{Attribute: "u", Holds: source.HoldsURL}},
	{
		Name: "cdn", Bucket: "uploads", Paths: source.Paths{URL: "u"}, Index: &source.Index{Attribute: "u", Holds: source.HoldsURL},
		URLs: []source.Base{{URL: "https://cdn.example.com/", Bucket: "uploads", Prefix: "p/"}, {URL: "http://CDN.example.com/a%20b/", Bucket: "other"}},
	},
}

// FuzzParseURL: what a URL over HTTP names is what the standard library, which
// asks for it, would ask for; and every spelling under which the object is
// looked for names that object, or nothing.
func FuzzParseURL(f *testing.F) {
	for _, text := range []string{
		"s3://uploads/a b+c?versionId=v1", "https://uploads.s3.eu-central-1.amazonaws.com/a%2Fb?versionId=3%2F4", "https://s3.amazonaws.com/uploads/k#f",
		"HTTPS://CDN.example.com/x%C3%BC/../y", "https://cdn.example.com/k?X-Amz-Signature=1&versionId=v", "http://cdn.example.com/a%20b/c", "https://s3.amazonaws.com/uploads/k?versionId=a+b", "https://s3.amazonaws.com/uploads/k?versionId=a;b",
		"https://s3.amazonaws.com/uploads/k?versionId=a%FF", "https://elsewhere.example/k",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range readers {
			o, ours, err := s.ParseURL(text)
			var unreadable *source.Unreadable
			switch {
			case err != nil && (!ours || !errors.As(err, &unreadable) || o != source.Object{}):
				t.Fatalf("%q: %+v, %t, %v", text, o, ours, err)
			case err != nil:
				wantOneLine(t, err)
			case !ours && o != source.Object{}:
				t.Fatalf("%q is nobody's, and names %+v", text, o)
			case ours:
				wantObject(t, s, o, text)
			}
		}
	})
}

func wantObject(t *testing.T, s source.Source, o source.Object, text string) {
	t.Helper()
	if o.Bucket == "" || o.Key == "" || !utf8.ValidString(o.Key) || !s.Takes(o.Bucket) {
		t.Fatalf("%q names %+v", text, o)
	}
	if !strings.HasPrefix(strings.ToLower(text), "s3:") {
		u, err := url.Parse(text)
		if err != nil || !strings.HasSuffix(o.Key, strings.TrimPrefix(u.Path[strings.LastIndex(u.Path, "/"):], "/")) {
			t.Fatalf("%q names %+v, and its path is %q, %v", text, o, u, err)
		}
		// S3's version ids have plus signs, never spaces; a semicolon separates nothing.
		u.RawQuery = strings.NewReplacer("+", "%2B", ";", "%3B").Replace(u.RawQuery)
		if asked := u.Query().Get("versionId"); asked != o.VersionID {
			t.Fatalf("%q names version %q, and asks for %q", text, o.VersionID, asked)
		}
	}
	for _, spelled := range s.Spellings(o) {
		again, ours, err := s.ParseURL(spelled)
		if err == nil && ours && !again.Covers(o) {
			t.Fatalf("%+v is looked for as %q, which names %+v", o, spelled, again)
		}
	}
}

// FuzzRow: whatever is in a row, what is named of it has a tenant, a bucket and
// a key, and a row is kept that names an object which it names.
func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"images":[{"key":"a","v":"1"},{"key":"b","v":null}],"tenant":"acme"}`), "images[].key")
	f.Add([]byte(`{"u":"https://cdn.example.com/k?versionId=v","tenant":7}`), "u")
	f.Fuzz(func(t *testing.T, raw []byte, path string) {
		row := source.Row{}
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if d.Decode(&row) != nil {
			return
		}
		for _, paths := range []source.Paths{{Key: path, Tenant: "tenant", Version: "images[].v"}, {URL: path, Tenant: "tenant"}} {
			s := source.Source{Name: "s", Table: "t", Bucket: "uploads", Tenant: "acme", Paths: paths, URLs: readers[1].URLs}
			if s.Validate() != nil {
				continue
			}
			wantNames(t, s, row)
		}
	})
}

func wantNames(t *testing.T, s source.Source, row source.Row) {
	t.Helper()
	all, _, err := s.Names(row)
	if err != nil {
		wantOneLine(t, err)
		if len(all) > 0 || !s.StillNames(row, source.Object{Bucket: "uploads", Key: "k"}) {
			t.Fatalf("%v cannot be read, and is believed: %v", row, all)
		}
		return
	}
	for _, n := range all {
		if n.Tenant == "" || n.Bucket == "" || n.Key == "" || n.Spelled == "" || !s.StillNames(row, n.Object) {
			t.Fatalf("%v names %+v", row, n)
		}
	}
	s.ForeignEnds(row)
}
