package purging

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	smithytime "github.com/aws/smithy-go/time"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	// Concurrency is the worker's default, and so that of what it is held against.
	Concurrency = 16
	// BatchSize is how many messages one event has.
	BatchSize = 1000
	preparing = 32 // calls at once, while nothing is measured
)

// world is an installation on an emulator with uploads to purge.
type world struct {
	cloud   aws.Config
	cfg     worker.Config
	made    *create.Created
	bucket  string
	records []upload.Record
	// items is the whole table before anything was purged.
	items []map[string]types.AttributeValue
}

// newWorld makes the installation; the gate is as wide as it can be, for the
// rate is not what is measured.
func newWorld(ctx context.Context, endpoint, name string) (*world, error) {
	w := &world{cloud: awsconf.ForEndpoint(endpoint)}
	in, err := schema.New(name, policy.Default(), "uploads")
	if err != nil {
		return nil, err
	}
	if w.made, err = create.Create(ctx, create.For(w.cloud), in); err != nil {
		return nil, err
	}
	w.bucket = in.Buckets[0].Name
	w.cfg = worker.Config{
		Table: in.Ledger.Name, QueueURL: w.made.PurgeURL, DeadLetterURL: w.made.DeadLetterURL, Gate: "main",
		Concurrency: Concurrency, DeadlineMargin: 10 * time.Second, Policy: policy.Default(),
	}
	opened := gates.New(awsconf.DynamoDB(w.cloud), w.cfg.Table, w.cfg.Gate, time.Now)
	if err := opened.SetRate(ctx, gate.MaxRate, gate.MaxBurst); err != nil {
		return nil, err
	}
	return w, opened.SetMode(ctx, gate.Delete)
}

// fill makes uploads of so many objects each; put says whether these are there,
// too. To delete what is not there is a success, for S3 as for the emulator.
func (w *world) fill(ctx context.Context, sizes []int, put bool) error {
	w.records = make([]upload.Record, len(sizes))
	ledger, now := ledgers.New(awsconf.DynamoDB(w.cloud), w.cfg.Table), time.Now()
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(preparing)
	for i, objects := range sizes {
		g.Go(func() (err error) {
			versions := versionsOf(i, objects)
			if put {
				if versions, err = w.put(within, nameOf(i), objects); err != nil {
					return err
				}
			}
			r, err := cancelled(nameOf(i), w.bucket, versions, now)
			if err != nil {
				return err
			}
			w.records[i], err = write(within, ledger, r)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return w.remember(ctx)
}

// put puts the objects of an upload and returns their versions.
func (w *world) put(ctx context.Context, id upload.ID, objects int) ([]string, error) {
	client, versions := awsconf.S3(w.cloud), make([]string, objects)
	for n := range versions {
		out, err := client.PutObject(ctx, &awss3.PutObjectInput{
			Bucket: aws.String(w.bucket), Key: aws.String(keyOf(id, n+1)), Body: strings.NewReader("data"),
		})
		if err != nil {
			return nil, err
		}
		versions[n] = aws.ToString(out.VersionId)
	}
	return versions, nil
}

// purge has one worker purge everything, batch by batch, and returns how long
// it took.
func (w *world) purge(ctx context.Context, cloud aws.Config) (time.Duration, error) {
	app, err := w.app(cloud)
	if err != nil {
		return 0, err
	}
	events, err := w.events()
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	for _, event := range events {
		if err := handleEvent(ctx, app, event); err != nil {
			return 0, err
		}
	}
	return time.Since(begun), nil
}

func (w *world) events() (all []json.RawMessage, err error) {
	for batch := range slices.Chunk(w.records, BatchSize) {
		event, err := eventOf(batch, time.Now())
		if err != nil {
			return nil, err
		}
		all = append(all, event)
	}
	return all, nil
}

// handleEvent hands one event to the function, which has to do all of it.
func handleEvent(ctx context.Context, app *worker.App, event json.RawMessage) error {
	answer, err := app.Handle(ctx, event)
	if err == nil && len(answer.BatchItemFailures) > 0 {
		err = fmt.Errorf("%d messages of a batch were not done", len(answer.BatchItemFailures))
	}
	return err
}

// app is the function as it is deployed; what it logs is written, to nobody.
func (w *world) app(cloud aws.Config) (*worker.App, error) {
	dynamo, store := awsconf.DynamoDB(cloud), s3.New(awsconf.S3(cloud))
	return worker.NewFrom(w.cfg, worker.Deps{
		Records: ledgers.New(dynamo, w.cfg.Table), Store: store, Parts: store,
		Gate:  gates.New(dynamo, w.cfg.Table, w.cfg.Gate, time.Now),
		Queue: sqs.New(awsconf.SQS(cloud), w.cfg.QueueURL, w.cfg.DeadLetterURL),
		Log:   slog.New(slog.NewJSONHandler(io.Discard, nil)), Now: time.Now, Sleep: smithytime.SleepWithContext,
	})
}

// verify asks whether everything is gone, and was finished.
func (w *world) verify(ctx context.Context) error {
	for _, err := range s3.New(awsconf.S3(w.cloud)).Versions(ctx, w.bucket, "") {
		return cmp.Or(err, errors.New("a version is left"))
	}
	ledger := ledgers.New(awsconf.DynamoDB(w.cloud), w.cfg.Table)
	for chunk := range slices.Chunk(w.records, 100) {
		ids := make([]upload.ID, len(chunk))
		for i, r := range chunk {
			ids[i] = r.ID
		}
		records, err := ledger.LoadMany(ctx, ids)
		if err != nil {
			return err
		}
		for _, r := range records {
			if r.State != upload.StateDeleted {
				return fmt.Errorf("upload %s is %s", r.Upload, r.State)
			}
		}
	}
	return nil
}

// remember keeps the table's items, and restore puts them back.
func (w *world) remember(ctx context.Context) error {
	w.items = nil
	pages := dynamodb.NewScanPaginator(awsconf.DynamoDB(w.cloud), &dynamodb.ScanInput{TableName: aws.String(w.cfg.Table)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		w.items = append(w.items, page.Items...)
	}
	return nil
}

func (w *world) restore(ctx context.Context) error {
	const atOnce = 25 // what one call takes
	client := awsconf.DynamoDB(w.cloud)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(preparing)
	for items := range slices.Chunk(w.items, atOnce) {
		g.Go(func() error {
			writes := make([]types.WriteRequest, len(items))
			for i, item := range items {
				writes[i].PutRequest = &types.PutRequest{Item: item}
			}
			out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{w.cfg.Table: writes},
			})
			if err == nil && len(out.UnprocessedItems) > 0 {
				err = errors.New("items were left unprocessed")
			}
			return err
		})
	}
	return g.Wait()
}
