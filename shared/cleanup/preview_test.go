package cleanup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// watchedStores count every write, whatever becomes of it.
type watchedStores struct {
	Candidates
	Documents
	Publisher
	writes []string
}

func (w *watchedStores) Commit(ctx context.Context, c upload.Change) error {
	w.writes = append(w.writes, "commit "+string(c.Event))
	return w.Candidates.Commit(ctx, c)
}

func (w *watchedStores) Put(ctx context.Context, d ledger.Document) error {
	w.writes = append(w.writes, "put "+d.Collection)
	return w.Documents.Put(ctx, d)
}

func (w *watchedStores) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	w.writes = append(w.writes, "send")
	return w.Publisher.Send(ctx, commands)
}

// preview previews, and fails the test if anything was written.
func (s *passScene) preview() (Preview, error) {
	s.t.Helper()
	w := &watchedStores{Candidates: s.store, Documents: s.store, Publisher: s.queue}
	p := s.pass
	p.Candidates, p.Documents, p.Queue = w, w, w
	before := s.revisions()
	v, err := p.Preview(s.t.Context())
	if len(w.writes) > 0 {
		s.t.Errorf("a preview wrote: %q", w.writes)
	}
	s.nothingDone(before)
	return v, err
}

// worlds are what a pass can meet, and how it ends there.
var worlds = map[string]struct {
	change func(*passScene, map[string]upload.ID)
	ends   RunState
	note   string
}{
	"an open gate":  {func(*passScene, map[string]upload.ID) {}, RunDone, ""},
	"a new gate":    {func(s *passScene, _ map[string]upload.ID) { s.must(s.gate.SetMode(s.t.Context(), gate.ReportOnly)) }, RunReported, ""},
	"a paused gate": {func(s *passScene, _ map[string]upload.ID) { s.must(s.gate.Pause(s.t.Context())) }, RunReported, ""},
	"over the limit": {func(s *passScene, _ map[string]upload.ID) {
		s.pass.Policy.MaxDeletePercent, s.pass.Policy.MaxDeleteCount = 0, 41
	}, RunPaused, ""},
	"a census of old": {func(s *passScene, _ map[string]upload.ID) {
		s.pass.Policy.CensusMaxAge = time.Nanosecond
		s.later(time.Minute)
	}, RunDone, "nothing is published"},
	// Nothing can be over a limit that nobody knows: the purges alone wait.
	"over the limit, a census of old": {func(s *passScene, _ map[string]upload.ID) {
		s.pass.Policy.MaxDeletePercent, s.pass.Policy.MaxDeleteCount = 0, 41
		s.pass.Policy.CensusMaxAge = time.Nanosecond
		s.later(time.Minute)
	}, RunDone, "nothing is published"},
	"over the limit, closed": {func(s *passScene, _ map[string]upload.ID) {
		s.pass.Policy.MaxDeletePercent, s.pass.Policy.MaxDeleteCount = 0, 41
		s.must(s.gate.Pause(s.t.Context()))
	}, RunReported, "would be paused: bucket"},
	"over the limit, closed, a census of old": {func(s *passScene, _ map[string]upload.ID) {
		s.pass.Policy.MaxDeletePercent, s.pass.Policy.MaxDeleteCount = 0, 41
		s.pass.Policy.CensusMaxAge = time.Nanosecond
		s.later(time.Minute)
		s.must(s.gate.Pause(s.t.Context()))
	}, RunReported, "nothing is published"},
	"a record of tomorrow": {func(s *passScene, ids map[string]upload.ID) {
		s.later(time.Hour)
		s.do(ids["slow"], upload.Heartbeat{Fence: 1})
		s.later(-time.Hour)
	}, RunStopped, ""},
}

// What a person is shown before deletion is turned on must be what a pass does
// then. Planned or judged in another way, the two could differ.
func TestAPreviewIsWhatTheNextRunDoesAndWritesNothing(t *testing.T) {
	for name, world := range worlds {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			world.change(s, s.everything())
			v, err := s.preview()
			s.must(err)
			r := s.run()
			if v.Would != world.ends || r.State != world.ends || v.Reason != r.Reason {
				t.Errorf("would be %q (%s), the run is %q (%s), want %q", v.Would, v.Reason, r.State, r.Reason, world.ends)
			}
			if diff := cmp.Diff(r.Notes, v.Notes); diff != "" {
				t.Errorf("notes (-run +preview):\n%s", diff)
			}
			if !strings.Contains(strings.Join(v.Notes, "\n"), world.note) {
				t.Errorf("notes %q do not say %q", v.Notes, world.note)
			}
			if diff := cmp.Diff(r.Buckets, v.Buckets); diff != "" {
				t.Errorf("buckets (-run +preview):\n%s", diff)
			}
			if r.Tally.Candidates != v.Stats.Candidates || !r.OldestDue.Equal(v.Stats.OldestDue) || r.Unfinished != v.Stats.Unfinished {
				t.Errorf("preview %+v of a run with %+v", v.Stats, r)
			}
			if r.Pages > 0 {
				s.samePlan(v.Plan, r)
			}
		})
	}
}

// samePlan compares what was shown with what was stored.
func (s *passScene) samePlan(shown *Plan, r Report) {
	s.t.Helper()
	stored, err := s.pass.PlanOf(s.t.Context(), r)
	s.must(err)
	if diff := cmp.Diff(slices.Collect(stored.Candidates()), slices.Collect(shown.Candidates())); diff != "" {
		s.t.Errorf("plan (-stored +shown):\n%s", diff)
	}
}

// Without the guard a preview that comes to a write carries it out.
func TestAPreviewsStoresRefuseToWrite(t *testing.T) {
	s := newPassScene(t)
	id := s.cancelled(0, 1)
	r := s.record(id)
	change := upload.Change{Before: r, After: r}
	change.After.Version++
	if err := (readCandidates{s.store}).Commit(t.Context(), change); !errors.Is(err, errReadOnly) {
		t.Errorf("commit: %v", err)
	}
	if err := (readDocuments{s.store}).Put(t.Context(), ledger.Document{Collection: runs, ID: "x"}); !errors.Is(err, errReadOnly) {
		t.Errorf("put: %v", err)
	}
	if doc, err := s.store.Get(t.Context(), runs, "x"); err != nil || doc.Revision != 0 || s.record(id).Version != r.Version {
		t.Errorf("written: %+v, %v", doc, err)
	}
}

// A previewed plan has no run that counts what it publishes.
func TestAPreviewedPlanCannotBeExecuted(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	v, err := s.preview()
	s.must(err)
	if _, err := (work{pass: s.pass}).execute(t.Context(), v.Plan); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("executed: %v", err)
	}
	if n := len(s.sent()); n > 0 {
		t.Errorf("%d commands were published", n)
	}
}

func TestAPreviewSaysWhoRunsAndHowMuchIsQueued(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	_, err := lease.Take(t.Context(), s.store, leaseKind, "another", s.now)
	s.must(err)
	s.pass.Policy.QueueHighWater = 1
	s.queue.Put("a")
	s.queue.Put("b")
	v, err := s.pass.Preview(t.Context())
	s.must(err)
	if v.Busy.Run != "another" || v.Queued != 2 || !slices.Contains(v.Notes, SkipHighWater) {
		t.Errorf("%+v, %d queued, notes %q", v.Busy, v.Queued, v.Notes)
	}
	s.pass.Queue, s.pass.Log = nil, nil
	if v, err = s.pass.Preview(t.Context()); err != nil || v.Queued != -1 || v.Would != RunDone {
		t.Errorf("without a queue: %v, %d queued", err, v.Queued)
	}
}

// A plan that was made by a clock which is wrong shows what is not due.
func TestAPreviewByAWrongClockIsRefused(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	s.pass.Now = func() time.Time { return s.now.Add(time.Hour) }
	if _, err := s.preview(); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("%v", err)
	}
}

// A plan of which a part could not be read must not be shown as the whole.
func TestAPreviewThatCannotReadAllShowsNothing(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(3, 150)
	broken := errors.New("throttled")
	s.pass.Candidates = &faultyCandidates{Candidates: s.store, onLoad: func(ids []upload.ID, r []upload.Record) ([]upload.Record, error) {
		return r, errorAt(len(ids), 50, broken)
	}}
	if v, err := s.pass.Preview(t.Context()); !errors.Is(err, broken) || v.Plan != nil {
		t.Errorf("%v, plan %v", err, v.Plan)
	}
}

func TestSharesDivideThePlan(t *testing.T) {
	s := newPassScene(t)
	s.everything()
	for i := range 40 {
		s.cancelled(i%ledger.Shards, i%7+1, inBucket([]string{"bucket-a", "bucket-b"}[i%2]))
	}
	s.later(2 * time.Hour)
	v, err := s.preview()
	s.must(err)
	var sum Amount
	actions, buckets, oldest := map[string]Amount{}, map[string]Amount{}, time.Time{}
	for _, share := range v.Plan.Shares() {
		sum = sum.Plus(share.Amount)
		name := share.Action
		if share.Operation != "" {
			name += " (" + string(share.Operation) + ")"
			buckets[share.Bucket] = buckets[share.Bucket].Plus(share.Amount)
		}
		actions[name] = actions[name].Plus(share.Amount)
		if share.Takes() && (oldest.IsZero() || share.OldestDue.Before(oldest)) {
			oldest = share.OldestDue
		}
	}
	if diff := cmp.Diff(v.Stats.Actions, actions); diff != "" || sum != v.Stats.Candidates || !oldest.Equal(v.Stats.OldestDue) {
		t.Errorf("%+v in all of %+v, oldest %s of %s; actions:\n%s", sum, v.Stats.Candidates, oldest, v.Stats.OldestDue, diff)
	}
	if diff := cmp.Diff(v.Stats.Purges, buckets); diff != "" || len(buckets) != 2 {
		t.Errorf("buckets:\n%s", diff)
	}
	if !slices.IsSortedFunc(v.Plan.Shares(), compareShares) {
		t.Error("shares are not in order")
	}
}

// A run that a person asked for says so, and every run by which policy it was.
func TestARunSaysWhoAskedForItAndByWhichPolicy(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.ActivityGrace = 72 * time.Hour
	r, err := s.pass.Run(t.Context(), Trigger{Schedule: "by-hand", FireTime: s.now, By: "ann"})
	s.must(err)
	want := map[string]string{policy.EnvPrefix + "ACTIVITY_GRACE": "72h0m0s"}
	stored, err := s.pass.ReadRun(t.Context(), r.Run)
	s.must(err)
	if diff := cmp.Diff(want, stored.Policy); diff != "" || stored.By != "ann" {
		t.Errorf("by %q, policy:\n%s", stored.By, diff)
	}
	s.pass.Policy = policy.Default()
	s.later(time.Minute)
	if r := s.run(); r.By != "" || r.Policy == nil || len(r.Policy) != 0 {
		t.Errorf("a schedule's run is by %q, policy %v", r.By, r.Policy)
	}
}
