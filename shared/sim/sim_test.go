package sim_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/strandline-dev/strandline/shared/sim"
)

var (
	seeds = flag.Int("seeds", 0, "how many seeds TestSeeds runs; 0: 400, or 60 with STRANDLINE_BOUNDS=reduced")
	first = flag.Uint64("first", 1, "the first of them")
	tries = flag.Int("tries", 500, "how many runs a failing one may cost to be made short")
	seed  = flag.Uint64("seed", 0, "the only seed that TestSeeds runs; 0: as many as -seeds says")
)

// howMany is the number of seeds that is asked for.
func howMany() int {
	usual := 400
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		usual = 60
	}
	return cmp.Or(*seeds, usual)
}

// clock is that of the bubble in which it is called.
func clock() sim.Clock {
	return sim.Clock{Now: time.Now, Sleep: time.Sleep, Settle: synctest.Wait} //nolint:forbidigo // virtual
}

func run(t *testing.T, seed uint64, cut sim.Cut, steps int) (o sim.Outcome) {
	synctest.Test(t, func(*testing.T) {
		o = sim.Run(seed, cut, steps, clock())
	})
	return o
}

// explained is a failing run, as short as it becomes.
func explained(t *testing.T, o sim.Outcome) string {
	t.Logf("seed %d: %s; it is made short", o.Seed, o.Broken)
	short := sim.Shrink(o, *tries, func(seed uint64, cut sim.Cut, steps int) sim.Outcome { return run(t, seed, cut, steps) })
	return fmt.Sprintf("seed %d: %s\n%s\n%s\nThat is %d steps; the seed has %d. Again: go test ./shared/sim -run TestSeeds -seed %d",
		o.Seed, short.Broken, short.Story(120), short.Broken, short.Steps, o.Steps, o.Seed)
}

// TestSeedsKeepEveryPromise: whatever the seeds let go wrong, no invariant
// falls, what was condemned goes, and what lives stays.
func TestSeedsKeepEveryPromise(t *testing.T) {
	from, n := *first, uint64(howMany())
	if *seed != 0 {
		from, n = *seed, 1
	}
	var all tally
	next := make(chan uint64, n)
	for s := from; s < from+n; s++ {
		next <- s
	}
	close(next)
	t.Run("seeds", func(t *testing.T) {
		for i := range 2 { // processors
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for s := range next {
					if o := run(t, s, nil, sim.MaxSteps); all.add(o) {
						for range next { // what follows need not run
						}
						t.Error(explained(t, o))
						return
					}
				}
			})
		}
	})
	t.Logf("%d seeds, %d steps: %v", all.runs, all.steps, all.counts)
	if n >= 60 && !t.Failed() {
		all.assertTroubled(t)
	}
}

// tally is what happened in some runs.
type tally struct {
	mu          sync.Mutex
	runs, steps int
	counts      map[string]int
	failed      bool
}

// add reports whether the run is the first that failed.
func (a *tally) add(o sim.Outcome) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.counts == nil {
		a.counts = map[string]int{}
	}
	a.runs, a.steps = a.runs+1, a.steps+o.Steps
	for what, n := range o.Counts {
		a.counts[what] += n
	}
	if a.failed || o.Broken == "" {
		return false
	}
	a.failed = true
	return true
}

// assertTroubled: the runs did meet everything that they are there for. Without
// this, seeds that only sleep would be green.
func (a *tally) assertTroubled(t *testing.T) {
	t.Helper()
	for _, what := range []string{
		"died", "clock moved", "throttled", "timed out", "done, answer lost", "in part", "answer late", "denied", "delayed", "duplicated",
		"slow process", "time over", "backstop", "garbage", "dead letter", "forged", "forged command", "other bytes", "outage", "crowd",
		"completed", "taken over", "stale writer", "redeemed", "parts left", "strangers", "locked", "adopted", "withdrawn", "operated",
		"slept for days", "passes met", "interrupted", "pass done", "pass reported", "pass paused", "approved", "unparked",
		"event claim", "event reclaim", "event retry", "event unclear", "event finish", "event trim", "event reopen", "event expire", "event repair",
		"event defer", "event extend-hold", "event add-reference", "event drop-reference", "event release", "event cancel", "event acquire", "event complete", "event adopt", "event withdraw",
	} {
		if a.counts[what] == 0 {
			t.Errorf("%d seeds, and never %q", a.runs, what)
		}
	}
}

// TestSameSeedGivesTheSameTrace: without it no failure could be looked at twice.
func TestSameSeedGivesTheSameTrace(t *testing.T) {
	for s := range uint64(howMany() / 10) {
		one, two := run(t, 1000+s, nil, sim.MaxSteps).Trace(), run(t, 1000+s, nil, sim.MaxSteps).Trace()
		if one != two {
			t.Fatalf("seed %d made two runs, which part at\n%s", 1000+s, parting(one, two))
		}
	}
}

// parting is where two traces part, with what came before.
func parting(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			before := slices.Clone(x[max(0, i-12):i])
			return strings.Join(append(before, "one: "+x[i], "two: "+y[i]), "\n")
		}
	}
	return "the end of one of them"
}
