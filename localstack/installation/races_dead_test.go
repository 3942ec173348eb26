package installation_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with what was given up, and what an operator does about it.
var racesOfTheDead = []race{
	{
		// What a worker rejects keeps its whole body. Without that nothing can be
		// sent again, and the purge waits for the next round of passes.
		name: "a command is dead-lettered while the ledger is restored, then redriven: the purge is done",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.script.look = unknown
			w.drain(t)
			w.wantOutcomes(t, "rejected: no such upload of this tenant")
			w.wantEmptyQueue(t)
			w.script.clear()
			w.redrive(t, w.desk(), w.plan(t, w.desk(), 1))
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 3", "finish")
			w.wantStanding(t, s, 0)
			w.wantEmptyQueue(t)
			w.wantNoLetters(t)
		},
	},
	{
		// SQS gives a message up by itself, without a reason or an attribute.
		// Redriven only by what a worker writes, it would be passed over.
		name: "workers die of a command until the queue gives it up, then it is redriven: the purge is done",
		run: func(t *testing.T, w *world) {
			w.moveAfter(t, 2)
			s := w.published(t, 3)
			for range 2 {
				w.comeBack(t, w.take(t, 1)) // nobody lives to answer
			}
			w.wantNoMessage(t)
			w.wantEmptyQueue(t)
			p := w.plan(t, w.desk(), 1)
			if j := p.Redriven[0]; !j.Moved || j.Reason != "" || j.Command.ID != s.ID() {
				t.Errorf("the letter is %+v", j)
			}
			w.redrive(t, w.desk(), p)
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
			w.wantNoLetters(t)
		},
	},
	{
		// The letter is discarded last, and the worker claims by the record.
		// Discarded first, a command is lost with the operator's command; deleted
		// by the message, an upload would be deleted twice.
		name: "the operator's command dies between sending and discarding: in both, and done once",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			w.script.look = unknown
			w.drain(t)
			w.script.clear()
			dying := w.desk()
			dying.Letters = holding{dying.Letters}
			_, err := dying.Redrive(t.Context(), w.plan(t, dying, 1))
			want(t, errKilled, err)
			w.drain(t)
			w.redrive(t, w.desk(), w.plan(t, w.desk(), 1))
			w.drain(t)
			w.wantOutcomes(t, "rejected: no such upload of this tenant", "deleted: cancelled", "skipped: already deleted")
			w.wantTrail(t, s, "claim", "delete 3", "finish")
			w.wantEmptyQueue(t)
			w.wantNoLetters(t)
		},
	},
	{
		// What would only come back is left, each for its reason, and does not
		// keep the others. Redriven all the same it goes round for ever.
		name: "dead letters of all sorts are redriven: what no worker can do is left, the others go",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 2)
			w.script.look = unknown
			w.drain(t)
			w.script.clear()
			w.hands.sendRaw(t, "not JSON")
			w.hands.sendRaw(t, bodyOf(t, w, s.ID(), `"schema":1`, `"schema":2`))
			w.hands.sendRaw(t, bodyOf(t, w, s.ID(), `"tenant":"acme"`, `"tenant":"zeta"`))
			w.drain(t)
			w.log.take()
			against := []string{
				"message is not a JSON object", `schema is "2": this version knows only 1`, "no such upload of this tenant",
			}
			w.redrive(t, w.desk(), w.plan(t, w.desk(), 1, against...))
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			p := w.plan(t, w.desk(), 0, against...)
			_, err := w.desk().Discard(t.Context(), p.Left)
			must(t, err)
			w.wantNoLetters(t)
			w.wantEmptyQueue(t)
		},
	},
	{
		// Only a person lets a parked purge go on. Redriven before that, its
		// command would be dead again at once; afterwards it need not wait for a
		// pass, and one that a pass has overtaken finds nothing to do.
		name:   "attempts are used up: parked, not redriven, then retried by a person and redriven: done",
		policy: func(p *policy.Policy) { p.MaxAttempts = 3 },
		run: func(t *testing.T, w *world) {
			s, other := w.parked(t), w.parked(t)
			w.plan(t, w.desk(), 0, "the upload is parked", "the upload is parked")
			w.drain(t)
			w.wantOutcomes(t)
			w.unpark(t, s)
			w.redrive(t, w.desk(), w.plan(t, w.desk(), 1, "the upload is parked"))
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			if r := w.wantState(t, s, upload.StateDeleted); r.Attempts != 0 {
				t.Errorf("%d attempts", r.Attempts)
			}
			w.unpark(t, other)
			w.Clock.Advance(w.Policy.SafetyMargin + time.Minute)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.redrive(t, w.desk(), w.plan(t, w.desk(), 1))
			w.drain(t)
			w.wantOutcomes(t, "deleted: claim over", "skipped: already deleted")
			w.wantStanding(t, s, 0)
			w.wantStanding(t, other, 0)
			w.wantNoLetters(t)
		},
	},
	{
		// A pass looks at the queue's depth before each batch. Without that a
		// queue whose workers have stopped fills for days, and all of it has
		// grown old when they come back.
		name:   "the queue is above its high-water: the pass stops early, says so, and a later one goes on",
		policy: func(p *policy.Policy) { p.QueueHighWater, p.MaxDeleteCount = 50, 2_000 },
		run: func(t *testing.T, w *world) {
			const uploads, first = 110, 100 // a pass publishes so many between two looks
			w.shard = 3
			w.giveUp(t, uploads)
			w.Clock.Advance(afterDeadline)
			skipped := fmt.Sprintf("skipped: %s %d", cleanup.SkipHighWater, uploads-first)
			report := w.wantPass(t, fmt.Sprintf("published %d", first), skipped)
			if report.State != cleanup.RunDone || !slices.Contains(report.Notes, cleanup.SkipHighWater) {
				t.Errorf("the run is %s: %s, and notes %q", report.State, report.Reason, report.Notes)
			}
			w.wantPass(t, skipped) // nobody has worked
			w.drain(t)
			w.wantPass(t, fmt.Sprintf("published %d", uploads-first))
			w.drain(t)
			w.wantOutcomes(t, times(uploads, "deleted: cancelled")...)
			w.wantEmptyQueue(t)
		},
	},
}
