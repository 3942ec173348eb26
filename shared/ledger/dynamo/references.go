package dynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// referencesBegin is how the sort keys of an upload's references begin.
const referencesBegin = "R#"

// References yields every reference to an upload that was ever added. After an
// error nothing more comes.
func (s *Store) References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error] {
	return func(yield func(ledger.ReferenceUse, error) bool) {
		fail := func(err error) {
			yield(ledger.ReferenceUse{}, fmt.Errorf("read the references of upload %s: %w", id.Upload, err))
		}
		if err := ledger.CheckID(id); err != nil {
			fail(err)
			return
		}
		in := &dynamodb.QueryInput{
			TableName: s.table, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:    aws.String("pk = :pk AND begins_with(sk, :references)"),
			ExpressionAttributeValues: item{":pk": text(uploadKey(id).pk), ":references": text(referencesBegin)},
		}
		for {
			out, err := s.client.Query(ctx, in)
			if err != nil {
				fail(awsconf.Kind(err))
				return
			}
			for _, it := range out.Items {
				use, err := referenceUse(it)
				if err != nil {
					fail(err)
					return
				}
				if !yield(use, nil) {
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

// referenceUse is the inverse of referenceKey, with what the item says.
func referenceUse(it item) (ledger.ReferenceUse, error) {
	parts := strings.Split(textOf(it["sk"]), "#")
	if len(parts) != 4 {
		return ledger.ReferenceUse{}, errors.New("an item in the place of a reference is none")
	}
	generation, err := strconv.ParseInt(parts[3], 10, 64)
	if err != nil {
		return ledger.ReferenceUse{}, fmt.Errorf("a reference has no generation: %w", err)
	}
	use := ledger.ReferenceUse{Reference: upload.Reference{
		Source: unescaper.Replace(parts[1]), Entity: unescaper.Replace(parts[2]), Generation: generation,
	}}
	var stored struct {
		At *int64 `dynamodbav:"at"`
	}
	if err := attributevalue.UnmarshalMap(it, &stored); err != nil {
		return use, fmt.Errorf("a reference's instant: %w", err)
	}
	use.Added = fromMillis(stored.At)
	switch stored := textOf(it["use"]); stored {
	case useLive:
		use.State = ledger.ReferenceLive
	case useDropped:
		use.State = ledger.ReferenceDropped
	default:
		return use, fmt.Errorf("a reference's use %q is unknown", stored)
	}
	return use, nil
}
