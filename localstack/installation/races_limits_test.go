package installation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with the limit of what may go in a day without a person.
var racesOfLimits = []race{
	{
		// A count stands beside the percentage. Without it a new installation of
		// a few uploads is stopped by arithmetic, day after day.
		name: "most of a small installation is to go: not stopped",
		run: func(t *testing.T, w *world) {
			kept := w.completed(t, 2, 0)
			for range 6 {
				w.cancelled(t, 4)
			}
			w.Clock.Advance(afterDeadline)
			report := w.wantPass(t, "published 6")
			if b := report.Buckets[0]; b.Planned != 24 || b.Census != 26 || b.Limit != 100 {
				t.Errorf("judged as %s", b)
			}
			w.drain(t)
			w.wantOutcomes(t, times(6, "deleted: cancelled")...)
			w.wantStanding(t, kept, 2)
		},
	},
	{
		// The percentage is of the census, and what the last day took counts.
		// Without it a mistake in the application empties a huge bucket at once.
		name: "more than five in a hundred of a huge installation are to go: five do, then it stops and asks",
		run: func(t *testing.T, w *world) {
			live := make([]*intake.Session, 5)
			for i := range live { // declared is what may stand: 10,000 objects each
				live[i] = w.reserve(t, chunks(10_000), hold(60*day))
			}
			w.givenUp(t, 2_400) // of 52,400: less than five in a hundred
			w.Clock.Advance(afterDeadline)
			report := w.wantPass(t, "published 1")
			if b := report.Buckets[0]; b.Planned != 2_400 || b.Limit != 2_620 {
				t.Errorf("judged as %s", b)
			}
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			next := w.givenUp(t, 250)
			w.Clock.Advance(afterDeadline)
			report = w.wantPass(t, "skipped: over the limit 1")
			if b := report.Buckets[0]; report.State != cleanup.RunPaused || b.Planned != 250 || b.Recent != 2_400 {
				t.Errorf("the run is %s, judged as %s", report.State, b)
			}
			w.wantState(t, next, upload.StateCancelled)
			w.Clock.Advance(day) // yesterday's do not count any more
			w.wantPass(t, "published 1")
			for _, s := range live {
				must(t, s.Cancel(t.Context(), "the story is over"))
			}
		},
	},
	{
		// An approval is of one run and one digest, and used once. Without that
		// one click of a person lets every later plan go.
		name:   "an approval is used twice: the plan is executed once",
		policy: func(p *policy.Policy) { p.MaxDeleteCount = 3 },
		run: func(t *testing.T, w *world) {
			paused, uploads := w.overLimit(t)
			changed := uploads[0]
			must(t, w.app.AddReference(t.Context(), changed.ID(), upload.Reference{Source: "pages", Entity: "1"}, 0))
			approved, err := w.Approve(t.Context(), paused)
			must(t, err)
			wantTally(t, approved, "published 3", "skipped: lost condition 1")
			_, err = w.Approve(t.Context(), paused)
			want(t, upload.ErrRefused, err)
			w.drain(t)
			w.wantOutcomes(t, times(3, "deleted: cancelled")...)
			w.wantState(t, changed, upload.StateComplete)
		},
	},
	{
		// An approval is of what a person saw, within a day, and of that digest.
		// Without the date an old plan is let go by somebody who saw another.
		name:   "a plan is approved after a day, or by another digest: refused, nothing is published",
		policy: func(p *policy.Policy) { p.MaxDeleteCount = 3 },
		run: func(t *testing.T, w *world) {
			paused, uploads := w.overLimit(t)
			other := paused
			other.Digest = fmt.Sprintf("%064d", 0)
			_, err := w.Approve(t.Context(), other)
			want(t, upload.ErrRefused, err)
			w.Clock.Advance(day + time.Minute)
			_, err = w.Approve(t.Context(), paused)
			want(t, upload.ErrRefused, err)
			w.wantEmptyQueue(t)
			for _, s := range uploads {
				w.wantState(t, s, upload.StateCancelled)
				w.wantStanding(t, s, 2)
			}
		},
	},
	{
		// A census that is too old is a percentage of nobody knows what. Without
		// the check a census of last year lets anything through.
		name: "the census is older than a day and two hours: nothing is published, marks are made",
		run: func(t *testing.T, w *world) {
			s, condemned := w.abandoned(t, 2), w.cancelled(t, 2)
			must(t, w.Census(t.Context()))
			w.Clock.Advance(30 * time.Hour)
			report, err := w.Pass(t.Context())
			must(t, err)
			wantTally(t, report, "marked 1", "skipped: no fresh census 1")
			w.wantEmptyQueue(t)
			w.wantState(t, s, upload.StateExpired)
			w.wantState(t, condemned, upload.StateCancelled)
		},
	},
}

// givenUp is a cancelled upload of so many declared keys, none of which was put.
func (w *world) givenUp(t *testing.T, declared int) *intake.Session {
	t.Helper()
	s := w.reserve(t, chunks(declared))
	must(t, s.Cancel(t.Context(), "user left the page"))
	return s
}

// overLimit is four released uploads of two objects, and the run that their
// purge has paused.
func (w *world) overLimit(t *testing.T) (cleanup.Report, []*intake.Session) {
	t.Helper()
	uploads := make([]*intake.Session, 4)
	for i := range uploads {
		uploads[i] = w.completed(t, 2, 0)
		must(t, w.app.Release(t.Context(), uploads[i].ID(), owner, "row deleted"))
	}
	w.Clock.Advance(afterDeadline)
	report := w.wantPass(t, "skipped: over the limit 4")
	if report.State != cleanup.RunPaused {
		t.Fatalf("the run is %s", report.State)
	}
	w.wantEmptyQueue(t)
	return report, uploads
}
