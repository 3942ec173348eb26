package sim_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/strandline-dev/strandline/shared/sim"
)

// TestWitnessSeesABrokenStore: each quirk of a store makes some seed red, and of
// the invariant that it breaks. A witness that sees nothing would be green here,
// and everywhere.
func TestWitnessSeesABrokenStore(t *testing.T) {
	for quirk, number := range sim.Quirks() {
		t.Run(quirk, func(t *testing.T) {
			t.Parallel()
			var said []string
			for seed := uint64(1); seed <= 400; seed++ {
				var o sim.Outcome
				synctest.Test(t, func(*testing.T) { o = sim.RunBroken(seed, clock(), quirk) })
				if strings.HasPrefix(o.Broken, number+":") {
					t.Logf("seed %d: %s", seed, o.Broken)
					return
				}
				if o.Broken != "" {
					said = append(said, o.Broken)
				}
			}
			t.Errorf("no seed of 400 breaks %s; they say %q", number, said)
		})
	}
}
