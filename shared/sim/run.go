package sim

import (
	"fmt"
	"strings"
)

// Outcome is what became of a run.
type Outcome struct {
	Seed uint64
	// Broken is the first invariant that fell, by its number, and how; empty if
	// none did.
	Broken string
	// Steps is how many calls were let go, and clocks moved.
	Steps int
	// Counts is what happened how often: faults, deaths, and what the actors did.
	Counts map[string]int

	trace []entry
	drawn map[string]int
}

// Trace is the run, a line a step.
func (o Outcome) Trace() string {
	var b strings.Builder
	for _, e := range o.trace {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// maxSteps is where a run is given up: nothing comes to rest there.
const maxSteps = 60_000

// Run makes the run of a seed, without what is cut. It must be called in a
// bubble of testing/synctest, whose clock is the run's.
func Run(seed uint64, cut Cut) Outcome {
	d := newDice(seed, cut)
	w := newWorld(d)
	w.must(w.open())
	w.cast()
	w.run(func() bool {
		w.witness.look()
		if w.steps > maxSteps {
			w.witness.breaks("14", "nothing has come to rest after %d steps", maxSteps)
		}
		return len(w.witness.broken) > 0
	})
	if len(w.witness.broken) == 0 {
		w.conclude()
	}
	w.close()
	w.actors.Wait()
	o := Outcome{Seed: seed, Steps: w.steps, Counts: w.counts, trace: w.trace, drawn: d.drawn()}
	if len(w.witness.broken) > 0 {
		o.Broken = w.witness.broken[0]
	}
	return o
}

// cast lets everybody begin.
func (w *world) cast() {
	for i := range 1 + w.dice.draw("scene", 2) {
		w.start(fmt.Sprintf("scheduler-%d", i+1), w.schedule)
	}
	for i := range 1 + w.dice.draw("scene", 3) {
		w.start(fmt.Sprintf("worker-%d", i+1), w.serve)
	}
	for i := range 1 + w.dice.draw("scene", 5) {
		w.start(fmt.Sprintf("writer-%d", i+1), w.write)
	}
	w.start("recorder", w.record)
	w.start("operator", w.operate)
	w.start(calmName, w.settle)
}
