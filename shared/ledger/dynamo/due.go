package dynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/schema"
)

// maxPage keeps a page's answer below 1 MB.
const maxPage = 1_000

// Due returns the entries of one shard behind a position that are due at or
// before until. One call asks once: a page may be short, or empty, although
// more follow. The index lags; a candidate is read again before anything is
// decided.
func (s *Store) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	if err := ledger.CheckPosition(shard, after, limit); err != nil {
		return ledger.Page{}, fmt.Errorf("read the due index: %w", err)
	}
	page, err := s.due(ctx, shard, after, until, limit)
	if err != nil {
		return ledger.Page{}, fmt.Errorf("read shard %d of the due index: %w", shard, err)
	}
	return page, nil
}

func (s *Store) due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	in := &dynamodb.QueryInput{
		TableName:              s.table,
		IndexName:              aws.String(schema.DueIndex),
		KeyConditionExpression: aws.String("due_shard = :shard AND due_at <= :until"),
		ExpressionAttributeValues: item{
			":shard": text(dueShard(shard)), ":until": text(dueThrough(until)),
		},
		Limit: aws.Int32(int32(min(limit, maxPage))),
	}
	if !after.IsZero() {
		if after.At.After(until) {
			return ledger.Page{Next: after}, nil // DynamoDB refuses to begin outside the range
		}
		in.ExclusiveStartKey = dueKey(ledger.Due(after))
	}
	out, err := s.client.Query(ctx, in)
	if err != nil {
		return ledger.Page{}, awsconf.Kind(err)
	}
	page := ledger.Page{Next: after, More: len(out.LastEvaluatedKey) > 0}
	for _, it := range out.Items {
		d, err := entry(it)
		if err != nil {
			return ledger.Page{}, err
		}
		page.Entries = append(page.Entries, d)
		page.Next = ledger.Position(d)
	}
	if page.More { // it may lie behind the last entry, or there is none
		d, err := entry(out.LastEvaluatedKey)
		if err != nil {
			return ledger.Page{}, err
		}
		page.Next = ledger.Position(d)
	}
	return page, nil
}

func entry(it item) (ledger.Due, error) {
	id, err := parseUpload(textOf(it[schema.PartitionKey]))
	if err != nil {
		return ledger.Due{}, err
	}
	at, err := parseDue(textOf(it[schema.DueAt]))
	if err != nil {
		return ledger.Due{}, fmt.Errorf("upload %s: %w", id.Upload, err)
	}
	return ledger.Due{ID: id, At: at}, nil
}
