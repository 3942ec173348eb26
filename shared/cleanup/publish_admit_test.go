package cleanup

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
)

// One large upload among small ones has the whole plan counted at the first look.
// Were it not counted anew at every later one, a pass would publish for minutes
// what counts as of its beginning, and a day's limit would be over before the day
// is.
func TestWhatALookAdmitsIsCountedAsOfThatLook(t *testing.T) {
	s := newPassScene(t)
	s.pass.Policy.MaxPerPass = 4_000 * ledger.Shards
	s.pass.AtOnce = 1
	s.cancelled(0, 8_000)
	s.condemnable(0, 3_899)
	sent := time.Time{}
	s.pass.Queue = &slowQueue{Publisher: s.queue, took: func() { sent = s.now; s.later(time.Second) }}
	first := s.run()
	s.wantState(first, RunDone)
	s.later(judgedSpan - s.now.Sub(sent))
	recent, err := s.pass.published(t.Context(), "another run", s.now)
	s.must(err)
	if got, want := recent[passBucket], first.Tally.Published.Objects; got != want || want != 11_899 {
		t.Errorf("%d count a day after the last was published, want all %d", got, want)
	}
}
