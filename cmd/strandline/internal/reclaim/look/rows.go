package look

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	checks "github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// stream looks at a source's table, and at who reads its stream.
func (e *eye) stream(ctx context.Context, i int) {
	out, err := e.dynamo.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(e.Sources[i].Table)})
	if err != nil {
		e.set(func() { e.facts.Sources[i].Stream = checks.Seen(reclaim.Stream{}, err) })
		return
	}
	s := reclaim.Stream{}
	if spec := out.Table.StreamSpecification; spec != nil && aws.ToBool(spec.StreamEnabled) {
		s.View, s.ARN = string(spec.StreamViewType), aws.ToString(out.Table.LatestStreamArn)
	}
	if index := e.Sources[i].Index; index != nil {
		s.Index = indexOf(out.Table, index.Name)
	}
	readers := checkup.Look[[]reclaim.Reader]{}
	if s.ARN != "" {
		readers = checks.Seen(e.readers(ctx, s.ARN))
	}
	e.set(func() { e.facts.Sources[i].Stream, e.facts.Sources[i].Readers = checkup.Saw(s), readers })
}

// indexOf is the index with the name, or for "" the table's own key.
func indexOf(t *types.TableDescription, name string) reclaim.Index {
	of := func(status string, keys []types.KeySchemaElement) reclaim.Index {
		i := reclaim.Index{Status: status}
		for _, k := range keys {
			if k.KeyType == types.KeyTypeHash {
				i.Attribute = aws.ToString(k.AttributeName)
			}
		}
		for _, a := range t.AttributeDefinitions {
			if aws.ToString(a.AttributeName) == i.Attribute {
				i.Type = string(a.AttributeType)
			}
		}
		return i
	}
	if name == "" {
		return of("ACTIVE", t.KeySchema)
	}
	for _, index := range t.GlobalSecondaryIndexes {
		if aws.ToString(index.IndexName) == name {
			return of(string(index.IndexStatus), index.KeySchema)
		}
	}
	return reclaim.Index{}
}

// mostObjects is how many of a sample's objects are looked for.
const mostObjects = 20

// sample reads some rows as the relay would.
func (e *eye) sample(ctx context.Context, i int) {
	s := e.Sources[i]
	read, err := e.tables.Sample(ctx, s.Table, e.Sample)
	if err != nil {
		e.set(func() { e.facts.Sources[i].Sample = checks.Seen(reclaim.Sample{}, err) })
		return
	}
	got := reclaim.Sample{Rows: len(read), Unreadable: map[string]int{}}
	shapes := map[string]bool{}
	for _, row := range read {
		named, foreign, err := s.Names(row)
		if err != nil {
			got.Unreadable[err.Error()]++ // it holds no value
			continue
		}
		got.Foreign += foreign
		for _, n := range named {
			got.Named++
			shapes[n.Bucket+"/"+reclaim.Shape(n.Key)] = true
			if !s.Findable(n) {
				got.Unfindable++
			}
			if got.Asked < mostObjects {
				e.standing(ctx, n.Object, &got)
			}
		}
	}
	e.set(func() { e.facts.Sources[i].Sample, e.shapes[i] = checkup.Saw(got), shapes })
}

// standing looks whether an object is there. What cannot be looked for counts
// neither way.
func (e *eye) standing(ctx context.Context, o source.Object, into *reclaim.Sample) {
	in := &s3.HeadObjectInput{Bucket: aws.String(o.Bucket), Key: aws.String(o.Key)}
	if o.VersionID != "" {
		in.VersionId = aws.String(o.VersionID)
	}
	_, err := e.s3.HeadObject(ctx, in)
	switch {
	case err == nil:
		into.Asked++
		into.Standing++
	case errors.Is(awsconf.Kind(err), upload.ErrAbsent):
		into.Asked++
	}
}
