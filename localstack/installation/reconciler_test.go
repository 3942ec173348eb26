package installation_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	holds "github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// delivered is a folder in place of the bucket of inventories.
type delivered string

func (d delivered) Get(_ context.Context, key string, from int64, _ string) (inventory.Object, error) {
	raw, err := os.ReadFile(filepath.Join(string(d), filepath.FromSlash(key)))
	if err != nil {
		return inventory.Object{}, upload.ErrAbsent
	}
	return inventory.Object{Body: io.NopCloser(bytes.NewReader(raw[from:])), Size: int64(len(raw)), ETag: key}, nil
}

func (d delivered) Below(context.Context, string) iter.Seq2[string, error] {
	return func(func(string, error) bool) {}
}

// reconciled is an installation in memory with a reconciler, an upload that is
// complete, and two strangers that are older than OrphanGrace.
type reconciled struct {
	t *testing.T
	*installation.Installation
	memory *installation.Memory
	folder string
}

func newReconciled(t *testing.T) *reconciled {
	t.Helper()
	p := usual()
	p.MaxOrphanPercent = 90
	r := &reconciled{t: t, folder: t.TempDir()}
	i, memory, err := installation.InMemory(t.Context(), installation.Options{
		Policy: p, Clock: installation.NewStillClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)), Real: time.Now,
		Inventories: delivered(r.folder),
	})
	must(t, err)
	r.Installation, r.memory = i, memory
	r.publish()
	memory.Objects.Write(i.Bucket, "imports/a.png", []byte("stranded"), time.Time{})
	memory.Objects.Write(i.Bucket, "imports/b.png", []byte("stranded"), time.Time{})
	i.Clock.Advance(30 * day)
	return r
}

func (r *reconciled) publish() {
	r.t.Helper()
	record := upload.Record{}
	step := func(e upload.Event) {
		c, err := upload.Step(r.Policy, record, e, r.Clock.Now())
		must(r.t, err)
		must(r.t, r.Stores.Ledger.Commit(r.t.Context(), c))
		record = c.After
	}
	step(upload.Reserve{
		ID: upload.ID{Tenant: tenant, Upload: "u-1"}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: r.Bucket, Prefix: "up", Declared: 1,
	})
	k := upload.Key{Attempt: 1, Seq: 1}
	v := r.memory.Objects.Write(r.Bucket, record.ObjectKey(k), []byte("live"), time.Time{})
	step(upload.RecordObject{Fence: 1, Seq: 1, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag})
	step(upload.Complete{Fence: 1, List: []upload.Key{k}})
}

// reconcile takes an inventory of the bucket and has it delivered at once.
func (r *reconciled) reconcile() (opened, reopened int64) {
	r.t.Helper()
	answers := map[bool]inventory.Answer{true: inventory.Yes, false: inventory.No}
	rows := func(yield func(*inventory.Row, error) bool) {
		for _, v := range r.memory.Objects.All(r.Bucket) {
			row := &inventory.Row{
				Bucket: []byte(r.Bucket), Key: []byte(v.Key), VersionID: []byte(v.VersionID), ETag: []byte(v.ETag), Size: v.Size,
				LastModified: v.LastModified.UnixMilli(), Latest: answers[v.Latest], Marker: answers[v.Marker],
			}
			if !yield(row, nil) {
				return
			}
		}
	}
	key, err := inventory.Write(r.t.Context(), inventory.Folder(r.folder), inventory.Delivery{
		Bucket: r.Bucket, Destination: "inventories", Config: "daily", Created: r.Clock.Now(), Format: inventory.CSV, TempDir: r.t.TempDir(),
	}, rows)
	must(r.t, err)
	r.Clock.Advance(time.Hour)
	report, err := r.Reconcile(r.t.Context(), key)
	must(r.t, err)
	return report.Opened, report.Reopened
}

func (r *reconciled) holds() map[string]holds.Hold {
	r.t.Helper()
	all := map[string]holds.Hold{}
	for h, err := range r.Desk(r.memory.Objects).Book.All(r.t.Context(), r.Bucket) {
		must(r.t, err)
		all[h.Key] = h
	}
	return all
}

func (r *reconciled) approve(h holds.Hold) {
	r.t.Helper()
	desk := r.Desk(r.memory.Objects)
	plan, err := desk.Plan(r.t.Context(), h.Bucket, h.ID())
	must(r.t, err)
	_, err = desk.Execute(r.t.Context(), plan, "ann")
	must(r.t, err)
}

// cleanUp makes a census and a pass, and lets the worker do what it published.
func (r *reconciled) cleanUp() {
	r.t.Helper()
	must(r.t, r.Census(r.t.Context()))
	_, err := r.Pass(r.t.Context())
	must(r.t, err)
	_, err = r.Drain(r.t.Context(), 10)
	must(r.t, err)
}

func (r *reconciled) standing(key string) (versions []objects.Version) {
	for _, v := range r.memory.Objects.All(r.Bucket) {
		if v.Key == key && !v.Marker {
			versions = append(versions, v)
		}
	}
	return versions
}

// The whole life of two holds: of two strangers one is approved and purged by
// the same worker as everything else, the other approved and restored, and no
// pass after its quarantine touches it.
func TestApprovedStrangerIsPurgedAndRestoredOneIsNot(t *testing.T) {
	r := newReconciled(t)
	if opened, _ := r.reconcile(); opened != 2 {
		t.Fatalf("%d holds were opened", opened)
	}
	all := r.holds()
	goes, stays := all["imports/a.png"], all["imports/b.png"]
	r.approve(goes)
	r.approve(stays)
	_, err := r.Desk(r.memory.Objects).Restore(t.Context(), stays.Bucket, stays.ID(), "ann")
	must(t, err)
	r.Clock.Advance(r.Policy.QuarantineFor - time.Hour)
	r.cleanUp()
	if len(r.standing("imports/a.png")) != 1 {
		t.Error("it was purged in its quarantine")
	}
	r.Clock.Advance(2 * time.Hour)
	r.cleanUp()
	if len(r.standing("imports/a.png")) != 0 || len(r.standing("imports/b.png")) != 1 {
		t.Errorf("standing: %v and %v", r.standing("imports/a.png"), r.standing("imports/b.png"))
	}
	r.Clock.Advance(day)
	r.reconcile()
	all = r.holds()
	if h := all["imports/a.png"]; h.State != holds.Closed || h.Why != "purged" {
		t.Errorf("the purged one's hold is %s: %s", h.State, h.Why)
	}
	if h := all["imports/b.png"]; h.State != holds.Open {
		t.Errorf("the restored one's hold is %s: %s", h.State, h.Why)
	}
}

// Something is put under the key of a deleted upload: the reconciler sees it,
// opens the tombstone, and the worker purges it.
func TestUndeadObjectIsPurgedByTheWorker(t *testing.T) {
	r := newReconciled(t)
	id := upload.ID{Tenant: tenant, Upload: "u-1"}
	record, err := r.Stores.Ledger.Load(t.Context(), id)
	must(t, err)
	change, err := upload.Step(r.Policy, record, upload.Release{Owner: "o"}, r.Clock.Now())
	must(t, err)
	must(t, r.Stores.Ledger.Commit(t.Context(), change))
	r.Clock.Advance(time.Hour)
	r.cleanUp()
	key := record.ObjectKey(upload.Key{Attempt: 1, Seq: 1})
	if len(r.standing(key)) != 0 {
		t.Fatal("it was not purged")
	}
	r.memory.Objects.Write(r.Bucket, key, []byte("back"), time.Time{})
	r.Clock.Advance(10 * day)
	if _, reopened := r.reconcile(); reopened != 1 {
		t.Errorf("%d uploads were reopened", reopened)
	}
	r.Clock.Advance(time.Hour)
	r.cleanUp()
	if len(r.standing(key)) != 0 {
		t.Error("what came back stands")
	}
}
