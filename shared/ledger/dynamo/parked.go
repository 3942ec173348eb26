package dynamo

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Parked yields every upload of one segment whose purge was parked, without its
// manifest: see [ledger.Head]. What is parked is due never, so no index knows
// it, and the whole table is read; the segments may be scanned side by side.
// After an error nothing more comes.
func (s *Store) Parked(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error] {
	return func(yield func(upload.Record, error) bool) {
		if err := ledger.CheckSegment(segment, segments); err != nil {
			yield(upload.Record{}, fmt.Errorf("read what is parked: %w", err))
			return
		}
		in := s.parked(segment, segments)
		for {
			out, err := s.client.Scan(ctx, in)
			if err != nil {
				yield(upload.Record{}, fmt.Errorf("read what is parked: %w", awsconf.Kind(err)))
				return
			}
			for _, it := range out.Items {
				r, err := headOf(it)
				if !yield(r, err) || err != nil {
					return
				}
			}
			if len(out.LastEvaluatedKey) == 0 {
				return
			}
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
	}
}

// headAttributes are a head's, without its manifest.
var headAttributes = []string{
	"pk", "sk", "due_at", "schema", "state", "version", "fence", "holder", "lease_until", "token",
	"hold_expires_at", "deadline_at", "activity_at", "expired_at", "marked_from", "completed_at",
	"bucket", "prefix", "objects", "bytes", "refs", "owner", "hash", "quota_held", "hash_held", "reason", "source",
	"superseded_due_at", "trimmed", "attempts", "last_error", "uncertain_at", "purged_through", "parked_at",
	"retained", "retained_until", "retained_reason", "tombstone_until",
}

func (s *Store) parked(segment, segments int) *dynamodb.ScanInput {
	names := map[string]string{}
	var projection []string
	for _, name := range headAttributes {
		names["#"+name] = name
		projection = append(projection, "#"+name)
	}
	return &dynamodb.ScanInput{
		TableName: s.table, ConsistentRead: aws.Bool(true),
		Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(int32(segments)),
		ProjectionExpression:     aws.String(strings.Join(projection, ", ")),
		FilterExpression:         aws.String("#sk = :head AND begins_with(#pk, :uploads) AND #state = :deleting AND attribute_exists(#parked_at)"),
		ExpressionAttributeNames: names,
		ExpressionAttributeValues: item{
			":head": text(headSK), ":uploads": text("T#"), ":deleting": text(upload.StateDeleting.String()),
		},
	}
}

func headOf(it item) (upload.Record, error) {
	var h head
	if err := attributevalue.UnmarshalMap(it, &h); err != nil {
		return upload.Record{}, fmt.Errorf("read what is parked: %w", err)
	}
	r, err := h.record()
	if err != nil {
		return upload.Record{}, fmt.Errorf("read what is parked: %w", err)
	}
	return ledger.Head(r), nil
}
