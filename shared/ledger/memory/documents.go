package memory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

type place struct{ collection, id string }

// Get returns a document; its revision is 0 if there is none.
func (s *Store) Get(ctx context.Context, collection, id string) (ledger.Document, error) {
	if err := ctx.Err(); err != nil {
		return ledger.Document{}, fmt.Errorf("get a document of %s: %w", collection, err)
	}
	absent := ledger.Document{Collection: collection, ID: id}
	if err := ledger.CheckDocument(absent); err != nil {
		return ledger.Document{}, fmt.Errorf("get a document: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.documents[place{collection, id}]; ok {
		return copied(d), nil
	}
	return absent, nil
}

// Put stores a document as the revision after the one it names;
// upload.ErrChanged if another is stored.
func (s *Store) Put(ctx context.Context, d ledger.Document) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("put a document of %s: %w", d.Collection, err)
	}
	if err := ledger.CheckDocument(d); err != nil {
		return fmt.Errorf("put a document: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := place{d.Collection, d.ID}
	if s.documents[at].Revision != d.Revision {
		return fmt.Errorf("put %s %s: revision %d: %w", d.Collection, d.ID, d.Revision, upload.ErrChanged)
	}
	d = copied(d)
	d.Revision++
	s.documents[at] = d
	return nil
}

// List yields the documents of a collection with ids in [from, to), ascending;
// an empty bound is open.
func (s *Store) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return func(yield func(ledger.Document, error) bool) {
		if err := ledger.CheckCollection(collection); err != nil {
			yield(ledger.Document{}, fmt.Errorf("list documents: %w", err))
			return
		}
		for _, d := range s.between(collection, from, to) {
			if err := ctx.Err(); err != nil {
				yield(ledger.Document{}, fmt.Errorf("list documents of %s: %w", collection, err))
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (s *Store) between(collection, from, to string) []ledger.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ledger.Document
	for at, d := range s.documents {
		if at.collection == collection && at.id >= from && (to == "" || at.id < to) {
			all = append(all, copied(d))
		}
	}
	slices.SortFunc(all, func(a, b ledger.Document) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func copied(d ledger.Document) ledger.Document {
	d.Data = slices.Clone(d.Data)
	return d
}
