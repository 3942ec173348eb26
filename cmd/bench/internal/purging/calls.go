package purging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/awsconf"
)

// calls are the inputs of the SDK's calls, in the order in which they began.
type calls []any

// clients make the calls again.
type clients struct {
	dynamo *dynamodb.Client
	s3     *awss3.Client
}

func clientsOf(cfg aws.Config) clients { return clients{awsconf.DynamoDB(cfg), awsconf.S3(cfg)} }

// call makes one call, bare: nothing is decided, decoded or looked at but
// whether it succeeded.
func (c clients) call(ctx context.Context, in any) (err error) {
	switch in := in.(type) {
	case *dynamodb.BatchGetItemInput:
		_, err = c.dynamo.BatchGetItem(ctx, in)
	case *dynamodb.GetItemInput:
		_, err = c.dynamo.GetItem(ctx, in)
	case *dynamodb.PutItemInput:
		_, err = c.dynamo.PutItem(ctx, in)
	case *dynamodb.UpdateItemInput:
		_, err = c.dynamo.UpdateItem(ctx, in)
	case *awss3.GetBucketVersioningInput:
		_, err = c.s3.GetBucketVersioning(ctx, in)
	case *awss3.DeleteObjectsInput:
		_, err = c.s3.DeleteObjects(ctx, in)
	default:
		return fmt.Errorf("the worker makes a call that is not replayed: %T", in)
	}
	return err
}

// replay makes all calls again, so many at once, each as soon as there is a
// place for it; only those about one item of the ledger keep their order.
func (c calls) replay(ctx context.Context, cfg aws.Config) (time.Duration, error) {
	to, before := clientsOf(cfg), make([]chan struct{}, len(c))
	last := map[string]chan struct{}{}
	done := make([]chan struct{}, len(c))
	for i, in := range c {
		done[i] = make(chan struct{})
		if item := itemOf(in); item != "" {
			before[i], last[item] = last[item], done[i]
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(Concurrency)
	begun := time.Now()
	for i, in := range c {
		g.Go(func() error {
			defer close(done[i])
			if before[i] != nil {
				<-before[i]
			}
			return to.call(ctx, in)
		})
	}
	err := g.Wait()
	return time.Since(begun), err
}

// itemOf is the one item that a call is about; "" if it is about none, or many.
func itemOf(in any) string {
	switch in := in.(type) {
	case *dynamodb.PutItemInput:
		return partitionOf(in.Item)
	case *dynamodb.UpdateItemInput:
		return partitionOf(in.Key)
	}
	return ""
}

// singly purges the first n uploads as a loop would that has none of all this:
// read, claim, delete each object, finish, one call after the other.
func (c calls) singly(ctx context.Context, cfg aws.Config, n int) (time.Duration, error) {
	to := clientsOf(cfg)
	all, err := c.byUpload()
	if err != nil {
		return 0, err
	}
	if len(all) < n {
		return 0, errors.New("fewer uploads were purged than are to be")
	}
	begun := time.Now()
	for _, u := range all[:n] {
		if _, err := to.dynamo.GetItem(ctx, u.read); err != nil {
			return 0, err
		}
		if _, err := to.dynamo.PutItem(ctx, u.claim); err != nil {
			return 0, err
		}
		for _, d := range u.deletes {
			if _, err := to.s3.DeleteObject(ctx, d); err != nil {
				return 0, err
			}
		}
		if _, err := to.dynamo.PutItem(ctx, u.finish); err != nil {
			return 0, err
		}
	}
	return time.Since(begun), nil
}
