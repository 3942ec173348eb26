package reconcile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/upload"
)

type contextT = context.Context

// manifestWithout is a scan that missed what is below the folder of a key.
type manifestWithout struct {
	manifest.Reader
	key string
}

func (m manifestWithout) Entries(ctx context.Context, part int) iter.Seq2[*manifest.Entry, error] {
	return func(yield func(*manifest.Entry, error) bool) {
		for e, err := range m.Reader.Entries(ctx, part) {
			if err == nil && bytes.HasPrefix(e.Key, []byte(m.key[:len(m.key)-1])) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// purge lets a worker delete an upload, whatever stands.
func (s *site) purge(r upload.Record) upload.Record {
	s.t.Helper()
	claimed := s.commit(r, upload.Claim{Version: r.Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Worker: "w", Token: "t"})
	return s.commit(claimed, upload.Finish{Fence: claimed.Fence, Gone: claimed.Declared()})
}

// deleted is an upload that was purged ten days ago, and its object, which was
// not.
func (s *site) deleted(id string) (upload.Record, string) {
	s.t.Helper()
	r, v := s.published(id)
	at := s.now
	s.now = noon.Add(-12 * day)
	r = s.commit(r, upload.Release{Owner: "o"})
	s.now = noon.Add(-10 * day)
	r = s.purge(r)
	s.now = at
	return r, v.Key
}

func TestObjectOfADeletedUploadIsTakenBackIntoCleanup(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	r, _ := s.deleted("u-2")
	report := s.run()
	expect(t, "undead", count(report, reconcile.Undead), 1)
	expect(t, "reopened", report.Reopened, 1)
	now, err := s.ledger.Load(t.Context(), r.ID)
	must(t, err)
	if now.State != upload.StateDeleting || now.DueAt.IsZero() || len(s.holds()) != 0 {
		t.Errorf("the record is %s, due %s", now.State, now.DueAt)
	}
}

// An inventory is a day old: without the look, every tombstone whose object was
// purged since would be opened again.
func TestObjectThatIsGoneByNowOpensNothing(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	r, key := s.deleted("u-2")
	list := s.list()
	for _, v := range s.store.All(bucket) {
		if v.Key == key {
			s.remove(v)
		}
	}
	report, err := s.deliver(list)
	must(t, err)
	expect(t, "gone", count(report, reconcile.Gone), 1)
	now, err := s.ledger.Load(t.Context(), r.ID)
	must(t, err)
	if now.State != upload.StateDeleted {
		t.Errorf("the record is %s", now.State)
	}
}

func TestObjectUnderATrimmedKeyIsSupersededAgain(t *testing.T) {
	s := newSite(t)
	r, _ := s.publishedOf("u-1", 2)
	s.now = noon.Add(-20 * day)
	r = s.commit(r, upload.Trim{Version: r.Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Gone: 1})
	s.now = noon
	s.store.Write(bucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 2}), []byte("late"), noon.Add(-10*day))
	report := s.run()
	expect(t, "leftovers", count(report, reconcile.Leftover), 1)
	expect(t, "resuperseded", report.Resuperseded, 1)
	now, err := s.ledger.Load(t.Context(), r.ID)
	must(t, err)
	if now.Trimmed || now.SupersededDueAt.IsZero() {
		t.Errorf("the record is %+v", now)
	}
}

func TestChangedKeyIsAnAlarmAndNoted(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	_, v := s.published("u-2")
	s.store.Write(bucket, v.Key, []byte("another"), noon.Add(-20*day))
	s.remove(v)
	report := s.run()
	expect(t, "changed", count(report, reconcile.Changed), 1)
	if run, err := s.book().ChangedIn(t.Context(), bucket, v.Key); err != nil || run != report.Run {
		t.Errorf("noted in run %q, %v", run, err)
	}
	if !strings.Contains(s.log.String(), "changed=1") {
		t.Errorf("the log is %s", s.log.String())
	}
}

func TestHoldIsClosedWhenItsOwnerAppears(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	_, v := s.published("u-2")
	_, _, err := s.book().See(t.Context(), hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: bucket, Key: v.Key, VersionID: v.VersionID}, LastModified: v.LastModified,
		By: hold.Sighting{Run: "before", Inventory: noon.Add(-day)},
	}, noon)
	must(t, err)
	report := s.run()
	expect(t, "closed", report.Closed, 1)
	if h := s.holds()[0]; h.State != hold.Closed || h.Why != "a matching upload appeared" {
		t.Errorf("holds: %s", s.holdStates())
	}
}

func TestHoldIsClosedWhenItsVersionIsGoneAndOpenedAgainIfItIsNot(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	v := s.stranger("imports/logo.png")
	s.run()
	s.remove(v)
	s.now = s.now.Add(day)
	expect(t, "closed", s.run().Closed, 1)
	if h := s.holds()[0]; h.State != hold.Closed || h.Why != "it does not stand any more" {
		t.Errorf("holds: %s", s.holdStates())
	}
}

// What a person said is never asked again: without the guard a run would close
// or reopen what was kept.
func TestKeptHoldStaysKeptWhateverRunsSee(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.stranger("imports/logo.png")
	s.run()
	_, err := s.book().Keep(t.Context(), s.holds()[0], "ann", "it is ours", s.now)
	must(t, err)
	s.now = s.now.Add(day)
	s.run()
	list := s.list()
	list.rows = list.rows[1:] // a run that does not see it at all
	s.now = s.now.Add(day)
	list.manifest.Created = s.now
	_, err = s.deliver(list)
	must(t, err)
	if h := s.holds()[0]; h.State != hold.Kept || h.Who != "ann" {
		t.Errorf("holds: %s", s.holdStates())
	}
}

// Dying between any two writes, before or after the write was done: the next
// delivery of the same inventory ends where an undisturbed one does.
func TestCrashAnywhereIsTakenUpByTheNextDelivery(t *testing.T) {
	scene := func(t *testing.T) (*site, *taken) {
		s := newSite(t)
		s.published("u-1")
		s.stranger("imports/a.png")
		s.stranger("imports/b.png")
		s.deleted("u-2")
		_, v := s.published("u-3")
		s.store.Write(bucket, v.Key, []byte("another"), noon.Add(-20*day))
		s.remove(v)
		return s, s.list()
	}
	calm, list := scene(t)
	_, err := calm.deliver(list)
	must(t, err)
	want, writes := calm.holdStates(), calm.faults.writes
	if writes < 8 {
		t.Fatalf("a run writes %d times", writes)
	}
	for n := 1; n <= writes; n++ {
		for _, after := range []bool{false, true} {
			s, list := scene(t)
			s.faults.at, s.faults.after = n, after
			_, err := s.deliver(list)
			if err != nil && !errors.Is(err, errCrash) {
				t.Fatalf("write %d, done %v: %v", n, after, err)
			}
			s.now = s.now.Add(time.Hour) // the lease of whoever died is over
			report, err := s.deliver(list)
			if err != nil {
				t.Fatalf("write %d, done %v, again: %v", n, after, err)
			}
			r, err := s.ledger.Load(t.Context(), upload.ID{Tenant: "acme", Upload: "u-2"})
			must(t, err)
			if got := s.holdStates(); got != want || r.State != upload.StateDeleting || count(report, reconcile.Orphan) < 2 {
				t.Errorf("write %d, done %v: holds %s, u-2 %s, report %+v", n, after, got, r.State, report)
			}
			if v, err := s.book().View(t.Context(), bucket); err != nil || v.Run != report.Run {
				t.Errorf("write %d, done %v: the view is %+v, %v", n, after, v, err)
			}
		}
	}
}

// More than fit into memory at once are all dealt with, each once.
func TestManyOrphansAreAllHeld(t *testing.T) {
	s := newSite(t)
	for i := range 70 {
		s.published(fmt.Sprint("u-", i))
	}
	var all []objects.Version
	for i := range 600 {
		all = append(all, s.stranger(fmt.Sprint("imports/", i)))
	}
	report := s.run()
	expect(t, "orphans", count(report, reconcile.Orphan), 600)
	expect(t, "opened", report.Opened, 600)
	expect(t, "holds", int64(len(s.holds())), 600)
	for _, v := range all[:300] {
		s.remove(v)
	}
	s.now = s.now.Add(day)
	report = s.run()
	expect(t, "seen again", report.Again, 300)
	expect(t, "closed", report.Closed, 300)
}

var errTornManifest = errors.New("segment 3 was throttled")

// tornManifest breaks off after its entries.
type tornManifest struct{ manifest.Reader }

func (m tornManifest) Entries(ctx context.Context, part int) iter.Seq2[*manifest.Entry, error] {
	return func(yield func(*manifest.Entry, error) bool) {
		for e, err := range m.Reader.Entries(ctx, part) {
			if !yield(e, err) {
				return
			}
		}
		yield(nil, errTornManifest)
	}
}

// What the run met and could not judge may still be nobody's: its hold stays,
// and waits for a run that finds it unowned. Without Met it would be closed as
// owned, since no verdict that opens a hold was given.
func TestHoldOfWhatARunCannotJudgeStaysAndIsNotSeen(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.stranger("k")
	first := s.run()
	s.now = s.now.Add(day)
	l := s.list()
	for _, v := range l.rows {
		if v.Key == "k" {
			v.Size++
			l.rows = append(l.rows, v)
		}
	}
	report, err := s.deliver(l)
	must(t, err)
	expect(t, "conflicts", count(report, reconcile.Conflict), 1)
	holds := s.holds()
	if len(holds) != 1 || holds[0].State != hold.Open || holds[0].LastSeen.Run != first.Run || holds[0].Met.Run != report.Run {
		t.Errorf("the holds are %+v", holds)
	}
}
