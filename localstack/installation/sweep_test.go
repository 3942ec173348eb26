package installation_test

import (
	"os"
	"testing"

	"github.com/strandline-dev/strandline/shared/fault"
)

// inMemoryWith is a scene on the memory adapters, with the set in front.
func inMemoryWith(t *testing.T, set *fault.Set) *scene {
	w := inMemory(t, roomy())
	return sceneIn(t, w, set, faulty(set, w.stores))
}

// Every external call of scheduler, worker and intake fails in turn, in every
// way that its service has, before it took effect and after. After each the
// protocol's invariants hold, and a clean repetition completes the work: it
// comes to what the story comes to with nothing in the way.
//
// It is red, for instance, when a delete that nobody answered for is taken for
// done, a listing that was cut off for whole, a sweep of multipart uploads that
// failed for empty, a put whose answer was lost is not looked for, or a pass
// goes on although its second look at its own run failed.
func TestEveryCallFailsInMemory(t *testing.T) {
	calls, want := recorded(t, inMemoryWith)
	for _, f := range each(calls) {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			for _, missed := range endure(t, inMemoryWith, want, f) {
				t.Errorf("no call met the fault: %s", missed)
			}
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

// endure plays the story with faults in it, and returns those that no call met:
// they have shown nothing.
func endure(t *testing.T, on stage, want string, faults ...fault.Fault) []fault.Fault {
	t.Helper()
	set := fault.New(faults...)
	s := on(t, set)
	s.play(story())
	s.settle(2)
	assertInvariants(t, s.world)
	if got := s.outcome(); got != want {
		t.Errorf("it comes to\n%s\nwant\n%s", got, want)
	}
	return set.Missed()
}

// each is every way in which every call can fail; with reduced bounds some.
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

// some has each operation fail in every way, and in every act that it is part
// of: of what an act calls many times, in turn.
func some(calls []fault.Call) []fault.Fault {
	var operations []string
	acts := map[string][]string{} // by operation, in their order
	made := map[[2]string][]fault.Call{}
	for _, call := range calls {
		of := [2]string{call.Operation, call.Actor}
		if len(acts[call.Operation]) == 0 {
			operations = append(operations, call.Operation)
		}
		if len(made[of]) == 0 {
			acts[call.Operation] = append(acts[call.Operation], call.Actor)
		}
		made[of] = append(made[of], call)
	}
	var faults []fault.Fault
	for _, operation := range operations {
		acts, cases := acts[operation], fault.Cases(operation)
		for i := range max(len(acts), len(cases)) {
			in := made[[2]string{operation, acts[i%len(acts)]}]
			faults = append(faults, fault.Fault{Call: in[i/len(acts)%len(in)], Case: cases[i%len(cases)]})
		}
	}
	return faults
}
