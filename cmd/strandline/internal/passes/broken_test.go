package passes

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
)

// A process that was killed in the middle of a pass leaves "running", and one in
// the middle of an approval "approved". A person who reads only that waits for
// what never comes.
func TestARunThatWasKilledIsNotShownAsRunningForEver(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, r := range map[string]cleanup.Report{
		"a pass":      {State: cleanup.RunRunning, Started: now},
		"an approval": {State: cleanup.RunApproved, Started: now.Add(-time.Hour), Finished: now.Add(-time.Hour), Approval: &cleanup.Approval{By: "ann", At: now}},
	} {
		if got := brokenOff(r, now.Add(18*time.Minute)); got != "" {
			t.Errorf("%s within its lease: %s", name, got)
		}
		if got := brokenOff(r, now.Add(19*time.Minute)); !strings.HasPrefix(got, "killed") {
			t.Errorf("%s after its lease: %q", name, got)
		}
	}
	done := cleanup.Report{State: cleanup.RunApproved, Started: now, Finished: now.Add(time.Second), Approval: &cleanup.Approval{At: now}}
	if got := brokenOff(done, now.Add(time.Hour)); got != "" {
		t.Errorf("an approval that has ended: %s", got)
	}
}
