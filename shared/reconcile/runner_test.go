package reconcile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestOrphanIsHeldOnceAndSeenAgainByLaterRuns(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	v := s.stranger("imports/logo.png")
	report := s.run()
	expect(t, "ok", count(report, reconcile.OK), 1)
	expect(t, "orphans", count(report, reconcile.Orphan), 1)
	expect(t, "opened", report.Opened, 1)
	holds := s.holds()
	if len(holds) != 1 || holds[0].VersionID != v.VersionID || holds[0].State != hold.Open || holds[0].ETag != v.ETag || !holds[0].Latest {
		t.Fatalf("holds are %+v", holds)
	}
	s.now = s.now.Add(day)
	report = s.run()
	expect(t, "opened by the second run", report.Opened, 0)
	expect(t, "seen again", report.Again, 1)
	again := s.holds()
	if len(again) != 1 || again[0].FirstSeen != holds[0].FirstSeen || again[0].LastSeen.Run != report.Run {
		t.Errorf("then they are %+v", again)
	}
	if s.log.Len() > 0 {
		t.Errorf("an orphan is no alarm: %s", s.log.String())
	}
}

// The same event comes more than once, and twice at the same time.
func TestSameInventoryDeliveredTwiceIsOneRun(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.stranger("imports/logo.png")
	list := s.list()
	first, err := s.deliver(list)
	must(t, err)
	writes := s.faults.writes
	second, err := s.deliver(list)
	must(t, err)
	if !second.Repeated || second.Run != first.Run || second.Opened != first.Opened || count(second, reconcile.Orphan) != 1 {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if s.faults.writes != writes {
		t.Errorf("the second has written %d times", s.faults.writes-writes)
	}
}

func TestInventoryOlderThanTheLatestIsPassedOver(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	old := s.list()
	s.now = s.now.Add(day)
	s.run()
	s.stranger("imports/logo.png")
	report, err := s.deliver(old)
	must(t, err)
	if !report.Superseded || len(s.holds()) != 0 {
		t.Errorf("the report is %+v", report)
	}
}

// Without the lease, two runs would each judge from a half of what the other
// wrote.
func TestTwoRunsDoNotWorkAtOnce(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	other := *s
	var inner error
	s.runner.Store = meddling{looking{s.store, s.faults}, func() {
		_, inner = other.runner.Run(t.Context(), s.task(s.list()))
	}}
	s.stranger("imports/logo.png")
	s.run()
	if !errors.Is(inner, upload.ErrRefused) {
		t.Errorf("the second run: %v", inner)
	}
}

// meddling lets something happen while the run looks at an object.
type meddling struct {
	looking
	before func()
}

func (m meddling) Stat(ctx contextT, bucket, key, id string) (objects.Facts, error) {
	m.before()
	return m.looking.Stat(ctx, bucket, key, id)
}

// "Missing" is an alarm that wakes people. Without the look at the version, the
// lag of an inventory would be one every day; without reading the record again,
// every deletion since the scan would.
func TestMissingOnlyAfterALookAtTheVersionAndAtTheRecord(t *testing.T) {
	t.Run("it stands: lagging", func(t *testing.T) {
		s := newSite(t)
		s.published("u-1")
		_, v := s.published("u-2")
		list := s.list()
		list.rows = without(list.rows, v)
		report, err := s.deliver(list)
		must(t, err)
		expect(t, "lagging", count(report, reconcile.Lagging), 1)
		expect(t, "missing", count(report, reconcile.Missing), 0)
		noAlarm(t, s)
	})
	t.Run("its record was released since: gone", func(t *testing.T) {
		s := newSite(t)
		s.published("u-1")
		r, v := s.published("u-2")
		s.remove(v)
		list := s.list()
		s.runner.Store = meddling{looking{s.store, s.faults}, func() {
			if now, _ := s.ledger.Load(t.Context(), r.ID); now.State == upload.StateComplete {
				s.commit(now, upload.Release{Owner: "o"})
			}
		}}
		report, err := s.deliver(list)
		must(t, err)
		expect(t, "gone", count(report, reconcile.Gone), 1)
		expect(t, "missing", count(report, reconcile.Missing), 0)
		noAlarm(t, s)
	})
	t.Run("it is gone and its record live: missing, with an alarm", func(t *testing.T) {
		s := newSite(t)
		s.published("u-1")
		_, v := s.published("u-2")
		s.remove(v)
		report := s.run()
		expect(t, "missing", count(report, reconcile.Missing), 1)
		log := s.log.String()
		if !strings.Contains(log, "level=ERROR") || !strings.Contains(log, "missing=1") || strings.Contains(log, v.Key) {
			t.Errorf("the log is %s", log)
		}
	})
}

func without(rows []objects.Version, v objects.Version) (rest []objects.Version) {
	for _, r := range rows {
		if r.VersionID != v.VersionID {
			rest = append(rest, r)
		}
	}
	return rest
}

func noAlarm(t *testing.T, s *site) {
	t.Helper()
	if s.log.Len() > 0 {
		t.Errorf("an alarm: %s", s.log.String())
	}
}

// A look-up that failed says nothing: the whole run is not judged. Were it
// taken for "absent", a throttled store would be a bucket that lost everything.
func TestFailedLookUpRefusesTheWholeRun(t *testing.T) {
	failing := errors.New("no answer")
	for name, spoil := range map[string]func(s *site, lost objects.Version){
		"a look at the missing version": func(s *site, lost objects.Version) {
			s.faults.stat = func(key string) error {
				if key == lost.Key {
					return failing
				}
				return nil
			}
		},
		"a look at an orphan": func(s *site, _ objects.Version) {
			s.faults.stat = func(key string) error {
				if key == "imports/logo.png" {
					return failing
				}
				return nil
			}
		},
		"the missing one's record, read again": func(s *site, _ objects.Version) { s.faults.load = failing },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.published("u-1")
			s.stranger("imports/logo.png")
			_, lost := s.published("u-2")
			s.remove(lost)
			spoil(s, lost)
			_, err := s.deliver(s.list())
			if !errors.Is(err, failing) || strings.Contains(err.Error(), lost.Key) {
				t.Errorf("error is %v", err)
			}
			refusedWhole(t, s)
			s.faults.stat, s.faults.load = nil, nil
			if report := s.run(); report.Opened != 1 { // at once: the lease was given back
				t.Errorf("the next run: %+v", report)
			}
		})
	}
}

// refusedWhole checks that a refused run left nothing but its lease.
func refusedWhole(t *testing.T, s *site) {
	t.Helper()
	if len(s.holds()) != 0 {
		t.Errorf("holds: %s", s.holdStates())
	}
	noAlarm(t, s)
	for d, err := range s.ledger.List(t.Context(), "RUN#reconcile", "", "") {
		t.Errorf("a run is recorded: %s, %v", d.ID, err)
	}
	if v, err := s.book().View(t.Context(), bucket); err != nil || v.Run != "" {
		t.Errorf("a view: %+v, %v", v, err)
	}
}

func TestSideThatCannotBeReadWholeRefusesTheRun(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.stranger("imports/logo.png")
	list := s.list()
	list.fails = errors.New("row 3 is torn")
	if _, err := s.deliver(list); err == nil {
		t.Error("with half of the inventory it went through")
	}
	refusedWhole(t, s)
	task := s.task(s.list())
	task.Manifest = tornManifest{task.Manifest}
	if _, err := s.runner.Run(t.Context(), task); !errors.Is(err, errTornManifest) {
		t.Errorf("with half of the ledger: %v", err)
	}
	refusedWhole(t, s)
}

// An empty ledger beside a full bucket is a broken ledger, or the wrong table.
func TestEmptyLedgerHoldsNothing(t *testing.T) {
	s := newSite(t)
	s.stranger("imports/logo.png")
	if _, err := s.deliver(s.list()); err == nil {
		t.Error("it went through")
	}
	refusedWhole(t, s)
}

func TestStaleInventoryIsRefused(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.stranger("imports/logo.png")
	list := s.list()
	s.now = s.now.Add(s.policy.MaxInventoryAge + time.Hour)
	if _, err := s.deliver(list); err == nil {
		t.Error("it went through")
	}
	refusedWhole(t, s)
}

// A broken list looks like many orphans: nothing is held, and somebody told.
func TestTooManyOrphansAreNotHeldAndNothingIsClosed(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	kept := s.stranger("imports/first.png")
	s.run()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
		s.stranger("imports/" + name)
	}
	s.remove(kept)
	s.runner.Policy.MaxOrphanPercent = 50
	s.now = s.now.Add(day)
	s.log.Reset()
	report := s.run()
	if !report.HoldsBlocked || report.Opened != 0 || report.Closed != 0 || len(s.holds()) != 1 || s.holds()[0].State != hold.Open {
		t.Errorf("the report is %+v, holds %s", report, s.holdStates())
	}
	if !strings.Contains(s.log.String(), "holds are blocked") {
		t.Errorf("the log is %s", s.log.String())
	}
}

func TestFreshStrangerIsNotHeld(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.store.Write(bucket, "imports/new.png", []byte("x"), noon.Add(-s.policy.OrphanGrace))
	report := s.run()
	expect(t, "too fresh", count(report, reconcile.TooFresh), 1)
	expect(t, "holds", int64(len(s.holds())), 0)
}

// An orphan of the inventory that was recorded, or deleted, since.
func TestOrphanThatIsOneNoMoreIsNotHeld(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	gone := s.stranger("imports/gone.png")
	marked := s.stranger("imports/x")
	list := s.list()
	s.remove(gone)
	_ = marked
	report, err := s.deliver(list)
	must(t, err)
	expect(t, "gone", count(report, reconcile.Gone), 1)
	expect(t, "held", report.Opened, 1)
}

// The scan of the ledger may have missed a record that the key itself names.
// Without asking, a live object would be held.
func TestOrphanWhoseKeyNamesAnUploadIsNotHeld(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	_, v := s.published("u-2")
	task := s.task(s.list())
	task.Manifest = manifestWithout{task.Manifest, v.Key}
	s.now = s.now.Add(20 * time.Hour)
	task.ManifestAt, task.Against = s.now, s.now
	report, err := s.runner.Run(t.Context(), task)
	must(t, err)
	expect(t, "ok", count(report, reconcile.OK), 2)
	expect(t, "orphans", count(report, reconcile.Orphan), 0)
	expect(t, "holds", int64(len(s.holds())), 0)
}
