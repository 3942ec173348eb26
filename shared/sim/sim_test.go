package sim_test

import (
	"flag"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/strandline-dev/strandline/shared/sim"
)

var (
	seeds = flag.Int("seeds", 100, "how many seeds TestSeeds runs")
	seed  = flag.Uint64("seed", 0, "the one seed that TestSeeds runs")
)

func run(t *testing.T, seed uint64, cut sim.Cut) (o sim.Outcome) {
	synctest.Test(t, func(*testing.T) { o = sim.Run(seed, cut) })
	return o
}

func TestSeeds(t *testing.T) {
	first, n := uint64(1), uint64(*seeds)
	if *seed != 0 {
		first, n = *seed, 1
	}
	steps, counts := 0, map[string]int{}
	for s := first; s < first+n; s++ {
		o := run(t, s, nil)
		steps += o.Steps
		for what, n := range o.Counts {
			counts[what] += n
		}
		if o.Broken != "" {
			t.Errorf("%s\nseed %d: %s", tail(o.Trace()), s, o.Broken)
			return
		}
	}
	t.Logf("%d seeds, %d steps, %v", n, steps, counts)
}

func tail(s string) string {
	if len(s) > 6000 {
		return s[len(s)-6000:]
	}
	return s
}

// TestSameSeed: a seed says everything about its run.
func TestSameSeedGivesTheSameTrace(t *testing.T) {
	for s := uint64(1); s <= 100; s++ {
		one, two := run(t, s, nil), run(t, s, nil)
		if a, b := one.Trace(), two.Trace(); a != b {
			t.Fatalf("seed %d made two runs, which part at\n%s", s, parting(a, b))
		}
	}
}

// parting is where two traces part, with what came before.
func parting(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return strings.Join(x[max(0, i-12):i], "\n") + "\none: " + x[i] + "\ntwo: " + y[i]
		}
	}
	return "the end of one"
}
