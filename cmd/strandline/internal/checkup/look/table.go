package look

import (
	"context"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/cleanup"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/schema"
)

func (e *eye) caller(ctx context.Context) {
	out, err := e.sts.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	c := checkup.Caller{}
	if err == nil {
		c.ARN = aws.ToString(out.Arn)
	}
	e.set(func(f *checkup.Facts) { f.Caller = seen(c, err) })
}

func (e *eye) table(ctx context.Context) {
	out, err := e.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(e.Site.Table)})
	e.set(func(f *checkup.Facts) {
		backups, ttl := f.Table.Got.PointInTime, f.Table.Got.TimeToLive
		t := checkup.Table{}
		if err == nil {
			t = described(out.Table)
		}
		f.Table = seen(t, err)
		f.Table.Got.Name = e.Site.Table
		f.Table.Got.PointInTime, f.Table.Got.TimeToLive = backups, ttl
	})
}

// sourceTables are the looks at the applications' tables, as the functions are
// told of them, whose places in the facts are made first.
func (e *eye) sourceTables() []func(context.Context) {
	for _, s := range e.sources() {
		if s.Table != "" {
			e.facts.Tables = append(e.facts.Tables, checkup.SourceTable{Name: s.Table})
		}
	}
	var looks []func(context.Context)
	for i := range e.facts.Tables {
		looks = append(looks, func(ctx context.Context) {
			out, err := e.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(e.facts.Tables[i].Name)})
			arns := checkup.TableARNs{}
			if err == nil {
				arns = checkup.TableARNs{Table: aws.ToString(out.Table.TableArn), Stream: aws.ToString(out.Table.LatestStreamArn)}
			}
			e.set(func(f *checkup.Facts) { f.Tables[i].Look = seen(arns, err) })
		})
	}
	return looks
}

func described(d *types.TableDescription) checkup.Table {
	t := checkup.Table{
		ARN: aws.ToString(d.TableArn), Status: string(d.TableStatus), Key: keyOf(d.KeySchema),
		Protected: aws.ToBool(d.DeletionProtectionEnabled),
	}
	if s := d.SSEDescription; s != nil {
		t.CustomerKey = aws.ToString(s.KMSMasterKeyArn)
	}
	if s := d.StreamSpecification; s != nil && aws.ToBool(s.StreamEnabled) {
		t.Stream = string(s.StreamViewType)
	}
	for _, i := range d.GlobalSecondaryIndexes {
		if aws.ToString(i.IndexName) != schema.DueIndex {
			continue
		}
		t.Index, t.IndexStatus = keyOf(i.KeySchema), string(i.IndexStatus)
		if aws.ToBool(i.Backfilling) {
			t.IndexStatus = "BACKFILLING"
		}
		if i.Projection != nil {
			t.Projection = string(i.Projection.ProjectionType)
		}
	}
	return t
}

func keyOf(elements []types.KeySchemaElement) string {
	hash, sort := "", ""
	for _, one := range elements {
		if one.KeyType == types.KeyTypeHash {
			hash = aws.ToString(one.AttributeName)
		} else {
			sort = aws.ToString(one.AttributeName)
		}
	}
	return hash + " and " + sort
}

func (e *eye) backups(ctx context.Context) {
	out, err := e.dynamo.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(e.Site.Table)})
	on := false
	if err == nil && out.ContinuousBackupsDescription != nil {
		p := out.ContinuousBackupsDescription.PointInTimeRecoveryDescription
		on = p != nil && p.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
	}
	e.set(func(f *checkup.Facts) { f.Table.Got.PointInTime = seen(on, err) })
}

func (e *eye) timeToLive(ctx context.Context) {
	out, err := e.dynamo.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(e.Site.Table)})
	by := ""
	if err == nil && out.TimeToLiveDescription != nil {
		switch d := out.TimeToLiveDescription; d.TimeToLiveStatus {
		case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
			by = aws.ToString(d.AttributeName)
		}
	}
	e.set(func(f *checkup.Facts) { f.Table.Got.TimeToLive = seen(by, err) })
}

func (e *eye) gate(ctx context.Context) {
	state, err := gates.New(e.dynamo, e.Site.Table, e.Site.Gate, e.Now).Read(ctx)
	e.set(func(f *checkup.Facts) { f.Gate = seen(state, err) })
}

func (e *eye) census(ctx context.Context) {
	count := cleanup.Census{Ledger: dynamo.New(e.dynamo, e.Site.Table), Now: e.Now, Log: slog.New(slog.DiscardHandler)}
	counted, err := count.Read(ctx)
	e.set(func(f *checkup.Facts) { f.Census = seen(counted, err) })
}
