package worker

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

func TestABatchInNumbers(t *testing.T) {
	var outcomes []cleanup.Outcome
	for _, k := range []cleanup.OutcomeKind{
		cleanup.KindDeleted, cleanup.KindTrimmed, cleanup.KindRetained, cleanup.KindSkipped, cleanup.KindWaiting,
		cleanup.KindClosed, cleanup.KindThrottled, cleanup.KindContinued, cleanup.KindRetrying, cleanup.KindParked,
		cleanup.KindRejected, cleanup.KindFailed,
	} {
		outcomes = append(outcomes, cleanup.Outcome{Kind: k})
	}
	want := map[telemetry.Name]float64{
		telemetry.FailedRemovals: 2, telemetry.Parked: 1, telemetry.Rejected: 1, telemetry.Throttled: 1,
	}
	if d := cmp.Diff(want, measured(outcomes)); d != "" {
		t.Error(d)
	}
	// Zeros are written too: without them an alarm would not end by itself.
	if got := measured(nil); len(got) != len(want) {
		t.Errorf("of an empty batch: %v", got)
	}
}
