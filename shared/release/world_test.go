package release_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	objectsmemory "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

const bucket = "uploads"

// noon is when every story begins.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// photos is a table whose rows name their object by key and version.
var photos = source.Source{
	Name: "photos", Table: "app-photos", Bucket: bucket, Tenant: "acme",
	Paths: source.Paths{Key: "key", Version: "version"},
}

// albums is a table whose rows name many by key alone; orders is an outbox.
var (
	albums = source.Source{Name: "albums", Table: "app-albums", Bucket: bucket, Tenant: "acme", Paths: source.Paths{Key: "keys[]"}}
	orders = source.Source{Name: "orders", Bucket: bucket}
	linked = source.Source{
		Name: "linked", Table: "app-linked", Bucket: bucket, Tenant: "acme", Paths: source.Paths{URL: "url"},
		Index: &source.Index{Name: "by-url", Attribute: "url", Holds: source.HoldsURL},
	}
)

// world is an engine over memory, and an application.
type world struct {
	*testing.T
	*release.Engine
	now     time.Time
	ledger  *memory.Store
	objects *objectsmemory.Store
	app     *intake.Service
	ids     int
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, now: noon, ledger: memory.New()}
	clock := func() time.Time { return w.now }
	w.objects = objectsmemory.New(clock)
	w.objects.CreateBucket(bucket, objectsmemory.BucketOptions{})
	w.Engine = &release.Engine{
		Sources: []source.Source{photos, albums, orders, linked}, Policy: policy.Default(),
		Records: w.ledger, Store: w.objects, Now: clock,
	}
	w.must(w.Validate())
	var err error
	w.app, err = intake.New(intake.Config{
		Records: w.ledger, Lookups: w.ledger, Objects: w.objects, Policy: policy.Default(), Now: clock,
		NewID: func() string { w.ids++; return fmt.Sprintf("u-%d", w.ids) },
	})
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// write puts an object that no upload owns.
func (w *world) write(key, body string) objects.Version {
	return w.objects.Write(bucket, key, []byte(body), time.Time{})
}

// upload completes an upload of some objects, and returns its record and keys.
func (w *world) upload(bodies ...string) (r upload.Record, keys []string) {
	w.Helper()
	s, err := w.app.Reserve(w.Context(), intake.Request{
		Tenant: "acme", Owner: "ann", Holder: "h", Lease: time.Minute, Bucket: bucket, Prefix: "up", Chunks: len(bodies),
	})
	w.must(err)
	var list []upload.Key
	for n, body := range bodies {
		sum := sha256.Sum256([]byte(body))
		_, err := s.Put(w.Context(), intake.Chunk{Seq: n + 1, Size: int64(len(body)), SHA256: sum[:]}, strings.NewReader(body))
		w.must(err)
		list = append(list, s.Key(n+1))
	}
	w.must(s.Complete(w.Context(), list, time.Time{}))
	r = w.load(s.ID())
	for _, k := range list {
		keys = append(keys, r.ObjectKey(k))
	}
	return r, keys
}

func (w *world) load(id upload.ID) upload.Record {
	w.Helper()
	r, err := w.ledger.Load(w.Context(), id)
	w.must(err)
	return r
}

// removed and changed are a stream's records of a row.
func removed(id string, at time.Time, old source.Row) release.Change {
	return release.Change{ID: id, Event: release.Remove, At: at, Keys: source.Row{"pk": "row-1"}, Old: old}
}

func changed(id string, at time.Time, before, after source.Row) release.Change {
	return release.Change{ID: id, Event: release.Modify, At: at, Keys: source.Row{"pk": "row-1"}, Old: before, New: after}
}

// named is a row of photos.
func named(v objects.Version) source.Row { return source.Row{"key": v.Key, "version": v.VersionID} }

// want compares outcomes, as "kind" or "kind: reason".
func (w *world) want(got []release.Outcome, want ...string) {
	w.Helper()
	var words []string
	for _, o := range got {
		word := string(o.Kind)
		switch {
		case o.Err != nil:
			word += ": " + o.Err.Error()
		case o.Reason != "":
			word += ": " + o.Reason
		}
		words = append(words, word)
	}
	if fmt.Sprint(words) != fmt.Sprint(want) {
		w.Errorf("got %q, expected %q", words, want)
	}
}

func (w *world) wantState(id upload.ID, want upload.State) upload.Record {
	w.Helper()
	r := w.load(id)
	if r.State != want {
		w.Errorf("upload %s is %s: expected %s", id.Upload, r.State, want)
	}
	return r
}

// wantAdopted: the outcome is a record of exactly this version, that waits for
// the grace and is gone by nobody yet.
func (w *world) wantAdopted(o release.Outcome, of source.Source, v objects.Version) {
	w.Helper()
	r := w.wantState(o.Upload, upload.StateCancelled)
	want := upload.Explicit{
		Bucket: bucket, Key: v.Key, VersionID: v.VersionID, ETag: v.ETag, Size: v.Size, LastModified: v.LastModified,
	}
	if len(r.Manifest.Explicit) != 1 || r.Manifest.Explicit[0] != want {
		w.Errorf("it holds %+v: expected %+v", r.Manifest.Explicit, want)
	}
	if r.Source != "relay/"+of.Name || !r.DueAt.Equal(w.now.Add(w.Policy.ReleaseGrace)) {
		w.Errorf("it is of %s and due at %v, at %v", r.Source, r.DueAt, w.now)
	}
}

// rowsSay answers for the applications' rows.
type rowsSay struct {
	use source.Use
	err error
}

func (r rowsSay) Used(context.Context, upload.Record) (source.Use, error) { return r.use, r.err }

// multipart writes an object in two parts.
func (w *world) multipart(key, body string) objects.Version {
	w.Helper()
	id, err := w.objects.BeginMultipart(w.Context(), bucket, key, "")
	w.must(err)
	sum := sha256.Sum256([]byte(body))
	part, err := w.objects.UploadPart(w.Context(), bucket, key, id, objects.Part{Number: 1, Size: int64(len(body)), SHA256: sum[:]}, strings.NewReader(body))
	w.must(err)
	stored, err := w.objects.CompleteMultipart(w.Context(), bucket, key, id, []objects.Part{part})
	w.must(err)
	for _, v := range w.objects.All(bucket) {
		if v.VersionID == stored.VersionID {
			return v
		}
	}
	w.Fatal("it does not stand")
	return objects.Version{}
}

// reserved begins an upload of two objects and puts the first.
func (w *world) reserved() *intake.Session {
	w.Helper()
	s, err := w.app.Reserve(w.Context(), intake.Request{
		Tenant: "acme", Owner: "ann", Holder: "h", Lease: time.Minute, Bucket: bucket, Prefix: "up", Chunks: 2,
	})
	w.must(err)
	sum := sha256.Sum256([]byte("one"))
	_, err = s.Put(w.Context(), intake.Chunk{Seq: 1, Size: 3, SHA256: sum[:]}, strings.NewReader("one"))
	w.must(err)
	return s
}

// receiving is an upload that its writer still works on.
func (w *world) receiving() upload.ID { return w.reserved().ID() }

// partly is an upload of which only the first object was published.
func (w *world) partly() upload.ID {
	s := w.reserved()
	w.must(s.Complete(w.Context(), []upload.Key{s.Key(1)}, time.Time{}))
	return s.ID()
}
