package dynamo

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	maxBatchGet = 100
	// pagedAtOnce is how many large manifests are read side by side.
	pagedAtOnce = 8
)

// LoadMany returns the records in the order of the ids, the zero Record where
// there is none: all of them, or an error.
func (s *Store) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	found := make(map[upload.ID]upload.Record, len(ids))
	var distinct []upload.ID
	for _, id := range ids {
		if err := ledger.CheckID(id); err != nil {
			return nil, fmt.Errorf("load %d uploads: %w", len(ids), err)
		}
		if _, seen := found[id]; !seen {
			found[id] = upload.Record{}
			distinct = append(distinct, id)
		}
	}
	for chunk := range slices.Chunk(distinct, maxBatchGet) {
		if err := s.loadBatch(ctx, chunk, found); err != nil {
			return nil, fmt.Errorf("load %d uploads: %w", len(ids), err)
		}
	}
	all := make([]upload.Record, 0, len(ids))
	for _, id := range ids {
		all = append(all, ledger.Copy(found[id])) // an id that was given twice gets two
	}
	return all, nil
}

// loadBatch reads up to 100 heads in one call, and then those that have pages.
func (s *Store) loadBatch(ctx context.Context, ids []upload.ID, found map[upload.ID]upload.Record) error {
	items, err := s.batchGet(ctx, ids)
	if err != nil {
		return err
	}
	var large []upload.ID
	for _, it := range items {
		var h head
		if err := attributevalue.UnmarshalMap(it, &h); err != nil {
			return err
		}
		r, err := h.record()
		if err != nil {
			return err
		}
		found[r.ID] = r
		if h.Paged != "" && h.Schema <= upload.Schema {
			large = append(large, r.ID)
		}
	}
	return s.loadLarge(ctx, large, found)
}

func (s *Store) loadLarge(ctx context.Context, ids []upload.ID, found map[upload.ID]upload.Record) error {
	records := make([]upload.Record, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pagedAtOnce)
	for i, id := range ids {
		group.Go(func() (err error) {
			records[i], err = s.load(ctx, id)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, id := range ids {
		found[id] = records[i]
	}
	return nil
}

// batchGet asks again for what an answer left unprocessed, and gives up with an
// error: what it returns is everything that exists.
func (s *Store) batchGet(ctx context.Context, ids []upload.ID) ([]item, error) {
	var keys []map[string]types.AttributeValue
	for _, id := range ids {
		keys = append(keys, uploadKey(id).attributes())
	}
	var all []item
	for repetition := 1; ; repetition++ {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{*s.table: {Keys: keys, ConsistentRead: aws.Bool(true)}},
		})
		if err != nil {
			return nil, awsconf.Kind(err)
		}
		for _, items := range out.Responses {
			all = append(all, items...)
		}
		keys = nil
		for _, left := range out.UnprocessedKeys {
			keys = append(keys, left.Keys...)
		}
		if len(keys) == 0 {
			return all, nil
		}
		if repetition == maxTries {
			return nil, fmt.Errorf("%w: %d of %d reads were left unprocessed", upload.ErrThrottled, len(keys), len(ids))
		}
		if err := s.wait(ctx, repetition, 0); err != nil {
			return nil, err
		}
	}
}
