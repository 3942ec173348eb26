package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/source"
)

// Sample reads some rows of a table, at most most of them: whichever come first,
// eventually consistent. It is for a person's look; dynamodb:Scan.
func (t *Tables) Sample(ctx context.Context, table string, most int) ([]source.Row, error) {
	in := &dynamodb.ScanInput{TableName: aws.String(table), Limit: aws.Int32(int32(most))}
	var all []source.Row
	for {
		out, err := t.client.Scan(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("read some rows of table %s: %w", table, awsconf.Kind(err))
		}
		for _, found := range out.Items {
			if all = append(all, rowOf(found)); len(all) == most {
				return all, nil
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return all, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
