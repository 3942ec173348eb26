package quarantine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestApprovedOrphanIsHiddenAndBecomesARecordThatWaits(t *testing.T) {
	w := newWorld(t)
	plan, err := w.desk.Plan(t.Context(), bucket, w.hold.ID())
	must(t, err)
	if !plan.Hides || plan.Repeats || !plan.DueAt.Equal(noon.Add(w.policy.QuarantineFor)) {
		t.Errorf("the plan is %+v", plan)
	}
	w.stands(1, 0) // a plan writes nothing
	if r := w.record(plan.Adopts); r.State != upload.StateNone {
		t.Errorf("the plan has made a record: %+v", r)
	}
	h, err := w.desk.Execute(t.Context(), plan, "ann")
	must(t, err)
	w.stands(1, 1)
	r := w.record(plan.Adopts)
	if h.State != hold.Approved || h.Who != "ann" || h.Marker.VersionID == "" || h.Adopted != r.ID {
		t.Errorf("the hold is %+v", h)
	}
	want := upload.Explicit{Bucket: bucket, Key: key, VersionID: w.orphan.VersionID, ETag: w.orphan.ETag, Size: 8, LastModified: w.orphan.LastModified}
	if r.State != upload.StateCancelled || len(r.Manifest.Explicit) != 1 || r.Manifest.Explicit[0] != want || !r.DueAt.Equal(plan.DueAt) {
		t.Errorf("the record is %+v", r)
	}
}

func TestApprovingTwiceIsOneRecordAndOneMarker(t *testing.T) {
	w := newWorld(t)
	first, err := w.approve()
	must(t, err)
	w.now = w.now.Add(time.Hour)
	second, err := w.approve()
	must(t, err)
	w.stands(1, 1)
	if second.Adopted != first.Adopted || second.Marker != first.Marker || w.record(first.Adopted).Version != 1 {
		t.Errorf("first %+v, then %+v", first, second)
	}
}

func TestKeptHoldCanBeApprovedAndIsKeptAgainAfterARestore(t *testing.T) {
	w := newWorld(t)
	_, err := w.desk.Book.Keep(t.Context(), w.hold, "bob", "it is the logo", w.now)
	must(t, err)
	_, err = w.approve()
	must(t, err)
	h, err := w.restore()
	must(t, err)
	if h.State != hold.Kept || h.Adopted != (upload.ID{}) || h.Marker != (hold.Marker{}) {
		t.Errorf("restored: %+v", h)
	}
}

// refusals are the reasons for which an approval is refused. Each is a guard:
// without it the approval goes through and a version is deleted that somebody
// needs, so every case also checks that nothing was written.
var refusals = map[string]struct {
	spoil func(w *world)
	says  string
}{
	"the version is gone": {func(w *world) {
		must(w.t, w.store.Remove(bucket, key, w.orphan.VersionID))
	}, "does not stand"},
	"the facts are not those it was held with": {func(w *world) {
		h := w.get()
		h.ETag = "another"
		_, err := w.desk.Book.Put(w.t.Context(), h, w.now)
		must(w.t, err)
	}, "is not what it was"},
	"the size differs": {func(w *world) {
		h := w.get()
		h.Size++
		_, err := w.desk.Book.Put(w.t.Context(), h, w.now)
		must(w.t, err)
	}, "is not what it was"},
	"the time differs": {func(w *world) {
		h := w.get()
		h.LastModified = h.LastModified.Add(time.Second)
		_, err := w.desk.Book.Put(w.t.Context(), h, w.now)
		must(w.t, err)
	}, "is not what it was"},
	"a later run did not see it unowned": {func(w *world) { w.run("run-2") }, "the latest run did not find it"},
	"the latest run is too old": {func(w *world) {
		w.now = w.now.Add(w.policy.MaxInventoryAge)
	}, "older than"},
	"its key was found changed by the latest run": {func(w *world) {
		must(w.t, w.desk.Book.SetChanged(w.t.Context(), bucket, key, "run-1", w.now))
	}, "changed"},
	"it is closed": {func(w *world) {
		_, err := w.desk.Book.Close(w.t.Context(), w.get(), "a matching upload appeared", w.now)
		must(w.t, err)
	}, "it is closed"},
	"the policy is below its floors": {func(w *world) { w.desk.Policy.SafetyMargin = 0 }, "floors"},
}

func TestApprovalIsRefusedWhen(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.spoil(w)
			expectRefused(t, w, c.says)
		})
	}
}

func expectRefused(t *testing.T, w *world, says string) {
	t.Helper()
	versions, _ := w.standing()
	before := w.faults.writes
	_, err := w.approve()
	if !errors.Is(err, upload.ErrRefused) || !strings.Contains(err.Error(), says) {
		t.Errorf("error is %v, want a refusal that says %q", err, says)
	}
	if err != nil && strings.Contains(err.Error(), w.orphan.Key) {
		t.Errorf("the error names the key: %v", err)
	}
	w.stands(versions, 0)
	if w.faults.writes != before {
		t.Errorf("a refused approval has written %d times", w.faults.writes-before)
	}
}

func TestNoRunYetNothingIsApproved(t *testing.T) {
	w := newWorld(t)
	w.desk.Book = hold.Book{Documents: w.ledger}
	other := newWorld(t) // its book has the hold, and the view is of another bucket
	other.store.CreateBucket("elsewhere", stores.BucketOptions{})
	v := other.store.Write("elsewhere", key, []byte("x"), noon.Add(-time.Hour))
	facts, err := other.store.Stat(t.Context(), "elsewhere", key, v.VersionID)
	must(t, err)
	h, _, err := other.desk.Book.See(t.Context(), hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: "elsewhere", Key: key, VersionID: v.VersionID},
		Size:    facts.Size, ETag: facts.ETag, LastModified: facts.LastModified, By: hold.Sighting{Run: "run-1"},
	}, noon)
	must(t, err)
	if _, err := other.desk.Plan(t.Context(), "elsewhere", h.ID()); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("without a completed run: %v", err)
	}
}

// A plan may be old when it is executed. Without asking again at the execution,
// what came to life in between would be condemned.
func TestPlanIsAskedAgainWhenItIsExecuted(t *testing.T) {
	w := newWorld(t)
	plan, err := w.desk.Plan(t.Context(), bucket, w.hold.ID())
	must(t, err)
	w.run("run-2")
	if _, err := w.desk.Execute(t.Context(), plan, "ann"); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("error is %v", err)
	}
	w.stands(1, 0)
}

// A null version's id does not identify it: without the guard, whatever is
// written while versioning is suspended later would be deleted in its place.
func TestNullVersionIsApprovedOnlyIfThePolicyAllowsIt(t *testing.T) {
	w := newWorldOf(t, key, stores.Never)
	expectRefused(t, w, "versioning was off")
	w.desk.Policy.DeleteNullVersions = true
	h, err := w.approve()
	must(t, err)
	w.stands(1, 0) // and it is not hidden
	if h.State != hold.Approved || h.Marker != (hold.Marker{}) {
		t.Errorf("the hold is %+v", h)
	}
}

// A look-up that was not finished says nothing. Without the guard, a throttled
// ledger would be one in which nobody owns anything.
func TestUnfinishedLookUpApprovesNothing(t *testing.T) {
	failing := errors.New("no answer")
	for name, spoil := range map[string]func(w *world){
		"the store cannot be looked at": func(w *world) { w.desk.Store = brokenStore{w.store, failing, nil} },
		"the key cannot be listed":      func(w *world) { w.desk.Store = brokenStore{w.store, nil, failing} },
		"the ledger cannot be read":     func(w *world) { w.faults.looks = failing },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOf(t, "up/acme/u-1/1/1", stores.Enabled)
			spoil(w)
			before := w.faults.writes
			if _, err := w.approve(); !errors.Is(err, failing) {
				t.Errorf("error is %v", err)
			}
			w.stands(1, 0)
			if w.faults.writes != before {
				t.Error("something was written")
			}
		})
	}
}

func TestCancelledContextApprovesNothing(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.desk.Plan(ctx, bucket, w.hold.ID()); err == nil {
		t.Error("it was planned")
	}
}
