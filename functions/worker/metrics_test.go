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
		outcomes = append(outcomes, cleanup.Outcome{Kind: k, Reason: "revived", Objects: 3, Gone: 1, Bytes: 7})
	}
	outcomes[0].Started, outcomes[1].Started, outcomes[8].Started = true, true, true
	outcomes[0].Unclear = true
	var tally cleanup.PurgeTally
	tally.Add(outcomes...)
	want := telemetry.Values{
		Plain: map[telemetry.Name]float64{
			telemetry.Started: 3, telemetry.Deleted: 2, telemetry.DeletedObjects: 12 + 2*2, telemetry.DeletedBytes: 84,
			telemetry.Retained: 1, telemetry.Retrying: 6, telemetry.Unclear: 1,
			telemetry.FailedRemovals: 2, telemetry.Parked: 1, telemetry.Rejected: 1, telemetry.Throttled: 1,
		},
		ByReason: map[telemetry.Name]map[telemetry.Reason]float64{telemetry.SkippedMessages: {"revived": 1}},
	}
	if d := cmp.Diff(want, measured(outcomes, tally)); d != "" {
		t.Error(d)
	}
	// Zeros are written too: without them an alarm would not end by itself.
	if got := measured(nil, cleanup.PurgeTally{}); len(got.Plain) != len(want.Plain) {
		t.Errorf("of an empty batch: %v", got)
	}
}
