package installation_test

import (
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
	set := fault.New()
	s := inMemoryWith(t, set)
	s.play(story())
	s.settle(3)
	assertInvariants(t, s.world)
	want := s.outcome()
	t.Log(want)
	for _, call := range set.Calls() {
		for _, c := range fault.Cases(call.Operation) {
			f := fault.Fault{Call: call, Case: c}
			t.Run(f.String(), func(t *testing.T) {
				t.Parallel()
				set := fault.New(f)
				s := inMemoryWith(t, set)
				s.play(story())
				s.settle(3)
				assertInvariants(t, s.world)
				if missed := set.Missed(); len(missed) > 0 {
					t.Errorf("no call met the fault: %v", missed)
				}
				if got := s.outcome(); got != want {
					t.Errorf("it comes to\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}
