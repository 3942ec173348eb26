package memory

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// owner names whose quota, content hashes and idempotency keys they are.
type owner struct{ tenant, name string }

// owned names one thing of an owner: a content hash, or an idempotency key.
type owned struct {
	owner
	id string
}

// use names one reference to one upload.
type use struct {
	upload.ID
	upload.Reference
}

// used is what is known of a reference.
type used struct {
	state ledger.ReferenceState
	added time.Time
}

// Store is a ledger. Its methods may be called at the same time.
type Store struct {
	mu        sync.Mutex
	records   map[upload.ID]upload.Record
	due       dueIndex
	quota     map[owner]int64
	hashes    map[owned]string
	keys      map[owned]ledger.KeyUse
	uses      map[use]used
	documents map[place]ledger.Document
}

// New returns an empty ledger.
func New() *Store {
	return &Store{
		records:   map[upload.ID]upload.Record{},
		due:       newDueIndex(),
		quota:     map[owner]int64{},
		hashes:    map[owned]string{},
		keys:      map[owned]ledger.KeyUse{},
		uses:      map[use]used{},
		documents: map[place]ledger.Document{},
	}
}

// Load returns the record; the zero Record if there is none.
func (s *Store) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	all, err := s.LoadMany(ctx, []upload.ID{id})
	if err != nil {
		return upload.Record{}, err
	}
	return all[0], nil
}

// LoadMany returns the records in the order of the ids, the zero Record where
// there is none.
func (s *Store) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("load %d uploads: %w", len(ids), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]upload.Record, len(ids))
	for i, id := range ids {
		if err := ledger.CheckID(id); err != nil {
			return nil, fmt.Errorf("load an upload: %w", err)
		}
		all[i] = ledger.Copy(s.records[id])
	}
	return all, nil
}

// QuotaUsed returns how many places of the owner's quota are taken.
func (s *Store) QuotaUsed(_ context.Context, tenant, name string) (int64, error) {
	if err := ledger.CheckOwner(tenant, name); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quota[owner{tenant, name}], nil
}

// KeyUse returns the use of an idempotency key, also one that is over; the
// zero KeyUse if it was never used.
func (s *Store) KeyUse(_ context.Context, tenant, name, key string) (ledger.KeyUse, error) {
	if err := ledger.CheckKey(tenant, name, key); err != nil {
		return ledger.KeyUse{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[owned{owner{tenant, name}, key}], nil
}

// Reference returns what is known of a reference.
func (s *Store) Reference(_ context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error) {
	if err := ledger.CheckReference(id, ref); err != nil {
		return ledger.ReferenceUnknown, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uses[use{id, ref}].state, nil
}

// Holdings yields what every stored upload of one segment holds: those that
// are not deleted, and those of which something is retained.
func (s *Store) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	return func(yield func(ledger.Holding, error) bool) {
		if err := ledger.CheckSegment(segment, segments); err != nil {
			yield(ledger.Holding{}, err)
			return
		}
		for _, h := range s.held(segment, segments) {
			if err := ctx.Err(); err != nil {
				yield(ledger.Holding{}, fmt.Errorf("count what is stored: %w", err))
				return
			}
			if !yield(h, nil) {
				return
			}
		}
	}
}

func (s *Store) held(segment, segments int) []ledger.Holding {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ledger.Holding
	for id, r := range s.records {
		if ledger.Shard(id)%segments != segment || r.State == upload.StateDeleted && r.Retained.Count == 0 {
			continue
		}
		all = append(all, ledger.Holding{Bucket: r.Bucket, Objects: r.Objects, Bytes: r.Bytes})
	}
	return all
}

// Owned yields every upload of one segment, tombstones too, with its whole
// manifest and otherwise only what [ledger.Owning] keeps.
func (s *Store) Owned(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error] {
	return func(yield func(upload.Record, error) bool) {
		if err := ledger.CheckSegment(segment, segments); err != nil {
			yield(upload.Record{}, fmt.Errorf("read what is owned: %w", err))
			return
		}
		for _, id := range s.uploads(segment, segments) {
			r, err := s.Load(ctx, id)
			if err != nil {
				yield(upload.Record{}, fmt.Errorf("read what is owned: %w", err))
				return
			}
			if !yield(ledger.Owning(r), nil) {
				return
			}
		}
	}
}

func (s *Store) uploads(segment, segments int) []upload.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []upload.ID
	for id := range s.records {
		if ledger.Shard(id)%segments == segment {
			all = append(all, id)
		}
	}
	return all
}
