package release

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
)

// Collection is where the ledger keeps each source's State, by its name.
const Collection = "SOURCE"

// State is what the relay has last seen of a source. It is a hint for people:
// it is written at most once in an invocation, and nothing is decided from it.
type State struct {
	// LastEvent is the newest event's own instant, SeenAt when the relay wrote
	// this.
	LastEvent time.Time `json:"last_event"`
	SeenAt    time.Time `json:"seen_at"`
	// ParkedAt is when something of the source was last parked, for ParkedWhy.
	ParkedAt  time.Time `json:"parked_at,omitzero"`
	ParkedWhy string    `json:"parked_why,omitempty"`
}

// Reader reads documents.
type Reader interface {
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
}

// ReadState reads the state of a source; the zero State where the relay has seen
// nothing of it.
func ReadState(ctx context.Context, documents Reader, source string) (State, error) {
	var s State
	d, err := documents.Get(ctx, Collection, source)
	if err == nil && d.Revision != 0 {
		err = json.Unmarshal(d.Data, &s)
	}
	if err != nil {
		return State{}, fmt.Errorf("read the state of source %s: %w", source, err)
	}
	return s, nil
}
