package installation_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with the switch.
var racesOfTheGate = []race{
	{
		// Slots are only given while nothing is paused, and are void after ten
		// seconds. Without either, what is queued is deleted before anybody can
		// stop it.
		name:   "deleting is paused with a thousand messages queued: nothing is deleted after ten seconds",
		policy: func(p *policy.Policy) { p.MaxDeleteCount = 2_000 },
		large:  true,
		run: func(t *testing.T, w *world) {
			const messages, before = 1_000, 100
			uploads := messages
			if w.wire { // twenty messages about each: a thousand uploads take a minute to make
				uploads = 50
			}
			w.giveUp(t, uploads)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, fmt.Sprintf("published %d", uploads))
			for range messages/uploads - 1 {
				for _, r := range w.records(t) {
					w.send(t, w.Command(r))
				}
			}
			w.work(t, w.Installation, w.take(t, before))
			must(t, w.Stores.Gate.Pause(t.Context()))
			w.log.take()
			paused, done := w.Clock.Now(), len(w.recorder.deleted())
			for range (messages - before) / 100 { // all the others, while time goes by
				if left := w.work(t, w.Installation, w.take(t, 100)); left != 100 {
					t.Fatalf("%d of 100 messages are left", left)
				}
				w.Clock.Advance(time.Second)
			}
			w.wantNoDeleteAfter(t, done, paused)
			closed := 0
			for _, l := range w.log.take() {
				if l.outcome == "closed" && l.hide > 14*time.Minute && l.hide <= 15*time.Minute {
					closed++
				}
			}
			if closed != messages-before {
				t.Errorf("%d messages were hidden for a quarter of an hour, want %d", closed, messages-before)
			}
		},
	},
	{
		// The same guard for a worker that has its slots in hand: it looks at
		// their age before every call. Without that a worker that was slow
		// deletes minutes after the pause.
		name: "deleting is paused while a worker holds slots: void after ten seconds, it deletes nothing",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			batch := w.take(t, 1)
			w.script.afterWrite = on(upload.KindClaim, func() error {
				must(t, w.Stores.Gate.Pause(t.Context()))
				w.Clock.Advance(gate.SlotLife + time.Second)
				return nil
			})
			if left := w.work(t, w.Installation, batch); left != 1 {
				t.Error("the message was acknowledged")
			}
			w.wantOutcomes(t, "closed: gate is closed")
			w.wantStanding(t, s, 3)
			w.script.clear()
			must(t, w.Stores.Gate.Resume(t.Context()))
			w.work(t, w.Installation, w.again(t, batch, 20*time.Minute))
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "reclaim", "delete 3", "finish")
		},
	},
	{
		// A pass reads the gate before it publishes. Without that the queue fills
		// with what nobody may do, and all of it goes at once after the pause.
		name: "deleting is paused, or not allowed yet: a pass counts and writes nothing",
		run: func(t *testing.T, w *world) {
			s, marked := w.cancelled(t, 2), w.abandoned(t, 2)
			w.Clock.Advance(30 * time.Hour)
			must(t, w.Stores.Gate.Pause(t.Context()))
			w.wantPass(t, "skipped: paused 2")
			must(t, w.Stores.Gate.Resume(t.Context()))
			must(t, w.Stores.Gate.SetMode(t.Context(), gate.ReportOnly))
			w.wantPass(t, "skipped: report-only 2")
			w.wantEmptyQueue(t)
			w.wantState(t, s, upload.StateCancelled)
			w.wantState(t, marked, upload.StateReceiving)
		},
	},
	{
		// One gate for all workers. A rate for each would be the rate times
		// however many Lambda starts.
		name:   "two workers share the rate: together no faster than one may be",
		policy: func(p *policy.Policy) { p.DeleteRate, p.Burst = 20, 10 },
		run: func(t *testing.T, w *world) {
			for range 6 {
				w.cancelled(t, 10)
			}
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 6")
			batch, other := w.take(t, 6), w.another(t)
			began := w.Clock.Now()
			var wg sync.WaitGroup
			wg.Go(func() { w.work(t, w.Installation, batch[:3]) })
			wg.Go(func() { w.work(t, other, batch[3:]) })
			wg.Wait()
			// 60 objects at 20 a second, of which a burst of 10 may come at once.
			if took := w.Clock.Now().Sub(began); took < 2*time.Second {
				t.Errorf("60 objects went in %v", took)
			}
			w.wantOutcomes(t, times(6, "deleted: cancelled")...)
		},
	},
}

// giveUp makes uploads of one object each that are given up, unrecorded.
func (w *world) giveUp(t *testing.T, uploads int) {
	t.Helper()
	var writers errgroup.Group
	writers.SetLimit(16)
	for range uploads {
		s := w.reserve(t, chunks(1))
		writers.Go(func() error {
			w.putUnrecorded(t, s, 1)
			return s.Cancel(t.Context(), "user left the page")
		})
	}
	must(t, writers.Wait())
}

// wantNoDeleteAfter expects that so many versions were deleted, at least one,
// and none of them later than ten seconds after the pause.
func (w *world) wantNoDeleteAfter(t *testing.T, n int, paused time.Time) {
	t.Helper()
	deletes := w.recorder.deleted()
	for _, d := range deletes {
		if d.at.After(paused.Add(gate.SlotLife)) {
			t.Errorf("a version was deleted %v after the pause", d.at.Sub(paused))
		}
	}
	if len(deletes) != n || n == 0 {
		t.Errorf("%d versions were deleted, %d before the pause", len(deletes), n)
	}
}
