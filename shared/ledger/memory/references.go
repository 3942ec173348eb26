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

// References yields every reference to an upload that was ever added, by
// source, entity and generation.
func (s *Store) References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error] {
	return func(yield func(ledger.ReferenceUse, error) bool) {
		err := ctx.Err()
		if err == nil {
			err = ledger.CheckID(id)
		}
		if err != nil {
			yield(ledger.ReferenceUse{}, fmt.Errorf("read the references of upload %s: %w", id.Upload, err))
			return
		}
		for _, use := range s.references(id) {
			if !yield(use, nil) {
				return
			}
		}
	}
}

func (s *Store) references(id upload.ID) []ledger.ReferenceUse {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []ledger.ReferenceUse
	for u, known := range s.uses {
		if u.ID == id {
			all = append(all, ledger.ReferenceUse{Reference: u.Reference, State: known.state, Added: known.added})
		}
	}
	slices.SortFunc(all, func(a, b ledger.ReferenceUse) int {
		x, y := a.Reference, b.Reference
		return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Entity, y.Entity), cmp.Compare(x.Generation, y.Generation))
	})
	return all
}
