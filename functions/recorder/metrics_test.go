package recorder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

func TestABatchInNumbers(t *testing.T) {
	tally := confirm.Tally{Recorded: 7, Completed: 3, Cancelled: 2, Failed: 1, Skipped: map[string]int{confirm.SkipGone: 4, "unheard of": 5}}
	want := telemetry.Values{
		Plain: map[telemetry.Name]float64{
			telemetry.Recorded: 7, telemetry.Confirmed: 3, telemetry.Mismatched: 2, telemetry.FailedEvents: 1,
		},
		ByReason: map[telemetry.Name]map[telemetry.Reason]float64{telemetry.SkippedEvents: {"gone": 4, telemetry.Other: 5}},
	}
	if d := cmp.Diff(want, measured(tally)); d != "" {
		t.Error(d)
	}
	// Zeros are written too: without them an alarm would not end by itself.
	if got := measured(confirm.Tally{}); len(got.Plain) != len(want.Plain) || len(got.ByReason) != 0 {
		t.Errorf("of an empty batch: %v", got)
	}
}
