package upload

import "fmt"

// State is where an upload is in its life. Only [Step] changes it.
type State uint8

const (
	// StateNone is the state of an upload that has no record.
	StateNone State = iota
	// StateReceiving: its writer puts objects.
	StateReceiving
	// StateAssembling: its writer has all objects and builds what it publishes.
	// Never expired, never deleted.
	StateAssembling
	// StateComplete: what it lists is readable for as long as it is so.
	StateComplete
	// StateCancelled: given up by its writer, its owner or the pass; condemned.
	StateCancelled
	// StateExpired: marked by pass one. Activity brings it back.
	StateExpired
	// StateDeleting: claimed by a worker. There is no way back.
	StateDeleting
	// StateDeleted: a tombstone, kept for TombstoneTTL.
	StateDeleted
)

var stateNames = [...]string{
	"none", "receiving", "assembling", "complete", "cancelled", "expired", "deleting", "deleted",
}

// States lists every state, StateNone first.
func States() []State {
	all := make([]State, len(stateNames))
	for i := range all {
		all[i] = State(i)
	}
	return all
}

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// ParseState is the inverse of [State.String].
func ParseState(name string) (State, error) {
	for i, n := range stateNames {
		if n == name {
			return State(i), nil
		}
	}
	return StateNone, fmt.Errorf("state %.40q is unknown", name)
}
