package rows_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/memory"
	"github.com/strandline-dev/strandline/shared/source/rows"
	"github.com/strandline-dev/strandline/shared/upload"
)

var orders = source.Source{
	Name: "orders", Table: "orders", Bucket: "uploads", Tenant: "acme",
	Paths: source.Paths{Key: "photo", Version: "version"},
	Index: &source.Index{Name: "by-photo", Attribute: "photo", Holds: source.HoldsKey},
}

var pages = source.Source{
	Name: "pages", Table: "pages", Bucket: "uploads", Tenant: "acme", Paths: source.Paths{URL: "image"},
	URLs:  []source.Base{{URL: "https://cdn.example.com/", Bucket: "uploads", Prefix: "photos/"}},
	Index: &source.Index{Name: "by-image", Attribute: "image", Holds: source.HoldsURL},
}

// scene has the tables of both sources, and counts what is asked.
type scene struct {
	memory.Tables
	mu     sync.Mutex
	asked  []string
	broken func(value string) error
}

func newScene() *scene {
	s := &scene{}
	s.Create("orders", []string{"id"}, map[string]string{"by-photo": "photo"})
	s.Create("pages", []string{"id"}, map[string]string{"by-image": "image"})
	return s
}

func (s *scene) Find(ctx context.Context, of source.Source, value string) iter.Seq2[rows.Row, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, of.Name+" "+value)
	if s.broken != nil {
		if err := s.broken(value); err != nil {
			return func(yield func(rows.Row, error) bool) { yield(rows.Row{}, err) }
		}
	}
	return s.Tables.Find(ctx, of, value)
}

func (s *scene) used(t *testing.T, r upload.Record) source.Use {
	t.Helper()
	use, err := rows.Of([]source.Source{orders, pages}, s).Used(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return use
}

func released(keys ...string) upload.Record {
	r := upload.Record{Source: "relay/orders", Bucket: "uploads"}
	for _, key := range keys {
		r.Manifest.Explicit = append(r.Manifest.Explicit, upload.Explicit{Bucket: "uploads", Key: key, VersionID: "v1"})
	}
	return r
}

func TestARowOfAnySourceThatNamesAnyOfTheObjectsIsAUse(t *testing.T) {
	for name, test := range map[string]struct {
		table string
		row   source.Row
		want  source.Use
	}{
		"by key":            {"orders", source.Row{"id": "7", "photo": "photos/2.jpg"}, source.Use{Source: "orders", Entity: "7"}},
		"by a CDN's URL":    {"pages", source.Row{"id": "p", "image": "https://cdn.example.com/2.jpg"}, source.Use{Source: "pages", Entity: "p"}},
		"by S3's URL":       {"pages", source.Row{"id": "p", "image": "https://uploads.s3.amazonaws.com/photos/2.jpg"}, source.Use{Source: "pages", Entity: "p"}},
		"the version":       {"orders", source.Row{"id": "7", "photo": "photos/2.jpg", "version": "v1"}, source.Use{Source: "orders", Entity: "7"}},
		"another version":   {"orders", source.Row{"id": "7", "photo": "photos/2.jpg", "version": "v2"}, source.Use{}},
		"another key":       {"orders", source.Row{"id": "7", "photo": "photos/22.jpg"}, source.Use{}},
		"unreadable places": {"orders", source.Row{"id": "7", "photo": "photos/2.jpg", "version": true}, source.Use{Source: "orders", Entity: "7"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.Put(test.table, test.row)
			if use := s.used(t, released("photos/1.jpg", "photos/2.jpg")); use != test.want {
				t.Errorf("use is %+v, want %+v", use, test.want)
			}
		})
	}
}

// Of an upload, rows may name what it lists, by the keys that it generated. What
// was superseded is published nowhere.
func TestOfAnUploadItsListedObjectsAreAskedFor(t *testing.T) {
	r := upload.Record{ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Bucket: "uploads", Prefix: "up", Manifest: upload.Manifest{
		Attempts: []upload.Attempt{{Number: 1, Declared: 3, Listed: upload.Bits(nil).With(1).With(3)}},
		Objects:  []upload.Object{{Key: upload.Key{Attempt: 1, Seq: 3}, VersionID: "v3"}},
	}}
	s := newScene()
	s.Put("orders", source.Row{"id": "7", "photo": r.ObjectKey(upload.Key{Attempt: 1, Seq: 2})})
	if use := s.used(t, r); use != (source.Use{}) {
		t.Errorf("use is %+v", use)
	}
	s.Put("orders", source.Row{"id": "8", "photo": r.ObjectKey(upload.Key{Attempt: 1, Seq: 3}), "version": "v3"})
	if use := s.used(t, r); use.Entity != "8" {
		t.Errorf("use is %+v", use)
	}
}

var errBroken = errors.New("throttled")

// An answer that is missing is not "no row": with one of several look-ups broken
// nothing is known, unless another has found a row.
func TestALookUpThatFailsIsAnErrorUnlessARowWasFound(t *testing.T) {
	s := newScene()
	s.broken = func(value string) error {
		if value == "photos/2.jpg" {
			return errBroken
		}
		return nil
	}
	both := rows.Of([]source.Source{orders, pages}, s)
	if use, err := both.Used(t.Context(), released("photos/1.jpg", "photos/2.jpg", "photos/3.jpg")); !errors.Is(err, errBroken) || use != (source.Use{}) {
		t.Errorf("got %+v, %v", use, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if use, err := both.Used(ended, released("photos/1.jpg")); err == nil {
		t.Errorf("nobody was asked, and the answer is %+v", use)
	}
}

// What no row can name is not asked for: a table of another bucket's objects, or
// values that no index holds, which DynamoDB refuses to be asked for.
func TestWhatNoIndexCanHoldIsNotAskedFor(t *testing.T) {
	s := newScene()
	other := released("photos/1.jpg")
	other.Manifest.Explicit[0].Bucket = "invoices"
	for _, r := range []upload.Record{other, released(strings.Repeat("é", 500) + "\xff"), {}} {
		s.used(t, r)
	}
	for _, asked := range s.asked {
		if _, value, _ := strings.Cut(asked, " "); len(value) > 2048 || strings.Contains(asked, "orders") {
			t.Errorf("asked for %d bytes: %.40s", len(value), asked)
		}
	}
}

func TestWithoutASourceThatCanBeAskedThereIsNoRowAndNobodyIsAsked(t *testing.T) {
	fragile := orders
	fragile.Index = nil
	s := newScene()
	use, err := rows.Of([]source.Source{{Name: "shop", Tenant: "acme"}, fragile}, s).Used(t.Context(), released("photos/1.jpg"))
	if err != nil || use != (source.Use{}) || len(s.asked) > 0 {
		t.Errorf("use %+v, error %v, asked %q", use, err, s.asked)
	}
}

// A row whose key nobody can call by a name, binary for one, names its object
// all the same.
func TestARowWithoutANameIsAUseToo(t *testing.T) {
	s := newScene()
	s.Create("orders", []string{"id"}, map[string]string{"by-photo": "photo"})
	s.Put("orders", source.Row{"id": true, "photo": "photos/1.jpg"})
	if use := s.used(t, released("photos/1.jpg")); use != (source.Use{Source: "orders"}) {
		t.Errorf("use is %+v", use)
	}
}

// A worker that is told of no sources, while the relay is: without the error it
// deletes what rows still name, since it asks none.
func TestAReleaseOfASourceThatIsNotKnownIsKept(t *testing.T) {
	for _, all := range [][]source.Source{nil, {pages}} {
		use, err := rows.Of(all, newScene()).Used(t.Context(), released("photos/1.jpg"))
		if err == nil || use != (source.Use{}) {
			t.Errorf("told of %d sources: use %+v, error %v", len(all), use, err)
		}
	}
	approved := released("photos/1.jpg")
	approved.Source = "holds/2026-12-01"
	if _, err := rows.Of(nil, newScene()).Used(t.Context(), approved); err != nil {
		t.Errorf("what a person approved is of no source: %v", err)
	}
}
