package source_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/source"
)

func row(t *testing.T, text string) source.Row {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var r source.Row
	if err := d.Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatRowsName(t *testing.T) {
	albums := source.Source{Bucket: "uploads", Tenant: "acme", Paths: source.Paths{
		Key: "images[].file.key", Version: "images[].file.version", Bucket: "images[].bucket", Tenant: "tenant",
	}}
	flat := source.Source{Bucket: "uploads", Tenant: "acme", Paths: source.Paths{Key: "key"}}
	tags := source.Source{Bucket: "uploads", Tenant: "acme", Paths: source.Paths{Key: "keys[]"}}
	name := func(tenant, bucket, key, version string) source.Named {
		return source.Named{Tenant: tenant, Object: source.Object{Bucket: bucket, Key: key, VersionID: version}, Spelled: key}
	}
	for _, c := range []struct {
		name string
		s    source.Source
		row  string
		want []source.Named
	}{
		{"one key", flat, `{"key":"a%20b"}`, []source.Named{name("acme", "uploads", "a%20b", "")}},
		{"no key", flat, `{"other":1}`, nil},
		{"a key that is null", flat, `{"key":null}`, nil},
		{"an empty key", flat, `{"key":""}`, nil},
		{"a set", tags, `{"keys":["a","b"]}`, []source.Named{name("acme", "uploads", "a", ""), name("acme", "uploads", "b", "")}},
		{"no list", tags, `{"other":1}`, nil},
		{"a list that is null", tags, `{"keys":null}`, nil},
		{"an element that is null", albums, `{"images":[null,{"file":null}]}`, nil},
		{"a list of maps, each with its own version and bucket", albums,
			`{"tenant":17,"images":[{"file":{"key":"a","version":"v1"}},{"file":{}},{"bucket":"raw","file":{"key":"b"}}]}`,
			[]source.Named{name("17", "uploads", "a", "v1"), name("17", "raw", "b", "")}},
	} {
		got, foreign, err := c.s.Names(row(t, c.row))
		if diff := cmp.Diff(c.want, got); err != nil || foreign != 0 || diff != "" {
			t.Errorf("%s: %d foreign, %v\n%s", c.name, foreign, err, diff)
		}
	}
	if got, _, err := flat.Names(nil); got != nil || err != nil {
		t.Errorf("no row names %v, %v", got, err)
	}
}

func TestARowOfURLsNamesObjectsAndCountsForeignOnes(t *testing.T) {
	s := photos()
	s.Paths = source.Paths{URL: "urls[]"}
	got, foreign, err := s.Names(row(t, `{"urls":["https://cdn.example.com/a","https://gravatar.example/b",""]}`))
	want := []source.Named{{Tenant: "acme", Object: source.Object{Bucket: "uploads", Key: "public/a"}, Spelled: "https://cdn.example.com/a"}}
	if diff := cmp.Diff(want, got); err != nil || foreign != 1 || diff != "" {
		t.Errorf("%d foreign, %v\n%s", foreign, err, diff)
	}
}

func TestARowThatCannotBeReadSaysWhereAndHoldsNoValue(t *testing.T) {
	s := source.Source{Paths: source.Paths{Key: "key", Version: "v", Bucket: "b", Tenant: "t"}}
	for text, want := range map[string]string{
		`{"key":["secret"]}`:                               "key: expected a string",
		`{"key":"secret","v":true,"b":"b","t":"t"}`:        "v: expected a string",
		`{"key":"secret","b":"b"}`:                         "tenant: the row has none",
		`{"key":"secret","t":"t"}`:                         "bucket: the row has none",
		`{"key":"secret","t":"t","b":{"secret":"secret"}}`: "b: expected a string",
	} {
		_, _, err := s.Names(row(t, text))
		var u *source.Unreadable
		if !errors.As(err, &u) || err.Error() != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}

func TestARowThatAnIndexFoundStillNamesWhatItMayName(t *testing.T) {
	s := source.Source{Bucket: "uploads", Tenant: "acme", Paths: source.Paths{Key: "key", Version: "version"}}
	buckets := s
	buckets.Paths.Bucket = "bucket"
	o := source.Object{Bucket: "uploads", Key: "a", VersionID: "v1"}
	elsewhere := buckets
	elsewhere.Bucket = "raw"
	for _, c := range []struct {
		name string
		s    source.Source
		row  string
		want bool
	}{
		{"a projection without the bucket, which may be any", elsewhere, `{"key":"a","version":"v1"}`, true},
		{"this version", s, `{"key":"a","version":"v1"}`, true},
		{"the version that came after it", s, `{"key":"a","version":"v2"}`, false},
		{"no version", s, `{"key":"a"}`, true},
		{"a projection without the key", s, `{"id":1}`, true},
		{"what cannot be read", s, `{"key":["a"]}`, true},
		{"a projection without the bucket", buckets, `{"key":"a","version":"v1"}`, true},
		{"another bucket", buckets, `{"key":"a","bucket":"raw"}`, false},
	} {
		if got := c.s.StillNames(row(t, c.row), o); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestARowsNameInReferencesIsItsKeyOrStandsAtItsPath(t *testing.T) {
	s := source.Source{}
	keys, image := row(t, `{"pk":"order-17","sk":4}`), row(t, `{"pk":"order-17","sk":4,"id":"x"}`)
	if got, err := s.Entity(image, keys); got != "order-17/4" || err != nil {
		t.Errorf("by its key: %q, %v", got, err)
	}
	s.Paths.Entity = "id"
	if got, err := s.Entity(image, keys); got != "x" || err != nil {
		t.Errorf("by its path: %q, %v", got, err)
	}
}
