package cleanup

import (
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestPassTakesAnEqualShareOfEachShardAndGoesOn(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.MaxPerPass = 5 * ledger.Shards
	full := s.condemnable(0, 12)
	for shard := 1; shard < ledger.Shards; shard++ {
		s.condemnable(shard, 5)
	}
	seen := map[upload.ID]int{}
	for pass, want := range []struct {
		uploads int64
		more    bool
	}{{5 * ledger.Shards, true}, {5, true}, {2, false}} {
		r := s.run()
		s.wantState(r, RunDone)
		if r.Tally.Candidates.Uploads != want.uploads || r.More != want.more {
			t.Errorf("pass %d: %d candidates, more %v", pass+1, r.Tally.Candidates.Uploads, r.More)
		}
		for id, n := range s.sentIDs() {
			seen[id] += n
		}
		s.later(15 * time.Minute)
	}
	for _, id := range full {
		if seen[id] != 1 {
			t.Errorf("upload %s was published %d times", id, seen[id])
		}
	}
}

func TestSmallestPassStillMovesEveryShard(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.MaxPerPass = 1
	for shard := range ledger.Shards {
		s.condemnable(shard, 2)
	}
	s.run()
	s.later(15 * time.Minute)
	s.run()
	if got := s.sentIDs(); len(got) != 2*ledger.Shards {
		t.Errorf("two passes published %d of %d", len(got), 2*ledger.Shards)
	}
}

// Without the wait a queue that nobody empties grows with every pass; without
// the round a lost message is never made good.
func TestWhatIsLeftBehindIsPublishedAgainOnlyAfterRepublishAfter(t *testing.T) {
	s := newPassScene(t)
	ids := s.condemnable(0, 3)
	last := map[upload.ID]time.Time{}
	again := 0
	begin := s.now
	var late upload.ID
	for s.now.Sub(begin) < 24*time.Hour {
		if s.now.Sub(begin) == 5*time.Hour+15*time.Minute {
			late = s.cancelled(0, 1) // published just before the first round begins
			ids = append(ids, late)
		}
		s.census(nil)
		s.wantState(s.run(), RunDone)
		for id := range s.sentIDs() {
			if before, ok := last[id]; ok {
				again++
				if age := s.now.Sub(before); age < s.pass.Policy.RepublishAfter || age > 2*s.pass.Policy.RepublishAfter+time.Hour {
					t.Errorf("upload %s was published again after %v", id, age)
				}
			}
			last[id] = s.now
		}
		s.later(15 * time.Minute)
	}
	if len(last) != len(ids) || again < 2*len(ids) {
		t.Errorf("%d of %d published, %d times again", len(last), len(ids), again)
	}
}

func TestRoundAndNewEntriesShareAPass(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.MaxPerPass = 4 * ledger.Shards
	old := s.condemnable(0, 8)
	s.run()
	s.later(time.Minute)
	s.run()
	s.sent()
	s.later(s.pass.Policy.RepublishAfter) // nobody worked: all eight stand
	fresh := s.condemnable(0, 4)
	got := map[upload.ID]int{}
	for range 4 {
		s.census(nil)
		r := s.run()
		if n := r.Tally.Candidates.Uploads; n > 4 {
			t.Errorf("a share of 4 gave %d candidates", n)
		}
		for id, n := range s.sentIDs() {
			got[id] += n
		}
		s.later(time.Minute)
	}
	// The round goes to just before where the cursor stood after the first pass.
	for _, id := range append(old[:3:3], fresh...) {
		if got[id] != 1 {
			t.Errorf("upload %s was published %d times", id, got[id])
		}
	}
}

func TestCrashBeforeTheCursorIsSavedPublishesAgain(t *testing.T) {
	s := newPassScene(t)
	ids := s.condemnable(0, 3)
	s.pass.Documents = &faultyDocuments{Documents: s.store, beforePut: func(d ledger.Document) error {
		return errorAt(len(d.Collection), len(cursors), upload.ErrThrottled)
	}}
	if _, err := s.pass.Run(t.Context(), s.trigger()); err == nil {
		t.Fatal("the run did not fail")
	}
	first := s.sentIDs()
	s.pass.Documents = s.store
	s.later(15 * time.Minute)
	s.run()
	second := s.sentIDs()
	for _, id := range ids {
		if first[id] != 1 || second[id] != 1 {
			t.Errorf("upload %s was published %d and %d times", id, first[id], second[id])
		}
	}
}

func TestCursorThatCannotBeReadFailsTheRun(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 3)
	s.must(s.store.Put(t.Context(), ledger.Document{Collection: cursors, ID: cursorID(9), Data: []byte("{")}))
	r, err := s.pass.Run(t.Context(), s.trigger())
	if err == nil || r.State != RunFailed || len(s.sent()) != 0 {
		t.Errorf("got %v, run %q", err, r.State)
	}
}

// Without the guard a shard whose very first pass moved nothing never gets a
// round: a message lost there would be lost for good.
func TestShardWhoseFirstPassMovedNothingStillGetsItsRounds(t *testing.T) {
	s := newPassScene(t)
	ids := s.condemnable(0, 1)
	s.pass.Queue = &refusingQueue{Queue: s.queue, accept: func(int, upload.Command) bool { return false }}
	if _, err := s.pass.Run(t.Context(), s.trigger()); err == nil {
		t.Fatal("the run did not fail")
	}
	s.pass.Queue = s.queue
	published := 0
	for range 14 {
		s.later(time.Hour)
		s.census(nil)
		s.wantState(s.run(), RunDone)
		published += s.sentIDs()[ids[0]]
	}
	if published < 2 {
		t.Errorf("published %d times in 14 hours, and no worker took it", published)
	}
}

// Two passes may be at work where a lease ended early. Without the look at the
// revision the slower one moves the cursor back, or past what the other read.
func TestACursorThatAnotherPassHasMovedIsLeftWhereItIs(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(0, 2*batchSize+1)
	other := cursor{Passed: s.now.Add(-time.Hour)}
	s.pass.Queue = &refusingQueue{Queue: s.queue, accept: func(int, upload.Command) bool {
		if other.revision == 0 {
			s.must(s.pass.saveCursor(t.Context(), 0, &other))
		}
		return true
	}}
	r := s.run()
	s.wantState(r, RunDone)
	got, err := s.pass.readCursor(t.Context(), 0)
	s.must(err)
	if got != other || !slices.Contains(r.Notes, "a cursor was moved by another pass") {
		t.Errorf("the cursor is %+v, want %+v; notes %q", got, other, r.Notes)
	}
}
