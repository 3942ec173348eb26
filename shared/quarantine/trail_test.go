package quarantine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
)

// trailed gives the desk an audit trail and returns what is written to it.
func (w *world) trailed() *[]string {
	lines := &[]string{}
	w.desk.Audit = func(_ context.Context, l audit.Line) {
		if l.At != w.now || l.Hold != w.hold.ID() || l.Bucket != bucket || strings.Contains(fmt.Sprint(l), key) {
			w.t.Errorf("the line is not whole, or has a key: %+v", l)
		}
		*lines = append(*lines, strings.TrimSpace(fmt.Sprintf("%s %s (%s): %s → %s %s", l.Who, l.What, l.Why, l.Before, l.After, l.Outcome)))
	}
	return lines
}

func (w *world) wantLines(got *[]string, want ...string) {
	w.t.Helper()
	if g, w2 := strings.Join(*got, "\n"), strings.Join(want, "\n"); g != w2 {
		w.t.Errorf("the trail is\n%s\nwant\n%s", g, w2)
	}
	*got = nil
}

func TestWhatAPersonDecidesAboutAHoldIsInTheTrail(t *testing.T) {
	w := newWorld(t)
	lines := w.trailed()
	for range 2 { // the second time nothing changes
		_, err := w.desk.Keep(t.Context(), w.get(), "bob", "it is the logo")
		must(t, err)
	}
	w.wantLines(lines, "bob hold-kept (it is the logo): open → kept")
	_, err := w.approve()
	must(t, err)
	w.wantLines(lines, "ann hold-approved (approved): kept → approved", "ann adopt (adopted): none → cancelled")
	w.now = w.now.Add(time.Hour)
	_, err = w.approve() // again: nothing is left to do
	must(t, err)
	w.wantLines(lines)
	_, err = w.restore()
	must(t, err)
	w.wantLines(lines, "ann withdraw (restored): cancelled → deleted", "ann hold-restored (restored): approved → kept")
}

// A decision that broke off has the lines of what was done, and the rest when it
// is given again.
func TestABrokenApprovalHasTheLinesOfWhatWasDone(t *testing.T) {
	w := newWorld(t)
	lines := w.trailed()
	w.faults.at = w.faults.writes + 2 // the record's write does not come to be
	if _, err := w.approve(); err == nil {
		t.Fatal("it did not break")
	}
	w.wantLines(lines, "ann hold-approved (approved): open → approved")
	w.faults.at = 0
	_, err := w.approve()
	must(t, err)
	w.wantLines(lines, "ann adopt (adopted): none → cancelled")
}
