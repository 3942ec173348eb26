package cleanup

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
)

// Counted is the census as it is stored.
type Counted struct {
	// All sums up every bucket; its AsOf is when all of them had been counted,
	// zero if they never were.
	All BucketCensus
	// Buckets are in the order of their names.
	Buckets []BucketCensus
}

// Stale says why nothing can be judged by the census; "" if it can.
func (c Counted) Stale(p policy.Policy, now time.Time) string { return c.census().stale(p, now) }

func (c Counted) census() census {
	known := census{asOf: c.All.AsOf, objects: map[string]int64{}}
	for _, b := range c.Buckets {
		known.objects[b.Bucket] = b.Objects
	}
	return known
}

// Read returns the stored census; it counts nothing.
func (c Census) Read(ctx context.Context) (Counted, error) {
	if err := missing("census", required{c.Ledger != nil, "Ledger"}); err != nil {
		return Counted{}, err
	}
	return countedOf(ctx, c.Ledger)
}

// lister is where the census is read.
type lister interface {
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
}

func countedOf(ctx context.Context, documents lister) (Counted, error) {
	var c Counted
	for doc, err := range documents.List(ctx, censuses, "", "") {
		if err != nil {
			return Counted{}, fmt.Errorf("read the census: %w", err)
		}
		var b BucketCensus
		if err := json.Unmarshal(doc.Data, &b); err != nil {
			return Counted{}, fmt.Errorf("census of %s: %w", doc.ID, err)
		}
		if doc.ID == censusOfAll {
			c.All = b
			continue
		}
		b.Bucket = doc.ID
		c.Buckets = append(c.Buckets, b)
	}
	return c, nil
}
