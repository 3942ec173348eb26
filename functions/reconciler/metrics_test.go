package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/telemetry"
)

func TestAComparisonInNumbers(t *testing.T) {
	r := reconcile.Report{
		HoldsBlocked: true,
		Counts: map[reconcile.Verdict]reconcile.Count{
			reconcile.Missing: {Count: 5}, reconcile.Changed: {Count: 1}, reconcile.Corrupt: {Count: 2}, reconcile.OK: {Count: 9},
		},
	}
	want := telemetry.Values{Plain: map[telemetry.Name]float64{
		telemetry.Missing: 5, telemetry.Changed: 1, telemetry.Corrupt: 2, telemetry.HoldsBlocked: 1,
	}}
	if d := cmp.Diff(want, measured(r)); d != "" {
		t.Error(d)
	}
	// An inventory that is delivered twice is one finding, not two.
	for _, again := range []reconcile.Report{{Repeated: true}, {Superseded: true}} {
		if got := measured(again); len(got.Plain) > 0 {
			t.Errorf("%+v: %v", again, got)
		}
	}
}
