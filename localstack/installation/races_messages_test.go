package installation_test

import (
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with messages that no pass has sent, or not so.
var racesOfMessages = []race{
	{
		// The record is looked up by tenant and upload, and must be that one.
		// Without the check a message of one tenant deletes another's objects.
		name: "a command names another tenant: dead-lettered, nothing is deleted",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			foreign := w.Command(w.load(t, s.ID()))
			foreign.ID.Tenant = "zeta"
			w.send(t, foreign)
			w.drain(t)
			w.wantOutcomes(t, "rejected: no such upload of this tenant")
			wantSame(t, "dead letters", w.hands.letters(t), []string{"no such upload of this tenant"})
			w.wantEmptyQueue(t)
			w.wantStanding(t, s, 2)
		},
	},
	{
		// The codec takes the schema that it knows. Without the check a field
		// that a later version means otherwise is read as this one's.
		name: "a command is of an unknown schema: dead-lettered, nothing is deleted",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			w.hands.sendRaw(t, bodyOf(t, w, s.ID(), `"schema":1`, `"schema":2`))
			w.drain(t)
			reason := w.log.take()[0]
			if reason.outcome != "rejected" || !strings.Contains(reason.reason, "schema") {
				t.Errorf("the worker says %s", reason)
			}
			wantSame(t, "dead letters", w.hands.letters(t), []string{reason.reason})
			w.wantEmptyQueue(t)
			w.wantStanding(t, s, 2)
		},
	},
	{
		// Each message has an outcome of its own. Without that one that cannot be
		// read keeps its whole batch coming back, until all are dead letters.
		name: "poison messages are in the batch: dead-lettered, each with its reason, the others go",
		run: func(t *testing.T, w *world) {
			first, second := w.cancelled(t, 2), w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 2")
			poison := []string{
				"not JSON", `{}`, `[]`, `{"schema":1}`, strings.Repeat("x", command.MaxBody+1),
				bodyOf(t, w, first.ID(), `"operation":"claim"`, `"operation":"drop-all"`),
				bodyOf(t, w, first.ID(), `"version":`, `"version":-`),
				bodyOf(t, w, first.ID(), `"reason":`, `"key":"in/acme/u-1/1/1","reason":`),
			}
			for _, body := range poison {
				w.hands.sendRaw(t, body)
			}
			if left := w.work(t, w.Installation, w.take(t, len(poison)+2)); left != 0 {
				t.Errorf("%d messages are left", left)
			}
			rejected := 0
			for _, l := range w.log.take() {
				if l.outcome == "rejected" {
					rejected++
				}
			}
			letters := w.hands.letters(t)
			if rejected != len(poison) || len(letters) != len(poison) {
				t.Errorf("%d rejected, %d dead letters: %q", rejected, len(letters), letters)
			}
			w.wantState(t, first, upload.StateDeleted)
			w.wantState(t, second, upload.StateDeleted)
			w.wantEmptyQueue(t)
		},
	},
	{
		// A command's cutoff is never believed beyond the worker's own margin.
		// Without that a message from a clock that is ahead condemns early.
		name: "a command's cutoff lies in the future: rejected; within the margin: it waits",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 2)
			w.Clock.Advance(afterDeadline)
			early := w.Command(w.load(t, s.ID()))
			early.Cutoff = w.Clock.Now()
			future := early
			future.Cutoff = w.Clock.Now().Add(day)
			w.send(t, early, future)
			w.drain(t)
			w.wantOutcomes(t, "waiting: cutoff within the safety margin", "rejected: cutoff lies in the future")
			w.wantState(t, s, upload.StateCancelled)
		},
	},
}

// bodyOf is a command about the upload, with one thing in it replaced.
func bodyOf(t *testing.T, w *world, id upload.ID, old, replacement string) string {
	t.Helper()
	body, err := command.Encode(w.Command(w.load(t, id)))
	must(t, err)
	changed := strings.Replace(string(body), old, replacement, 1)
	if changed == string(body) {
		t.Fatalf("%s is not in %s", old, body)
	}
	return changed
}
