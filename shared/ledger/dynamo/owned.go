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

// Owned yields every upload of one segment, tombstones too, with its whole
// manifest and otherwise only what [ledger.Owning] keeps. The segments may be
// scanned side by side. After an error nothing more comes.
//
// A scan meets the pages of a large manifest before its head or after it, of
// another instant, and no segment has to hold them all. So it passes over them,
// and reads a large one again by its head, as Load does: whole, or an error.
// That costs the pages twice.
func (s *Store) Owned(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error] {
	return func(yield func(upload.Record, error) bool) {
		fail := func(err error) { yield(upload.Record{}, fmt.Errorf("read what is owned: %w", err)) }
		if err := ledger.CheckSegment(segment, segments); err != nil {
			fail(err)
			return
		}
		in := s.owning(segment, segments)
		for {
			out, err := s.client.Scan(ctx, in)
			if err != nil {
				fail(awsconf.Kind(err))
				return
			}
			for _, it := range out.Items {
				r, there, err := s.owned(ctx, it)
				if err != nil {
					fail(err)
					return
				}
				if there && !yield(ledger.Owning(r), nil) {
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

// ownedAttributes are what the scan transfers of a head.
var ownedAttributes = []string{
	"pk", "sk", "schema", "state", "version", "marked_from", "completed_at", "activity_at", "deadline_at",
	"bucket", "prefix", "trimmed", "retained", "retained_until", "retained_reason", "tombstone_until",
	"writers", "manifest", "explicit", "paged",
}

// owning scans for the heads of uploads, and nothing else that shares their
// table.
func (s *Store) owning(segment, segments int) *dynamodb.ScanInput {
	names := map[string]string{}
	var projection []string
	for _, name := range ownedAttributes {
		names["#"+name] = name
		projection = append(projection, "#"+name)
	}
	return &dynamodb.ScanInput{
		TableName: s.table, ConsistentRead: aws.Bool(true),
		Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(int32(segments)),
		ProjectionExpression:     aws.String(strings.Join(projection, ", ")),
		FilterExpression:         aws.String("#sk = :head AND begins_with(#pk, :uploads) AND attribute_exists(#state)"),
		ExpressionAttributeNames: names,
		ExpressionAttributeValues: item{
			":head": text(headSK), ":uploads": text("T#"),
		},
	}
}

// owned returns the record of a head, and whether it is still there: a
// tombstone may be forgotten between the scan and the reading of its pages, and
// nothing else may.
func (s *Store) owned(ctx context.Context, it item) (r upload.Record, there bool, err error) {
	var h head
	if err := attributevalue.UnmarshalMap(it, &h); err != nil {
		return r, false, err
	}
	scanned, err := h.record()
	if err != nil || h.Paged == "" || h.Schema > upload.Schema {
		return scanned, err == nil, err
	}
	r, err = s.load(ctx, scanned.ID)
	if err != nil {
		return r, false, fmt.Errorf("upload %s: %w", scanned.Upload, err)
	}
	if r.State == upload.StateNone && scanned.State != upload.StateDeleted {
		return r, false, fmt.Errorf("upload %s: %w: it is gone", scanned.Upload, upload.ErrChanged)
	}
	return r, r.State != upload.StateNone, nil
}
