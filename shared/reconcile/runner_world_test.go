package reconcile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/upload"
)

const bucket = "uploads"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// site is a bucket and a ledger over which the reconciler runs.
type site struct {
	t      *testing.T
	now    time.Time
	policy policy.Policy
	ledger *ledgers.Store
	store  *stores.Store
	log    bytes.Buffer
	faults *faults
	runner reconcile.Runner
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, now: noon, policy: policy.Default(), ledger: ledgers.New(), faults: &faults{}}
	s.policy.MaxOrphanPercent = 90
	s.store = stores.New(func() time.Time { return s.now })
	s.store.CreateBucket(bucket, stores.BucketOptions{})
	s.runner = reconcile.Runner{
		Policy: s.policy, Records: records{s.ledger, s.faults}, Documents: documents{s.ledger, s.faults},
		Store: looking{s.store, s.faults}, Parts: s.store, Threads: 1, TempDir: t.TempDir(), Now: func() time.Time { return s.now },
		Log: slog.New(slog.NewTextHandler(&s.log, nil)),
	}
	return s
}

// commit applies events to an upload.
func (s *site) commit(r upload.Record, events ...upload.Event) upload.Record {
	s.t.Helper()
	for _, e := range events {
		c, err := upload.Step(s.policy, r, e, s.now)
		must(s.t, err)
		must(s.t, s.ledger.Commit(s.t.Context(), c))
		r = c.After
	}
	return r
}

// published is an upload that completed with one object, thirty days ago.
func (s *site) published(id string) (upload.Record, objects.Version) { return s.publishedOf(id, 1) }

// publishedOf declared so many keys, of which the first is listed.
func (s *site) publishedOf(id string, declared int) (upload.Record, objects.Version) {
	s.t.Helper()
	at := s.now
	s.now = noon.Add(-30 * day)
	defer func() { s.now = at }()
	r := s.commit(upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: id}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: bucket, Prefix: "up", Declared: declared,
	})
	k := upload.Key{Attempt: 1, Seq: 1}
	v := s.store.Write(bucket, r.ObjectKey(k), []byte(id), s.now)
	return s.commit(r,
		upload.RecordObject{Fence: 1, Seq: 1, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag},
		upload.Complete{Fence: 1, List: []upload.Key{k}}), v
}

// stranger is an object that nobody knows, thirty days old.
func (s *site) stranger(key string) objects.Version {
	return s.store.Write(bucket, key, []byte("stranded"), noon.Add(-30*day))
}

func (s *site) remove(v objects.Version) { must(s.t, s.store.Remove(bucket, v.Key, v.VersionID)) }

// list takes an inventory of the bucket as it is.
func (s *site) list() *taken {
	l := &taken{manifest: inventory.Manifest{
		SourceBucket: bucket, Destination: "inventories", Created: s.now, Format: inventory.CSV, Config: "daily",
		Schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag",
	}}
	l.rows = append(l.rows, s.store.All(bucket)...)
	return l
}

// taken is an inventory in memory.
type taken struct {
	manifest inventory.Manifest
	rows     []objects.Version
	fails    error
}

func (l *taken) Manifest() inventory.Manifest { return l.manifest }
func (l *taken) Parts() int                   { return 1 }
func (l *taken) Seekable() bool               { return false }

func (l *taken) Lookup(context.Context, int, []int64) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) { yield(nil, errors.New("not seekable")) }
}

func (l *taken) Rows(context.Context, int) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for i, v := range l.rows {
			row := &inventory.Row{
				Bucket: []byte(bucket), Key: []byte(v.Key), VersionID: []byte(v.VersionID), ETag: []byte(v.ETag),
				Size: v.Size, LastModified: v.LastModified.UnixMilli(), Latest: answer(v.Latest), Marker: answer(v.Marker), Number: int64(i),
			}
			if !yield(row, nil) {
				return
			}
		}
		if l.fails != nil {
			yield(nil, l.fails)
		}
	}
}

func answer(yes bool) inventory.Answer {
	if yes {
		return inventory.Yes
	}
	return inventory.No
}

func (s *site) task(l *taken) reconcile.Task {
	return reconcile.Task{
		Inventory: l, ManifestAt: s.now, Against: s.now,
		Manifest: manifest.OfLedger(s.ledger, manifest.LedgerOptions{Bucket: bucket, TombstoneTTL: s.policy.TombstoneTTL}),
	}
}

// deliver reconciles an inventory twenty hours after it was begun.
func (s *site) deliver(l *taken) (reconcile.Report, error) {
	s.now = later(s.now, l.manifest.Created.Add(20*time.Hour))
	return s.runner.Run(s.t.Context(), s.task(l))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// run lists and reconciles.
func (s *site) run() reconcile.Report {
	s.t.Helper()
	report, err := s.deliver(s.list())
	must(s.t, err)
	return report
}

func (s *site) book() hold.Book { return hold.Book{Documents: s.ledger} }

func (s *site) holds() (all []hold.Hold) {
	s.t.Helper()
	for h, err := range s.book().All(s.t.Context(), bucket) {
		must(s.t, err)
		all = append(all, h)
	}
	return all
}

// holdStates tells every hold's state and why.
func (s *site) holdStates() string {
	var all []string
	for _, h := range s.holds() {
		all = append(all, fmt.Sprintf("%s: %s %s", h.Key, h.State, h.Why))
	}
	return strings.Join(all, "; ")
}

func count(r reconcile.Report, v reconcile.Verdict) int64 { return r.Counts[v].Count }

func expect(t *testing.T, what string, got, want int64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var errCrash = errors.New("the process died")

// faults ends the process at the nth write, before it or after it was done,
// and breaks looks.
type faults struct {
	mu     sync.Mutex
	at     int
	after  bool
	writes int
	stat   func(key string) error
	load   error
}

func (f *faults) write(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
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
	if r.f.load != nil {
		return upload.Record{}, r.f.load
	}
	return r.Store.Load(ctx, id)
}

func (r records) Commit(ctx context.Context, c upload.Change) error {
	return r.f.write(func() error { return r.Store.Commit(ctx, c) })
}

type looking struct {
	*stores.Store
	f *faults
}

func (l looking) Stat(ctx context.Context, bucket, key, id string) (objects.Facts, error) {
	if l.f.stat != nil {
		if err := l.f.stat(key); err != nil {
			return objects.Facts{}, err
		}
	}
	return l.Store.Stat(ctx, bucket, key, id)
}
