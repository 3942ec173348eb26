package quarantine_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/quarantine"
	"github.com/strandline-dev/strandline/shared/upload"
)

const bucket = "uploads"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a bucket with one orphan that a run has held, and an operator.
type world struct {
	t      *testing.T
	now    time.Time
	policy policy.Policy
	ledger *ledgers.Store
	store  *stores.Store
	orphan objects.Version
	hold   hold.Hold
	faults *faults
	desk   quarantine.Desk
}

const key = "imports/logo.png"

func newWorld(t *testing.T) *world { return newWorldOf(t, key, stores.Enabled) }

func newWorldOf(t *testing.T, key string, versioning stores.Versioning) *world {
	t.Helper()
	w := &world{t: t, now: noon, policy: policy.Default(), ledger: ledgers.New(), faults: &faults{}}
	w.store = stores.New(func() time.Time { return w.now })
	w.store.CreateBucket(bucket, stores.BucketOptions{Versioning: versioning})
	w.orphan = w.store.Write(bucket, key, []byte("stranded"), noon.Add(-30*24*time.Hour))
	w.store.CreateBucket(bucket, stores.BucketOptions{})
	w.desk = quarantine.Desk{
		Policy: w.policy, Book: hold.Book{Documents: documents{w.ledger, w.faults}},
		Records: records{w.ledger, w.faults}, Store: w.store, Markers: marking{w.store, w.faults}, Parts: parting{w.store, w.faults},
		Now: func() time.Time { return w.now },
	}
	w.hold = w.held(w.orphan)
	w.run("run-1")
	return w
}

// held opens a hold as a run does.
func (w *world) held(v objects.Version) hold.Hold {
	w.t.Helper()
	facts, err := w.store.Stat(w.t.Context(), bucket, v.Key, v.VersionID)
	must(w.t, err)
	h, _, err := w.desk.Book.See(w.t.Context(), hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: bucket, Key: v.Key, VersionID: v.VersionID},
		Size:    facts.Size, ETag: facts.ETag, LastModified: facts.LastModified, Latest: v.Latest,
		By: hold.Sighting{Run: "run-1", Inventory: w.now.Add(-time.Hour)},
	}, w.now)
	must(w.t, err)
	return h
}

// run notes a completed run.
func (w *world) run(id string) {
	w.t.Helper()
	must(w.t, w.desk.Book.SetView(w.t.Context(), bucket, hold.View{Run: id, Inventory: w.now.Add(-time.Hour), Finished: w.now}))
}

func (w *world) approve() (hold.Hold, error) {
	w.t.Helper()
	a, err := w.desk.Plan(w.t.Context(), bucket, w.hold.ID())
	if err != nil {
		return hold.Hold{}, err
	}
	return w.desk.Execute(w.t.Context(), a, "ann")
}

func (w *world) restore() (hold.Hold, error) {
	return w.desk.Restore(w.t.Context(), bucket, w.hold.ID(), "ann")
}

func (w *world) get() hold.Hold {
	w.t.Helper()
	h, err := w.desk.Book.Get(w.t.Context(), bucket, w.hold.ID())
	must(w.t, err)
	return h
}

func (w *world) record(id upload.ID) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(w.t.Context(), id)
	must(w.t, err)
	return r
}

func (w *world) commit(r upload.Record, events ...upload.Event) upload.Record {
	w.t.Helper()
	for _, e := range events {
		c, err := upload.Step(w.policy, r, e, w.now)
		must(w.t, err)
		must(w.t, w.ledger.Commit(w.t.Context(), c))
		r = c.After
	}
	return r
}

// claim condemns for good, as a worker does.
func (w *world) claim(id upload.ID) error {
	r := w.record(id)
	c, err := upload.Step(w.policy, r, upload.Claim{
		Version: r.Version, Cutoff: w.now.Add(-w.policy.SafetyMargin), Worker: "w", Token: "token",
	}, w.now)
	if err != nil {
		return err
	}
	return w.ledger.Commit(w.t.Context(), c)
}

// standing counts the versions and markers under the orphan's key.
func (w *world) standing() (versions, markers int) {
	for _, v := range w.store.All(bucket) {
		switch {
		case v.Key != w.orphan.Key:
		case v.Marker:
			markers++
		default:
			versions++
		}
	}
	return versions, markers
}

func (w *world) stands(versions, markers int) {
	w.t.Helper()
	if v, m := w.standing(); v != versions || m != markers {
		w.t.Errorf("%d versions and %d markers stand, want %d and %d", v, m, versions, markers)
	}
}

// reserve is a live upload that declares two keys.
func (w *world) reserve(id string) upload.Record {
	w.t.Helper()
	return w.commit(upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: id}, Owner: "o", Holder: "h", Lease: time.Minute,
		Bucket: bucket, Prefix: "up", Declared: 2,
	})
}

var errCrash = errors.New("the process died")

// faults ends the process at the nth write: before it, or after it was done.
type faults struct {
	at     int
	after  bool
	writes int
	looks  error // of every look-up
}

func (f *faults) write(do func() error) error {
	f.writes++
	if f.writes != f.at {
		return do()
	}
	if f.after {
		if err := do(); err != nil {
			return err
		}
	}
	return errCrash
}

type documents struct {
	*ledgers.Store
	f *faults
}

func (d documents) Put(ctx context.Context, doc ledger.Document) error {
	return d.f.write(func() error { return d.Store.Put(ctx, doc) })
}

type records struct {
	*ledgers.Store
	f *faults
}

func (r records) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	if r.f.looks != nil {
		return upload.Record{}, r.f.looks
	}
	return r.Store.Load(ctx, id)
}

func (r records) Commit(ctx context.Context, c upload.Change) error {
	return r.f.write(func() error { return r.Store.Commit(ctx, c) })
}

type marking struct {
	*stores.Store
	f *faults
}

func (m marking) PlaceMarker(ctx context.Context, bucket, key, etag string) (id string, err error) {
	err = m.f.write(func() error {
		id, err = m.Store.PlaceMarker(ctx, bucket, key, etag)
		return err
	})
	return id, err
}

func (m marking) RemoveMarker(ctx context.Context, bucket, key, id string) error {
	return m.f.write(func() error { return m.Store.RemoveMarker(ctx, bucket, key, id) })
}

type parting struct {
	*stores.Store
	f *faults
}

func (p parting) Abort(ctx context.Context, bucket, key, id string) error {
	return p.f.write(func() error { return p.Store.Abort(ctx, bucket, key, id) })
}

// brokenStore cannot be looked at.
type brokenStore struct {
	*stores.Store
	stat, list error
}

func (b brokenStore) Stat(ctx context.Context, bucket, key, id string) (objects.Facts, error) {
	if b.stat != nil {
		return objects.Facts{}, b.stat
	}
	return b.Store.Stat(ctx, bucket, key, id)
}

func (b brokenStore) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	if b.list == nil {
		return b.Store.Versions(ctx, bucket, prefix)
	}
	return func(yield func(objects.Version, error) bool) { yield(objects.Version{}, b.list) }
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
