package look

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	checks "github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	tables "github.com/strandline-dev/strandline/shared/source/dynamo"
)

const (
	// within bounds one look at a service, its retries included; those at the
	// whole ledger take as long as it is.
	within = 20 * time.Second
	// atOnce is how many looks go side by side.
	atOnce = 8
	// sourcesVariable tells worker and relay of the sources.
	sourcesVariable = policy.EnvPrefix + "SOURCES"
)

// Options say what to look at.
type Options struct {
	Site   site.Site
	Opened site.Opened
	// Prefix begins the names of the functions.
	Prefix  string
	Sources []source.Source
	// Sample is how many rows of each table are read.
	Sample int
	// ReleasesURL and ReleasesDeadURL are the queues of releases; empty: named as
	// the queue of dead letters is.
	ReleasesURL, ReleasesDeadURL string
	Now                          func() time.Time
	// Looked is told how many looks are done, one call at a time; nil for nobody.
	Looked func(done int64)
}

// eye is one gathering under way.
type eye struct {
	Options
	dynamo    *dynamodb.Client
	tables    *tables.Tables
	functions *lambda.Client
	queues    *sqs.Client
	s3        *s3.Client

	mu    sync.Mutex
	done  int64
	facts reclaim.Facts
	// shapes are those of the objects that each source's sample names: the bucket,
	// a slash, and the key's.
	shapes []map[string]bool
}

// Gather looks at everything. What it cannot see is in the facts; it fails
// never, and ends early when the context does.
func Gather(ctx context.Context, o Options) reclaim.Facts {
	cfg := o.Opened.Config
	e := &eye{
		Options: o, dynamo: awsconf.DynamoDB(cfg), tables: tables.New(awsconf.DynamoDB(cfg)),
		functions: lambda.NewFromConfig(cfg), queues: awsconf.SQS(cfg), s3: awsconf.S3(cfg),
		facts:  reclaim.Facts{Table: o.Site.Table, Region: cfg.Region, Policy: o.Opened.Policy, RelayName: o.Prefix + "-relay"},
		shapes: make([]map[string]bool, len(o.Sources)),
	}
	looks := []func(context.Context){
		bounded(e.gate), bounded(func(ctx context.Context) { e.told(ctx, "relay", &e.facts.Relay) }),
		bounded(func(ctx context.Context) { e.told(ctx, "worker", &e.facts.Worker) }),
		bounded(e.queue), e.dead, e.waiting,
	}
	for i, s := range o.Sources {
		e.facts.Sources = append(e.facts.Sources, reclaim.Source{Source: s})
		looks = append(looks, bounded(func(ctx context.Context) { e.last(ctx, i) }))
		if s.Table != "" {
			looks = append(looks, bounded(func(ctx context.Context) { e.stream(ctx, i) }), bounded(func(ctx context.Context) { e.sample(ctx, i) }))
		}
	}
	e.together(ctx, looks...)
	e.together(ctx, e.orphans) // by the shapes of what the samples name
	e.facts.Now = o.Now()
	return e.facts
}

// bounded is a look that is given up after a while.
func bounded(look func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		limited, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		look(limited)
	}
}

// together makes looks side by side and returns when all are done.
func (e *eye) together(ctx context.Context, looks ...func(context.Context)) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, look := range looks {
		group.Go(func() error {
			look(ctx)
			e.set(func() { e.done++ })
			if e.Looked != nil {
				e.set(func() { e.Looked(e.done) })
			}
			return nil
		})
	}
	_ = group.Wait() // no look returns an error
}

// set writes a fact.
func (e *eye) set(write func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	write()
}

func (e *eye) gate(ctx context.Context) {
	state, err := e.Opened.Gate.Read(ctx)
	e.set(func() { e.facts.Gate = checks.Seen(state, err) })
}

func (e *eye) last(ctx context.Context, i int) {
	state, err := release.ReadState(ctx, e.Opened.Ledger, e.Sources[i].Name)
	e.set(func() { e.facts.Sources[i].Last = checks.Seen(state, err) })
}

// told reads what a function is told of sources.
func (e *eye) told(ctx context.Context, name string, into *checkup.Look[reclaim.Told]) {
	t := reclaim.Told{}
	out, err := e.functions.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{
		FunctionName: aws.String(e.Prefix + "-" + name),
	})
	if err == nil && out.Environment != nil {
		var wrong error
		if t.Sources, wrong = source.Parse([]byte(out.Environment.Variables[sourcesVariable])); wrong != nil {
			t.Wrong = wrong.Error()
		}
	}
	e.set(func() { *into = checks.Seen(t, err) })
}

func notGiven[T any](flag, variable string) checkup.Look[T] {
	return checkup.Look[T]{Failed: checkup.Failure{
		Kind: checkup.NotGiven, Says: flag + " is not given and " + policy.EnvPrefix + variable + " is not set",
	}}
}
