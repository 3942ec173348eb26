package sim

import (
	"fmt"
	"slices"
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

// Story is the run without what reads and changes nothing, at most so many of
// its last lines.
func (o Outcome) Story(lines int) string {
	story := o
	if len(o.trace) > 0 {
		story.trace = slices.DeleteFunc(slices.Clone(o.trace), entry.dull)
	}
	left := ""
	if n := len(story.trace) - lines; n > 0 {
		left = fmt.Sprintf("… %d lines before\n", n)
		story.trace = story.trace[n:]
	}
	return left + story.Trace()
}

// told is how many lines the story has.
func (o Outcome) told() int {
	n := 0
	for _, e := range o.trace {
		if !e.dull() {
			n++
		}
	}
	return n
}

// dull: it was only read, and answered.
func (e entry) dull() bool {
	if e.way != asked {
		return false
	}
	for _, reads := range []string{"gets ", "pages ", "looks ", "lists ", "counts ", "reads ", "checks ", "receives", "puts CURSOR", "puts RUN", "puts LEASE", "puts CENSUS", "sleeps", "asks ", "begins", "watches "} {
		if strings.HasPrefix(e.what, reads) && !strings.HasPrefix(e.what, "begins parts") {
			return true
		}
	}
	return false
}

// number is the invariant that fell.
func (o Outcome) number() string {
	number, _, _ := strings.Cut(o.Broken, ":")
	return number
}

// MaxSteps is where a run is given up: nothing comes to rest there.
const MaxSteps = 60_000

// Run makes the run of a seed, without what is cut, in at most so many steps. It
// must be called in a bubble of testing/synctest, whose clock it is given.
func Run(seed uint64, cut Cut, steps int, clock Clock) Outcome {
	return run(seed, cut, steps, clock, "")
}

func run(seed uint64, cut Cut, steps int, clock Clock, broken quirk) Outcome {
	d := newDice(seed, cut)
	w := newWorld(d, clock)
	w.broken = broken
	w.must(w.open())
	w.cast()
	w.run(func() bool {
		w.witness.look()
		if w.steps > MaxSteps {
			w.witness.breaks("14", "nothing has come to rest after %d steps", MaxSteps)
		}
		if w.steps > steps {
			w.witness.breaks("steps", "it has more than %d", steps)
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
	for i := range 1 + w.dice.draw("schedulers", 2) {
		w.start(fmt.Sprintf("scheduler-%d", i+1), w.schedule)
	}
	for i := range 1 + w.dice.draw("workers", 3) {
		w.start(fmt.Sprintf("worker-%d", i+1), w.serve)
	}
	crowd := 6
	if w.dice.in1000("scene", 60) {
		crowd = 40
		w.counts["crowd"]++
	}
	for i := range 1 + w.dice.draw("writers", crowd) {
		w.start(fmt.Sprintf("writer-%d", i+1), w.write)
	}
	w.start("recorder", w.record)
	w.start("operator", w.operate)
	w.start("neighbour", w.visit)
	w.start("impostor", w.imposture)
	w.start("outages", w.fail)
	w.start(calmName, w.settle)
}
