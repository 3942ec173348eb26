package starting_test

import (
	"testing"

	"github.com/strandline-dev/strandline/cmd/bench/internal/starting"
)

// Every function's own binary starts as a process and does what its first event
// asks for: the main packages, which no other test runs, are wired. How long it
// takes is for `bench start` to say.
func TestEveryFunctionStartsAsAProcessAndDoesWhatItsFirstEventAsks(t *testing.T) {
	all, err := starting.Measure(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 5 {
		t.Errorf("%d functions were started", len(all))
	}
}
