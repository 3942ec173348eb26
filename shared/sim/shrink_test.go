package sim

import (
	"slices"
	"testing"
)

// TestShrinkLeavesWhatTheFailureNeeds: of a run that fails by two draws among
// thousands, those two are left.
func TestShrinkLeavesWhatTheFailureNeeds(t *testing.T) {
	drawn := map[string]int{"order": 5_000, "death of worker-1": 700, "writer-1": 30, "never": 0}
	needed := map[string]int{"order": 4_321, "writer-1": 7}
	tries := 0
	run := func(seed uint64, cut Cut, _ int) Outcome {
		tries++
		o := Outcome{Seed: seed, Broken: "4: gone", drawn: drawn}
		for name, n := range drawn {
			for i := range n {
				if !slices.ContainsFunc(cut[name], func(c Span) bool { return c.From <= i && i < c.To }) {
					o.trace = append(o.trace, entry{who: name})
				} else if at, ok := needed[name]; ok && at == i {
					o.Broken = ""
				}
			}
		}
		return o
	}
	short := Shrink(run(1, nil, 0), 2_000, run)
	if short.Broken == "" || len(short.trace) > 60 || tries > 2_001 {
		t.Errorf("%d tries leave %d of 5,730 draws, and %q", tries, len(short.trace), short.Broken)
	}
}

// TestShrinkKeepsTheFailure: another invariant that falls on the way is not what
// was looked for.
func TestShrinkKeepsTheFailure(t *testing.T) {
	run := func(seed uint64, cut Cut, _ int) Outcome {
		o := Outcome{Seed: seed, Broken: "4: gone", drawn: map[string]int{"order": 10}, trace: make([]entry, 10)}
		if len(cut) > 0 {
			o.Broken, o.trace = "14: never at rest", o.trace[:2]
		}
		return o
	}
	if short := Shrink(run(1, nil, 0), 50, run); short.Broken != "4: gone" {
		t.Errorf("it became %q", short.Broken)
	}
}

// TestATryIsGivenUpWhereItIsNoShorter: tries that never come to rest would take
// minutes, for nothing.
func TestATryIsGivenUpWhereItIsNoShorter(t *testing.T) {
	longest := 0
	run := func(seed uint64, _ Cut, steps int) Outcome {
		longest = max(longest, steps)
		return Outcome{Seed: seed, Broken: "4: gone", Steps: 100, drawn: map[string]int{"order": 10}}
	}
	if Shrink(run(1, nil, 0), 50, run); longest != 200 {
		t.Errorf("a try of a run of 100 steps may take %d", longest)
	}
}

// TestStoryTellsWhatChanged: what only reads is left out, unless it failed.
func TestStoryTellsWhatChanged(t *testing.T) {
	o := Outcome{trace: []entry{
		{who: "worker-1", what: "looks up u-1"},
		{who: "worker-1", what: "looks up u-2", way: timeout},
		{who: "worker-1", what: "writes claim of u-2, version 3"},
		{who: "worker-1", what: "deletes u-2 1/1@v00000001", way: lost},
	}}
	want := "… 1 lines before\n" +
		"01 00:00:00.000  worker-1     writes claim of u-2, version 3\n" +
		"01 00:00:00.000  worker-1     deletes u-2 1/1@v00000001  [done, answer lost]\n"
	if got := o.Story(2); got != want {
		t.Errorf("the story is\n%swant\n%s", got, want)
	}
}
