package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/cmd/bench/internal/sdkcalls"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/ledger/backlog"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

// slowerAtMost is how much longer a pass may take than its batches alone: eight
// hundred commands take the executors ten batches each, one after the other, and
// a cursor; and all of them wait for one look at the gate, one at the queue, and
// one write of the run. So 14 calls in place of 10, and the plan comes before
// them.
const slowerAtMost = 1.6

// runPublish measures whole passes that publish, beside the bare sending of the
// same batches, with as many calls at once. Gate, runs, cursors and queue are
// over the wire; the backlog is computed.
func runPublish(ctx context.Context, args []string) error {
	f := flagsOf("publish")
	candidates := f.Int("candidates", 100_000, "uploads to publish, in all")
	pairs := f.Int("pairs", 5, "passes among which they are divided, each followed by its batches sent bare; medians are printed")
	short := f.Bool("short", false, "19,200 candidates, three pairs")
	if err := parse(f, args); err != nil {
		return err
	}
	if *short {
		*candidates, *pairs = 19_200, 3
	}
	if *pairs < 1 || *candidates < *pairs*ledger.Shards {
		return fmt.Errorf("at least one pair, and %d candidates for each, are needed", ledger.Shards)
	}
	return onEmulator(ctx, func(endpoint string) error { return publish(ctx, endpoint, *candidates, *pairs) })
}

func publish(ctx context.Context, endpoint string, candidates, pairs int) error {
	perPass := candidates / pairs / ledger.Shards * ledger.Shards
	w, err := newPublishing(ctx, endpoint, perPass, pairs)
	if err != nil {
		return err
	}
	var ours, bare, ratios, others []float64
	for range pairs {
		pass, err := w.next(ctx)
		if err != nil {
			return err
		}
		others = append(others, float64(w.calls-len(w.sent))/float64(len(w.sent)))
		alone, err := w.replay(ctx)
		if err != nil {
			return err
		}
		ours, bare = append(ours, float64(perPass)/pass.Seconds()), append(bare, float64(perPass)/alone.Seconds())
		ratios = append(ratios, pass.Seconds()/alone.Seconds())
	}
	return show(fmt.Sprintf("publish: %d candidates in %d passes, over the wire; bound: the same SendMessageBatch calls, bare, %d at once; medians of %d", perPass*pairs, pairs, inTurns, pairs),
		figure{what: "a whole pass, with plan, gate, depth, run and cursors; baseline: the bound", measured: median(ours), unit: "commands/s", baseline: median(bare)},
		figure{what: "median of the pairs' ratios, of time", measured: median(ratios), unit: "x", bound: atMost(slowerAtMost)},
		figure{what: "other calls of a pass, for one of those", measured: median(others), unit: "calls", bound: atMost(0.2)},
	)
}

// publishing is an installation on an emulator with a backlog.
type publishing struct {
	pass    cleanup.Pass
	perPass int
	backlog *backlog.Backlog
	url     string
	client  *awssqs.Client
	passes  int
	noted   sdkcalls.Log
	// Of the last pass: how many calls it made, and those that sent commands.
	calls int
	sent  []*awssqs.SendMessageBatchInput
}

func newPublishing(ctx context.Context, endpoint string, perPass, passes int) (*publishing, error) {
	cloud := awsconf.ForEndpoint(endpoint)
	in, err := schema.New("bench-publish", policy.Default(), "uploads")
	if err != nil {
		return nil, err
	}
	made, err := create.Create(ctx, create.For(cloud), in)
	if err != nil {
		return nil, err
	}
	w := &publishing{
		perPass: perPass, client: awsconf.SQS(cloud), url: made.PurgeURL,
		backlog: &backlog.Backlog{First: time.Now().Add(-48 * time.Hour)},
	}
	for shard := range w.backlog.Entries {
		w.backlog.Entries[shard] = perPass * passes / ledger.Shards
	}
	noted := w.noted.Of(cloud)
	dynamo := awsconf.DynamoDB(noted)
	documents, open := ledgers.New(dynamo, in.Ledger.Name), gates.New(dynamo, in.Ledger.Name, "main", time.Now)
	if err := open.SetMode(ctx, gate.Delete); err != nil {
		return nil, err
	}
	w.pass = cleanup.Pass{
		Policy: policy.Default(), Candidates: w.backlog, Documents: documents, Switch: open,
		Queue: sqs.New(awsconf.SQS(noted), w.url, ""), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	w.pass.Policy.MaxPerPass, w.pass.Policy.MaxDeleteCount = perPass, 1<<50
	if w.backlog.Record, err = givenUp(w.pass.Policy, upload.ID{Tenant: "t", Upload: "u"}, w.backlog.First); err != nil {
		return nil, err
	}
	_, err = cleanup.Census{Ledger: documents, Now: time.Now, Log: w.pass.Log}.Recount(ctx)
	return w, err
}

// next makes a pass into the empty queue, and looks whether the queue has what
// was published.
func (w *publishing) next(ctx context.Context) (time.Duration, error) {
	if err := w.empty(ctx); err != nil {
		return 0, err
	}
	w.passes++
	w.noted.Take()
	begun := time.Now()
	r, err := w.pass.Run(ctx, cleanup.Trigger{Schedule: fmt.Sprintf("bench-%d", w.passes), FireTime: begun})
	took := time.Since(begun)
	if err != nil {
		return 0, err
	}
	w.sort(w.noted.Take())
	if n := r.Tally.Published.Uploads; r.State != cleanup.RunDone || n != int64(w.perPass) {
		return 0, fmt.Errorf("a pass ended %s: %s %q, published %d", r.State, r.Reason, r.Notes, n)
	}
	return took, w.holdsThem(ctx)
}

// sort counts the calls of a pass, and keeps those that sent commands.
func (w *publishing) sort(made []any) {
	w.calls, w.sent = len(made), nil
	for _, in := range made {
		if batch, ok := in.(*awssqs.SendMessageBatchInput); ok {
			w.sent = append(w.sent, batch)
		}
	}
}

// replay sends the last pass's batches again, into the empty queue.
func (w *publishing) replay(ctx context.Context) (time.Duration, error) {
	if err := w.empty(ctx); err != nil {
		return 0, err
	}
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(inTurns)
	begun := time.Now()
	for _, batch := range w.sent {
		group.Go(func() error {
			_, err := w.client.SendMessageBatch(within, batch)
			return err
		})
	}
	err := group.Wait()
	took := time.Since(begun)
	return took, errors.Join(err, w.holdsThem(ctx))
}

// empty, for either side: what a queue holds already may make it slower.
func (w *publishing) empty(ctx context.Context) error {
	_, err := w.client.PurgeQueue(ctx, &awssqs.PurgeQueueInput{QueueUrl: aws.String(w.url)})
	return err
}

func (w *publishing) holdsThem(ctx context.Context) error {
	held, err := sqs.New(w.client, w.url, "").Depth(ctx)
	if err == nil && held != int64(w.perPass) {
		err = fmt.Errorf("the queue holds %d commands of %d", held, w.perPass)
	}
	return err
}
