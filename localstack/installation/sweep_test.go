package installation_test

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/shared/fault"
)

// inMemoryWith is a scene on the memory adapters, with the set in front.
func inMemoryWith(t *testing.T, set *fault.Set) *scene {
	w := inMemory(t, usual())
	return sceneIn(t, w, set, faulty(set, w.stores))
}

// Every external call of scheduler, worker and intake fails in turn, in every
// way that its service has, before it took effect and after. After each the
// protocol's invariants hold, and a clean repetition completes the work: it
// comes to what the story comes to with nothing in the way.
func TestEveryCallFailsInMemory(t *testing.T) {
	calls, want := recorded(t, inMemoryWith)
	for _, f := range each(calls) {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			endure(t, inMemoryWith, want, f)
		})
	}
}

// stage makes a scene with a set in it.
type stage func(*testing.T, *fault.Set) *scene

// recorded plays the story with nothing in the way: what it calls, and what it
// comes to.
func recorded(t *testing.T, on stage) (calls []fault.Call, outcome string) {
	t.Helper()
	set := fault.New()
	s := on(t, set)
	s.play(story())
	calls = set.Calls()
	s.settle(2)
	assertInvariants(t, s.world)
	for _, c := range calls {
		if !fault.Known(c.Operation) {
			t.Fatalf("%s: nobody has said what can happen to it", c)
		}
	}
	return calls, s.outcome()
}

// endure plays the story with faults in it. A fault that no call met has shown
// nothing, and fails the test.
func endure(t *testing.T, on stage, want string, faults ...fault.Fault) {
	t.Helper()
	set := fault.New(faults...)
	s := on(t, set)
	s.play(story())
	s.settle(2)
	assertInvariants(t, s.world)
	for _, f := range set.Missed() {
		t.Errorf("no call met the fault: %s", f)
	}
	if got := s.outcome(); got != want {
		t.Errorf("it comes to\n%s\nwant\n%s", got, want)
	}
}

// each is every way in which every call can fail. With reduced bounds each call
// fails in one way, and each way happens to some call of each operation.
func each(calls []fault.Call) []fault.Fault {
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		return some(calls)
	}
	var faults []fault.Fault
	for _, call := range calls {
		for _, c := range fault.Cases(call.Operation) {
			faults = append(faults, fault.Fault{Call: call, Case: c})
		}
	}
	return faults
}

// some has each call fail at least once, and each operation in each way.
func some(calls []fault.Call) []fault.Fault {
	byOperation := map[string][]fault.Call{}
	for _, call := range calls {
		byOperation[call.Operation] = append(byOperation[call.Operation], call)
	}
	var faults []fault.Fault
	for _, operation := range slices.Sorted(maps.Keys(byOperation)) {
		calls, cases := byOperation[operation], fault.Cases(operation)
		for i := range max(len(calls), len(cases)) {
			faults = append(faults, fault.Fault{Call: calls[i%len(calls)], Case: cases[i%len(cases)]})
		}
	}
	return faults
}
