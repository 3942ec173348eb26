package installation_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races of the scheduler with its stores, its clock and its schedule.
var racesOfPasses = []race{
	{
		// An empty ledger is an ordinary run: nothing is due, nothing is wrong.
		name: "the ledger is empty: a pass of nothing, done",
		run: func(t *testing.T, w *world) {
			if report := w.wantPass(t); report.State != cleanup.RunDone || len(report.Buckets) != 0 {
				t.Errorf("the run is %s: %s, %v", report.State, report.Reason, report.Buckets)
			}
			w.drain(t)
			w.wantOutcomes(t)
			w.wantEmptyQueue(t)
		},
	},
	{
		// The cursor moves past what the queue has accepted and no further.
		// Without that the two are forgotten until the next round, hours later.
		name: "the queue accepts eight of ten: the other two are published by the next pass, and only they",
		run: func(t *testing.T, w *world) {
			w.shard = 3 // one batch
			for range 10 {
				w.cancelled(t, 1)
			}
			w.Clock.Advance(afterDeadline)
			w.script.send = func(do sender, commands []upload.Command) ([]bool, error) {
				if len(commands) != 10 {
					t.Errorf("%d commands are sent at once", len(commands))
				}
				accepted, err := do(commands[:8])
				return append(accepted, false, false), errors.Join(err, upload.ErrThrottled)
			}
			w.wantPass(t, "published 8", "skipped: queue refused 2")
			w.script.clear()
			w.Clock.Advance(15 * time.Minute)
			w.wantPass(t, "published 2")
			w.drain(t)
			w.wantOutcomes(t, times(10, "deleted: cancelled")...)
		},
	},
	{
		// The index points, the record decides. Without the check a pass judges
		// what is long alive again, and counts what does not exist.
		name: "the index shows what is not due any more, and what is not there: skipped, both",
		run: func(t *testing.T, w *world) {
			s := w.completed(t, 2, 0)
			stale := ledger.Due{ID: s.ID(), At: w.Clock.Now()}
			absent := ledger.Due{ID: upload.ID{Tenant: tenant, Upload: "u-0"}, At: w.Clock.Now()}
			w.Clock.Advance(time.Hour)
			w.script.due = func(shard, call int, do pager, limit int) (ledger.Page, error) {
				page, err := do(limit)
				for _, entry := range []ledger.Due{stale, absent} {
					if call == 1 && ledger.Shard(entry.ID) == shard {
						page.Entries = append(page.Entries, entry)
					}
				}
				return page, err
			}
			w.wantPass(t, "skipped: index stale 2")
			w.drain(t)
			w.wantOutcomes(t)
			w.wantState(t, s, upload.StateComplete)
		},
	},
	{
		// A look-up that fails ends the run before anything is written. Without
		// that the pages read so far are executed, judged against half a plan.
		name: "the second page of the index cannot be read: nothing is done, the retried trigger does it all",
		run: func(t *testing.T, w *world) {
			w.shard = 5
			marked, condemned := w.abandoned(t, 2), w.cancelled(t, 2)
			w.Clock.Advance(30 * time.Hour)
			must(t, w.Census(t.Context()))
			fired := w.Clock.Now()
			w.script.due = func(_, call int, do pager, _ int) (ledger.Page, error) {
				if call > 1 {
					return ledger.Page{}, upload.ErrThrottled
				}
				return do(1)
			}
			if _, err := w.PassAt(t.Context(), fired); !errors.Is(err, upload.ErrThrottled) {
				t.Errorf("the pass ended with %v", err)
			}
			w.wantState(t, marked, upload.StateReceiving)
			w.wantEmptyQueue(t)
			w.script.clear()
			report, err := w.PassAt(t.Context(), fired)
			must(t, err)
			wantTally(t, report, "marked 1", "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantState(t, condemned, upload.StateDeleted)
		},
	},
	{
		// The cutoff comes from the clock, never from the schedule. Judged by its
		// fire time, a schedule that slept would find what was due then and
		// forget the rest.
		name: "the schedule sleeps for five days: the next pass finds all that has become due",
		run: func(t *testing.T, w *world) {
			abandoned, given := w.abandoned(t, 2), w.cancelled(t, 2)
			overdue := w.reserve(t, chunks(1))
			w.put(t, overdue, 1)
			kept := w.completed(t, 2, 0)
			missed := w.Clock.Now()
			w.Clock.Advance(5 * day)
			must(t, w.Census(t.Context()))
			report, err := w.PassAt(t.Context(), missed) // the trigger of five days ago, delivered now
			must(t, err)
			wantTally(t, report, "marked 1", "published 1", "repaired 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantState(t, abandoned, upload.StateExpired) // five days late, and a second grace all the same
			w.wantState(t, given, upload.StateDeleted)
			w.Clock.Advance(25 * time.Hour)
			w.wantPass(t, "published 2")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled", "deleted: expired")
			w.wantStanding(t, kept, 2)
		},
	},
	{
		// The own clock is compared with the store's. Without that a clock that
		// is ahead condemns what was promised more time.
		name: "the scheduler's clock is ten minutes off: it refuses, and goes on with the same trigger when it is right",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			must(t, w.Census(t.Context()))
			fired := w.Clock.Now()
			for _, off := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
				w.script.read = func(state *gate.State) { state.ServerTime = state.ServerTime.Add(off) }
				report, err := w.PassAt(t.Context(), fired)
				if !errors.Is(err, upload.ErrRefused) || report.State != cleanup.RunRefused {
					t.Errorf("off by %v: the run is %q, %v", off, report.State, err)
				}
			}
			w.wantEmptyQueue(t)
			w.script.clear()
			report, err := w.PassAt(t.Context(), fired)
			must(t, err)
			wantTally(t, report, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// Activity that cannot be yet stops the run, marks too. Without that a
		// client whose clock is ahead is dead to us as soon as it comes back.
		name: "an upload shows activity in the future: the run stops, nothing is done",
		run: func(t *testing.T, w *world) {
			s, other := w.abandoned(t, 2), w.cancelled(t, 2)
			w.Clock.Advance(30 * time.Hour)
			record := w.load(t, s.ID())
			change, err := upload.Step(w.Policy, record, upload.Heartbeat{Fence: record.Fence}, w.Clock.Now().Add(2*day))
			must(t, err)
			must(t, w.recorder.over(w.Stores).Ledger.Commit(t.Context(), change))
			if report := w.pass(t); report.State != cleanup.RunStopped {
				t.Errorf("the run is %s", report.State)
			}
			w.wantEmptyQueue(t)
			w.wantState(t, other, upload.StateCancelled)
			w.Clock.Advance(2 * day) // it was only early
		},
	},
	{
		// A run is named by its schedule and fire time, and has ended once.
		// Without that every retry of a trigger publishes everything again.
		name: "a trigger comes three times: one run, published once",
		run: func(t *testing.T, w *world) {
			w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			must(t, w.Census(t.Context()))
			fired := w.Clock.Now()
			for range 3 {
				report, err := w.PassAt(t.Context(), fired)
				must(t, err)
				wantTally(t, report, "published 1")
				w.Clock.Advance(time.Minute)
			}
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
		},
	},
	{
		// What was published and lost is published again, after RepublishAfter.
		// Without rounds a message that SQS lost leaves its upload for ever.
		name: "a message is lost: not published again at once, but after six hours",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			must(t, w.Stores.Queue.Acknowledge(t.Context(), w.take(t, 1)[0].Receipt))
			w.Clock.Advance(time.Hour)
			w.wantPass(t)
			w.Clock.Advance(6 * time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
		},
	},
}

func times(n int, what string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = what
	}
	return all
}
