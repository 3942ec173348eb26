package dynamo

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Holdings yields what every stored upload of one segment holds: those that
// are not deleted, and those of which something is retained. It scans, so it
// reads every page and reference too; the segments may be scanned side by
// side. After an error nothing more comes.
func (s *Store) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	return func(yield func(ledger.Holding, error) bool) {
		if err := ledger.CheckSegment(segment, segments); err != nil {
			yield(ledger.Holding{}, fmt.Errorf("count what is stored: %w", err))
			return
		}
		in := s.heads(segment, segments)
		for {
			out, err := s.client.Scan(ctx, in)
			if err != nil {
				yield(ledger.Holding{}, fmt.Errorf("count what is stored: %w", awsconf.Kind(err)))
				return
			}
			for _, it := range out.Items {
				h, err := holding(it)
				if !yield(h, err) || err != nil {
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

// heads scans for uploads, and nothing else that shares their table.
func (s *Store) heads(segment, segments int) *dynamodb.ScanInput {
	return &dynamodb.ScanInput{
		TableName: s.table, ConsistentRead: aws.Bool(true),
		Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(int32(segments)),
		ProjectionExpression: aws.String("#bucket, #objects, #bytes"),
		FilterExpression: aws.String("sk = :head AND begins_with(pk, :uploads) AND attribute_exists(#state)" +
			" AND (#state <> :deleted OR #retained > :none)"),
		ExpressionAttributeNames: map[string]string{
			"#bucket": "bucket", "#objects": "objects", "#bytes": "bytes", "#state": "state", "#retained": "retained",
		},
		ExpressionAttributeValues: item{
			":head": text(headSK), ":uploads": text("T#"),
			":deleted": text(upload.StateDeleted.String()), ":none": number(0),
		},
	}
}

func holding(it item) (ledger.Holding, error) {
	var h head
	if err := attributevalue.UnmarshalMap(it, &h); err != nil {
		return ledger.Holding{}, fmt.Errorf("count what is stored: %w", err)
	}
	return ledger.Holding{Bucket: h.Bucket, Objects: h.Objects, Bytes: h.Bytes}, nil
}
