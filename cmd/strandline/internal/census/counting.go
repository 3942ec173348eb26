package census

import (
	"context"
	"iter"
	"sync/atomic"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/ledger"
)

// counting counts the uploads that go by. Segments are counted side by side.
type counting struct {
	inner cleanup.Holdings
	tell  func(int64)
	n     atomic.Int64
}

func (c *counting) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	return func(yield func(ledger.Holding, error) bool) {
		for h, err := range c.inner.Holdings(ctx, segment, segments) {
			if err == nil {
				c.tell(c.n.Add(1))
			}
			if !yield(h, err) {
				return
			}
		}
	}
}

func (c *counting) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return c.inner.List(ctx, collection, from, to)
}

func (c *counting) Put(ctx context.Context, doc ledger.Document) error { return c.inner.Put(ctx, doc) }
