package cleanup

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
)

const (
	censuses = "CENSUS"
	// censusOfAll is the document that says when every bucket was counted. A
	// bucket's name has no "#".
	censusOfAll = "#all"
	censusFrom  = "ledger"
	// censusSegments is how many parts of the ledger are counted at once.
	censusSegments = 4
)

// BucketCensus is what one bucket holds, as of when and counted from where.
type BucketCensus struct {
	Bucket  string    `json:"bucket"`
	Objects int64     `json:"objects"`
	Bytes   int64     `json:"bytes"`
	AsOf    time.Time `json:"as_of"`
	From    string    `json:"from"`
	// By is the person who had it counted; empty for a schedule.
	By string `json:"by,omitempty"`
}

// Holdings is where the census is counted and kept. Holdings(segment,
// segments) yields a disjoint part of every stored upload, or an error.
type Holdings interface {
	Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error]
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
	Put(ctx context.Context, doc ledger.Document) error
}

// Census counts what the buckets hold, from the ledger: what MaxDeletePercent
// is taken of. Every field but By is required.
type Census struct {
	Ledger Holdings
	Now    func() time.Time
	Log    *slog.Logger
	// By is the person who counts; empty for a schedule.
	By string
}

// Recount counts and stores every bucket, and as empty those that were counted
// before and hold nothing now. If any record cannot be read nothing is stored.
// It returns what it stored, by bucket.
func (c Census) Recount(ctx context.Context) (map[string]BucketCensus, error) {
	err := missing("census",
		required{c.Ledger != nil, "Ledger"}, required{c.Now != nil, "Now"}, required{c.Log != nil, "Log"})
	if err != nil {
		return nil, err
	}
	asOf := c.Now().UTC().Truncate(time.Millisecond) // what is written while counting may be counted or not
	counted, err := c.count(ctx, asOf)
	if err != nil {
		return nil, fmt.Errorf("count the census: %w", err)
	}
	revisions := map[string]int64{}
	for doc, err := range c.Ledger.List(ctx, censuses, "", "") {
		if err != nil {
			return nil, fmt.Errorf("read the last census: %w", err)
		}
		revisions[doc.ID] = doc.Revision
		if _, ok := counted[doc.ID]; !ok && doc.ID != censusOfAll {
			counted[doc.ID] = BucketCensus{Bucket: doc.ID, AsOf: asOf, From: censusFrom}
		}
	}
	all := BucketCensus{Bucket: censusOfAll, AsOf: asOf, From: censusFrom}
	for _, bucket := range slices.Sorted(maps.Keys(counted)) {
		if err := c.put(ctx, counted[bucket], revisions[bucket]); err != nil {
			return nil, err
		}
		all.Objects += counted[bucket].Objects
		all.Bytes += counted[bucket].Bytes
	}
	// Last, so that a census that was stored in part does not look fresh.
	if err := c.put(ctx, all, revisions[censusOfAll]); err != nil {
		return nil, err
	}
	c.Log.InfoContext(ctx, "census counted", "buckets", len(counted), "objects", all.Objects, "bytes", all.Bytes)
	return counted, nil
}

func (c Census) count(ctx context.Context, asOf time.Time) (map[string]BucketCensus, error) {
	parts := make([]map[string]BucketCensus, censusSegments)
	group, ctx := errgroup.WithContext(ctx)
	for segment := range censusSegments {
		group.Go(func() error {
			part := map[string]BucketCensus{}
			parts[segment] = part
			for h, err := range c.Ledger.Holdings(ctx, segment, censusSegments) {
				if err != nil {
					return err
				}
				sum := part[h.Bucket]
				sum.Objects += h.Objects
				sum.Bytes += h.Bytes
				part[h.Bucket] = sum
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	total := map[string]BucketCensus{}
	for _, part := range parts {
		for bucket, n := range part {
			sum := total[bucket]
			total[bucket] = BucketCensus{
				Bucket: bucket, Objects: sum.Objects + n.Objects, Bytes: sum.Bytes + n.Bytes,
				AsOf: asOf, From: censusFrom,
			}
		}
	}
	return total, nil
}

func (c Census) put(ctx context.Context, b BucketCensus, revision int64) error {
	b.By = c.By
	data, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("census: %w", err)
	}
	doc := ledger.Document{Collection: censuses, ID: b.Bucket, Data: data, Revision: revision}
	if err := c.Ledger.Put(ctx, doc); err != nil {
		return fmt.Errorf("store the census of %s: %w", b.Bucket, err)
	}
	return nil
}

// census is what a pass knows of the buckets.
type census struct {
	asOf    time.Time
	objects map[string]int64
}

func (p Pass) readCensus(ctx context.Context) (census, error) {
	c, err := countedOf(ctx, p.Documents)
	return c.census(), err
}

// stale says why the census cannot be judged by; "" if it can.
func (c census) stale(p policy.Policy, now time.Time) string {
	switch age := now.Sub(c.asOf); {
	case c.asOf.IsZero():
		return "there is no census: nothing is published"
	case age > p.CensusMaxAge:
		return fmt.Sprintf("the census is %v old, more than %v: nothing is published", age.Round(time.Minute), p.CensusMaxAge)
	case age < -p.MaxClockSkew:
		return "the census lies in the future: nothing is published"
	}
	return ""
}
