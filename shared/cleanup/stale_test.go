package cleanup

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Without the guard deletions are judged by a count of long ago, or by none.
func TestWithoutFreshCensusNothingIsPublishedButTheRestIsDone(t *testing.T) {
	for name, age := range map[string]time.Duration{
		"older than the maximum": 26*time.Hour + time.Minute,
		"in the future":          -time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			ids := s.everything()
			s.now = s.now.Add(-age)
			s.census(map[string]int64{passBucket: 1_000_000})
			s.now = s.now.Add(age)
			r := s.run()
			s.wantState(r, RunDone)
			if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "census") {
				t.Errorf("notes are %q", r.Notes)
			}
			if r.Tally.Marked.Uploads != 1 || r.Tally.Repaired.Uploads != 1 || r.Tally.Skipped[SkipNoCensus].Uploads != 3 {
				t.Errorf("tally:\n%s", r.Tally)
			}
			if n := len(s.sent()); n != 0 {
				t.Errorf("%d commands published", n)
			}
			// What was held back is found again, since no cursor passed it.
			s.census(map[string]int64{passBucket: 1_000_000})
			s.later(time.Minute)
			s.wantState(s.run(), RunDone)
			if got := s.sentIDs(); len(got) != 3 || got[ids["given up"]] != 1 {
				t.Errorf("published with a fresh census: %v", got)
			}
		})
	}
}

// Without the guard a cursor passes purges that were held back, because later
// candidates were dealt with.
func TestCursorStaysBeforeTheFirstPurgeThatWasHeldBack(t *testing.T) {
	s := newPassScene(t)
	held := s.condemnable(0, 1)
	for range 2 * batchSize {
		s.do(s.reserved(0, 1), upload.BeginAssembly{Fence: 1})
	}
	s.later(27 * time.Hour)
	r := s.run()
	s.wantState(r, RunDone)
	if r.Tally.Stuck.Uploads != 2*batchSize || r.Tally.Skipped[SkipNoCensus].Uploads != 1 {
		t.Errorf("tally:\n%s", r.Tally)
	}
	s.census(nil)
	s.later(time.Minute)
	s.run()
	if got := s.sentIDs(); got[held[0]] != 1 {
		t.Errorf("published with a fresh census: %v", got)
	}
}

func TestInstallationThatWasNeverCountedPublishesNothing(t *testing.T) {
	s := newEmptyScene(t)
	s.condemnable(0, 2)
	r := s.run()
	s.wantState(r, RunDone)
	if r.Tally.Skipped[SkipNoCensus].Uploads != 2 || len(s.sent()) != 0 {
		t.Errorf("tally:\n%s", r.Tally)
	}
}
