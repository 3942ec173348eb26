package dynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/rows"
)

// page is how many rows one query reads at most: the first one is often enough.
const page = 25

// Tables reads tables of one account and Region. It is safe for concurrent use.
type Tables struct {
	client *dynamodb.Client
	mu     sync.Mutex
	keys   map[string][]string // the key attributes by table, once they are known
}

// New returns a reader that remembers the tables' keys.
func New(client *dynamodb.Client) *Tables {
	return &Tables{client: client, keys: map[string][]string{}}
}

type item = map[string]types.AttributeValue

// Find see [rows.Tables].
func (t *Tables) Find(ctx context.Context, s source.Source, value string) iter.Seq2[rows.Row, error] {
	return func(yield func(rows.Row, error) bool) {
		fail := func(err error) { yield(rows.Row{}, fmt.Errorf("find rows of table %s: %w", s.Table, err)) }
		if s.Index == nil {
			fail(errors.New("it has no index"))
			return
		}
		keys, err := t.keysOf(ctx, s.Table)
		if err != nil {
			fail(err)
			return
		}
		for pointed, err := range t.query(ctx, s, value) {
			if err != nil {
				fail(err)
				return
			}
			row, err := t.whole(ctx, s, pointed, keys)
			if err != nil {
				fail(err)
				return
			}
			if row != nil && !yield(rows.Row{Row: rowOf(row), Keys: rowOf(only(row, keys))}, nil) {
				return
			}
		}
	}
}

// query yields what the index has under the value.
func (t *Tables) query(ctx context.Context, s source.Source, value string) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		in := &dynamodb.QueryInput{
			TableName: aws.String(s.Table), Limit: aws.Int32(page),
			KeyConditionExpression:    aws.String("#attribute = :value"),
			ExpressionAttributeNames:  map[string]string{"#attribute": s.Index.Attribute},
			ExpressionAttributeValues: item{":value": &types.AttributeValueMemberS{Value: value}},
		}
		if s.Index.Name == "" {
			in.ConsistentRead = aws.Bool(true)
		} else {
			in.IndexName = aws.String(s.Index.Name)
		}
		for {
			out, err := t.client.Query(ctx, in)
			if err != nil {
				yield(nil, awsconf.Kind(err))
				return
			}
			for _, found := range out.Items {
				if !yield(found, nil) {
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

// whole is the row that an index points to, as it is now; nil if it is gone.
// What the table's own key has found is that already.
func (t *Tables) whole(ctx context.Context, s source.Source, pointed item, keys []string) (item, error) {
	if s.Index.Name == "" {
		return pointed, nil
	}
	key := only(pointed, keys)
	if len(key) != len(keys) {
		return nil, errors.New("its index does not say which row it points to")
	}
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(s.Table), Key: key, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, awsconf.Kind(err)
	}
	return out.Item, nil
}

// keysOf asks once for each table; what failed is asked again.
func (t *Tables) keysOf(ctx context.Context, table string) ([]string, error) {
	t.mu.Lock()
	keys, ok := t.keys[table]
	t.mu.Unlock()
	if ok {
		return keys, nil
	}
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)})
	if err != nil {
		return nil, awsconf.Kind(err)
	}
	if out.Table == nil || len(out.Table.KeySchema) == 0 {
		return nil, errors.New("nobody says what its key is")
	}
	for _, k := range out.Table.KeySchema {
		keys = append(keys, aws.ToString(k.AttributeName))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys[table] = keys
	return keys, nil
}

// only keeps the attributes with these names.
func only(all item, names []string) item {
	some := item{}
	for _, name := range names {
		if v, ok := all[name]; ok {
			some[name] = v
		}
	}
	return some
}
