package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Collection is where the ledger keeps each source's State, by its name.
const Collection = "SOURCE"

// State is what the relay has last seen of a source. It is a hint for people:
// nothing is decided from it.
type State struct {
	// LastEvent is the newest event's own instant; SeenAt is when the relay wrote
	// this.
	LastEvent time.Time `json:"last_event"`
	SeenAt    time.Time `json:"seen_at"`
	// ParkedAt is when something of the source was last parked, for ParkedWhy.
	ParkedAt  time.Time `json:"parked_at,omitzero"`
	ParkedWhy string    `json:"parked_why,omitempty"`
}

// plus is what two sightings come to: the newest of each.
func (s State) plus(o State) State {
	if o.LastEvent.After(s.LastEvent) {
		s.LastEvent = o.LastEvent
	}
	if o.SeenAt.After(s.SeenAt) {
		s.SeenAt = o.SeenAt
	}
	if o.ParkedAt.After(s.ParkedAt) {
		s.ParkedAt, s.ParkedWhy = o.ParkedAt, o.ParkedWhy
	}
	return s
}

// Reader reads documents.
type Reader interface {
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
}

// Documents is where states are kept.
type Documents interface {
	Reader
	// Put writes on the condition that the revision is still the document's.
	Put(ctx context.Context, doc ledger.Document) error
}

// ReadState reads the state of a source; the zero State where the relay has seen
// nothing of it.
func ReadState(ctx context.Context, documents Reader, source string) (State, error) {
	s, _, err := readState(ctx, documents, source)
	return s, err
}

func readState(ctx context.Context, documents Reader, source string) (s State, revision int64, err error) {
	d, err := documents.Get(ctx, Collection, source)
	if err == nil && d.Revision != 0 {
		err = json.Unmarshal(d.Data, &s)
	}
	if err != nil {
		return State{}, 0, fmt.Errorf("read the state of source %s: %w", source, err)
	}
	return s, d.Revision, nil
}

// NoteState writes what was seen of a source, beside what is known: one read and
// at most one write. Where another invocation was faster, its word is as good.
func NoteState(ctx context.Context, documents Documents, source string, seen State) error {
	known, revision, err := readState(ctx, documents, source)
	if err != nil {
		return err
	}
	data, err := json.Marshal(known.plus(seen))
	if err != nil {
		return err
	}
	err = documents.Put(ctx, ledger.Document{Collection: Collection, ID: source, Data: data, Revision: revision})
	if err == nil || errors.Is(err, upload.ErrChanged) {
		return nil
	}
	return fmt.Errorf("note the state of source %s: %w", source, err)
}
