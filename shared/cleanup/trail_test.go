package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// trailed gives the worker an audit trail and returns what is written to it: who
// decided what and why, and from where to where.
func (w *purgeWorld) trailed() *[]string {
	var lines []string
	w.worker.Concurrency = 1
	w.worker.Audit = func(_ context.Context, l audit.Line) {
		if l.At != w.clock.now() || l.Schema != audit.Schema || l.Run == "" || l.Operation == "" || l.Tenant != "acme" {
			w.t.Errorf("the line is not whole: %+v", l)
		}
		text := fmt.Sprintf("%s %s %s (%s) attempt %d: %s → %s", l.Who, l.What, l.Upload, l.Why, l.Attempt, l.Before, l.After)
		lines = append(lines, strings.TrimSpace(text+" "+l.Outcome))
	}
	return &lines
}

func wantLines(t *testing.T, got *[]string, want ...string) {
	t.Helper()
	if g, w := strings.Join(*got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("the trail is\n%s\nwant\n%s", g, w)
	}
}

func TestEveryDecisionOfAPurgeHasItsLine(t *testing.T) {
	w := newPurgeWorld(t)
	lines := w.trailed()
	w.store.deleting = func(call int, v []upload.Condemned) []objects.Result {
		if call == 1 {
			return everyResult(v, objects.Denied, "AccessDenied")
		}
		return nil
	}
	r := w.cancelled("u1", 2, 2)
	w.one(r)
	w.clock.advance(cleanup.Backoff(1))
	w.purge()
	w.wantState(r.ID, upload.StateDeleted)
	wantLines(t, lines,
		"worker-1 claim u1 (due) attempt 0: cancelled → deleting",
		"worker-1 retry u1 (delete: access denied (AccessDenied)) attempt 1: deleting → deleting",
		"worker-1 reclaim u1 (due) attempt 1: deleting → deleting",
		"worker-1 finish u1 (due) attempt 1: deleting → deleted",
	)
}

// Without the look at the record, what was done and not answered for is missing
// from the trail: just what somebody will look for there.
func TestADecisionWhoseAnswerWasLostHasOneLine(t *testing.T) {
	for _, lost := range []error{upload.ErrUnclear, upload.ErrChanged} {
		for _, event := range []upload.Kind{upload.KindClaim, upload.KindFinish} {
			w := newPurgeWorld(t)
			lines := w.trailed()
			w.records.after = func(c upload.Change) error {
				if c.Event == event {
					return lost
				}
				return nil
			}
			w.one(w.cancelled("u1", 1, 1))
			wantLines(t, lines,
				"worker-1 claim u1 (due) attempt 0: cancelled → deleting",
				"worker-1 finish u1 (due) attempt 0: deleting → deleted",
			)
		}
	}
}

// A write that was not done must not look as if it had been.
func TestADecisionThatWasNotWrittenHasNoLine(t *testing.T) {
	for what, err := range map[string]error{
		"denied": upload.ErrDenied, "throttled": upload.ErrThrottled, "lost before it was done": upload.ErrUnclear,
	} {
		w := newPurgeWorld(t)
		lines := w.trailed()
		w.records.before = func(upload.Change) error { return err }
		w.one(w.cancelled("u1", 1, 1))
		if len(*lines) > 0 {
			t.Errorf("%s: the trail has %q", what, *lines)
		}
	}
}

func TestADecisionThatNobodyCanLookUpIsUnclear(t *testing.T) {
	w := newPurgeWorld(t)
	lines := w.trailed()
	r := w.cancelled("u1", 1, 1)
	w.records.after = func(upload.Change) error {
		w.records.single = func() error { return errors.New("no answer") }
		return upload.ErrUnclear
	}
	w.one(r)
	wantLines(t, lines, "worker-1 claim u1 (due) attempt 0: cancelled → deleting unclear")
}

// Another worker's claim is its own decision.
func TestAClaimThatAnotherWorkerWonHasNoLineOfTheLoser(t *testing.T) {
	w := newPurgeWorld(t)
	lines := w.trailed()
	r := w.cancelled("u1", 1, 1)
	w.records.before = func(c upload.Change) error {
		w.records.before = nil
		w.apply(r.ID, upload.Claim{Version: r.Version, Cutoff: w.cutoff(), Worker: "another", Token: "another's"})
		return upload.ErrChanged
	}
	w.wantOutcome(w.one(r), cleanup.KindWaiting, "")
	wantLines(t, lines)
}

// What a row that was found makes of a release is a decision too. Applications
// write the same events without a line, so that nothing else would miss these.
func TestWhatARowKeepsHasItsLine(t *testing.T) {
	w := newPurgeWorld(t)
	lines := w.trailed()
	w.worker.Uses = &rows{use: orderRow}
	w.one(w.adopted("release-1", w.oldObject("photos/17.jpg")))
	w.one(w.published("u-1"))
	wantLines(t, lines,
		"worker-1 withdraw release-1 (a row of orders refers to it) attempt 0: cancelled → deleted",
		"worker-1 add-reference u-1 (a row of orders refers to it) attempt 0: cancelled → complete",
	)
}
