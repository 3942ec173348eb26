package dynamo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/schema"
)

// Gate is a handle on the stored gate. Goroutines of one process share one:
// then they do not contend with each other in the table.
type Gate struct {
	client *dynamodb.Client
	table  string
	name   string
	now    func() time.Time
	by     gate.Decision

	// turn lets one reservation of this process at a time to the table.
	turn chan struct{}
	// shared: others reserve too. Whoever has the turn has it.
	shared bool
	// last is the item as it was last seen; nil before the first look.
	last atomic.Pointer[gate.State]
}

// New returns a handle on the gate called name in the ledger's table.
func New(client *dynamodb.Client, table, name string, now func() time.Time) *Gate {
	return &Gate{client: client, table: table, name: name, now: now, by: gate.Decision{Saw: gate.AnyRevision}, turn: make(chan struct{}, 1)}
}

// By returns another handle on the same gate, whose calls are the decision's.
func (g *Gate) By(d gate.Decision) *Gate {
	other := New(g.client, g.table, g.name, g.now)
	other.by = d
	return other
}

// Read returns the stored state, consistently. Its ServerTime is the Date of
// the answer; zero if there was none.
func (g *Gate) Read(ctx context.Context) (gate.State, error) {
	s, err := g.read(ctx)
	if err != nil {
		return gate.State{}, fmt.Errorf("read gate %s: %w", g.name, err)
	}
	return s, nil
}

func (g *Gate) read(ctx context.Context) (gate.State, error) {
	out, err := g.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      aws.String(g.table),
		Key:            g.key(),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return gate.State{}, awsconf.Kind(err)
	}
	s, err := g.seen(out.Item, nil)
	s.ServerTime, _ = awsconf.ServerTime(out.ResultMetadata)
	return s, err
}

// update is one write. Without a condition it always happens.
type update struct {
	expression string
	condition  string
	values     attributes
}

// errLost: the condition of a write did not hold.
var errLost = errors.New("condition does not hold")

// write returns the state as it is stored now, also with errLost: then the
// condition's own answer shows it, and no read is needed.
func (g *Gate) write(ctx context.Context, u update) (gate.State, error) {
	in := &dynamodb.UpdateItemInput{
		TableName:                           aws.String(g.table),
		Key:                                 g.key(),
		UpdateExpression:                    aws.String(u.expression),
		ExpressionAttributeValues:           u.values,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if u.condition != "" {
		in.ConditionExpression = aws.String(u.condition)
	}
	out, err := g.client.UpdateItem(ctx, in)
	var lost *types.ConditionalCheckFailedException
	if errors.As(err, &lost) {
		return g.seen(lost.Item, errLost)
	}
	if err != nil {
		return gate.State{}, awsconf.Kind(err)
	}
	return g.seen(out.Attributes, nil)
}

// seen remembers an item that an answer showed.
func (g *Gate) seen(item attributes, err error) (gate.State, error) {
	s, unreadable := decode(item)
	if unreadable != nil {
		return gate.State{}, unreadable
	}
	g.last.Store(&s)
	return s, err
}

func (g *Gate) key() attributes {
	return attributes{
		schema.PartitionKey: text("GATE#" + g.name),
		schema.SortKey:      text("#"),
	}
}
