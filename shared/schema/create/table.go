package create

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/schema"
)

// table looks first: what was not there and then "exists" is a creation of ours
// whose answer was lost, so that it was sent again.
func (m *Created) table(ctx context.Context, t schema.Table) error {
	exists, err := m.tableExists(ctx, t.Name)
	if err != nil {
		return err
	}
	if exists {
		if err := m.active(ctx, t.Name); err != nil {
			return err
		}
		return m.sameTable(ctx, t)
	}
	_, err = m.clients.DynamoDB.CreateTable(ctx, describe(t))
	var inUse *types.ResourceInUseException
	if err != nil && !errors.As(err, &inUse) {
		return doing(err, "create table %s", t.Name)
	}
	m.tables = append(m.tables, t.Name)
	if err := m.active(ctx, t.Name); err != nil {
		return err
	}
	return m.tableSettings(ctx, t)
}

func (m *Created) tableExists(ctx context.Context, name string) (bool, error) {
	_, err := m.clients.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)})
	var absent *types.ResourceNotFoundException
	if errors.As(err, &absent) {
		return false, nil
	}
	return err == nil, doing(err, "look for table %s", name)
}

func describe(t schema.Table) *dynamodb.CreateTableInput {
	attribute := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	return &dynamodb.CreateTableInput{
		TableName:   aws.String(t.Name),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			attribute(schema.PartitionKey), attribute(schema.SortKey), attribute(schema.DueShard), attribute(schema.DueAt),
		},
		KeySchema: keys(schema.PartitionKey, schema.SortKey),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String(schema.DueIndex),
			KeySchema:  keys(schema.DueShard, schema.DueAt),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(t.Stream),
		},
		DeletionProtectionEnabled: aws.Bool(t.DeletionProtection),
	}
}

func keys(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
	}
}

// active waits for the table; it is active only when its indexes are.
func (m *Created) active(ctx context.Context, name string) error {
	wait := dynamodb.NewTableExistsWaiter(m.clients.DynamoDB, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, 5*time.Second
	})
	err := wait.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)}, activeWithin)
	return doing(err, "wait for table %s", name)
}

func (m *Created) tableSettings(ctx context.Context, t schema.Table) error {
	if err := m.timeToLive(ctx, t.Name, true); err != nil {
		return err
	}
	_, err := m.clients.DynamoDB.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName: aws.String(t.Name),
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: aws.Bool(t.PointInTime),
		},
	})
	return doing(err, "set the recovery of table %s", t.Name)
}

// KeepExpired turns off the time to live of the tables that were made. An emulator
// goes by the machine's clock, and what stands on it often by its own: what has
// expired in the one may be needed in the other.
func (m *Created) KeepExpired(ctx context.Context) error {
	for _, name := range m.tables {
		if err := m.timeToLive(ctx, name, false); err != nil {
			return err
		}
	}
	return nil
}

func (m *Created) timeToLive(ctx context.Context, table string, on bool) error {
	_, err := m.clients.DynamoDB.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(table),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(schema.TTL), Enabled: aws.Bool(on)},
	})
	return doing(err, "set the time to live of table %s", table)
}

// sameTable refuses a table that exists and is another.
func (m *Created) sameTable(ctx context.Context, t schema.Table) error {
	out, err := m.clients.DynamoDB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(t.Name)})
	if err != nil {
		return doing(err, "describe table %s", t.Name)
	}
	want := describe(t)
	got := out.Table
	if has, wants := keyNames(got.KeySchema), keyNames(want.KeySchema); has != wants {
		return different("table", t.Name, "key", has, wants)
	}
	if has, wants := indexOf(got), schema.DueIndex+" on "+keyNames(want.GlobalSecondaryIndexes[0].KeySchema)+", KEYS_ONLY"; has != wants {
		return different("table", t.Name, "index", has, wants)
	}
	for _, a := range got.AttributeDefinitions {
		if a.AttributeType != types.ScalarAttributeTypeS {
			return different("table", t.Name, "type of "+aws.ToString(a.AttributeName), a.AttributeType, types.ScalarAttributeTypeS)
		}
	}
	stream := "none"
	if s := got.StreamSpecification; s != nil && aws.ToBool(s.StreamEnabled) {
		stream = string(s.StreamViewType)
	}
	if stream != t.Stream {
		return different("table", t.Name, "stream", stream, t.Stream)
	}
	return m.sameTimeToLive(ctx, t)
}

func (m *Created) sameTimeToLive(ctx context.Context, t schema.Table) error {
	out, err := m.clients.DynamoDB.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(t.Name)})
	if err != nil {
		return doing(err, "describe the time to live of table %s", t.Name)
	}
	d := out.TimeToLiveDescription
	if d == nil || d.AttributeName == nil {
		return m.tableSettings(ctx, t) // its creation was broken off before this
	}
	if has := *d.AttributeName; has != schema.TTL {
		return different("table", t.Name, "time to live", has, schema.TTL)
	}
	return nil
}

func keyNames(elements []types.KeySchemaElement) string {
	var hash, sort string
	for _, e := range elements {
		if e.KeyType == types.KeyTypeHash {
			hash = aws.ToString(e.AttributeName)
		} else {
			sort = aws.ToString(e.AttributeName)
		}
	}
	return hash + " and " + sort
}

func indexOf(t *types.TableDescription) string {
	for _, i := range t.GlobalSecondaryIndexes {
		if aws.ToString(i.IndexName) == schema.DueIndex && i.Projection != nil {
			return fmt.Sprintf("%s on %s, %s", schema.DueIndex, keyNames(i.KeySchema), i.Projection.ProjectionType)
		}
	}
	return "none of this name"
}

func (m *Created) deleteTable(ctx context.Context, name string) error {
	_, err := m.clients.DynamoDB.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)})
	var absent *types.ResourceNotFoundException
	if errors.As(err, &absent) {
		return nil // deleted already, and the answer lost
	}
	return doing(err, "delete table %s", name)
}
