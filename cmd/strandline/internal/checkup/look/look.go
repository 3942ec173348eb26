package look

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/site"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
)

const (
	// within bounds one look, its retries included.
	within = 20 * time.Second
	// atOnce is how many looks go side by side.
	atOnce = 8
)

// Place is a bucket, and the prefix of the installation's keys in it.
type Place struct{ Bucket, Prefix string }

// Options say what to look at.
type Options struct {
	Site   site.Site
	Config aws.Config
	Policy policy.Policy
	// Prefix begins the names of functions and schedules.
	Prefix string
	// StoredURL and ReleasesURL are the queues of recorder and relay, ReleasesDeadURL
	// what was not read; where one is empty, the name that an installation gives it
	// beside the dead letters' queue.
	StoredURL, ReleasesURL, ReleasesDeadURL string
	// Buckets are looked at beside those of the census.
	Buckets []Place
	// Passes are the names of the schedules of the cleanup, less the prefix.
	Passes []string
	Now    func() time.Time
	// Looked is told how many looks are done, one call at a time; nil for nobody.
	Looked func(done int64)
}

// eye is one gathering under way.
type eye struct {
	Options
	heard *heard

	dynamo    *dynamodb.Client
	queues    *sqs.Client
	s3        *s3.Client
	schedules *scheduler.Client
	functions *lambda.Client
	iam       *iam.Client
	sts       *sts.Client

	mu    sync.Mutex
	done  int64
	facts checkup.Facts
}

// Gather looks at everything. What it cannot see is in the facts; it fails
// never, and ends early when the context does.
func Gather(ctx context.Context, o Options) checkup.Facts {
	e := newEye(o)
	e.facts.Table.Got.Name = o.Site.Table
	first := []func(context.Context){e.caller, e.table, e.backups, e.timeToLive, e.gate, e.census, e.commands, e.deadLetters, e.outside}
	for _, name := range checkup.FunctionNames() {
		first = append(first, func(ctx context.Context) { e.function(ctx, name) })
	}
	e.together(ctx, append(first, e.timers()...))
	more := append(e.buckets(), e.sourceTables()...)
	if e.heard.any() { // else each would only wait for nobody
		e.together(ctx, more)
		e.together(ctx, e.rights())
	}
	e.facts.Services = e.heard.services()
	e.facts.Now = o.Now()
	return e.facts
}

func newEye(o Options) *eye {
	h := newHeard(o.Config.HTTPClient, o.Now)
	cfg := o.Config
	cfg.HTTPClient = h
	return &eye{
		Options: o, heard: h,
		dynamo: awsconf.DynamoDB(cfg), queues: awsconf.SQS(cfg), s3: awsconf.S3(cfg),
		schedules: scheduler.NewFromConfig(cfg), functions: lambda.NewFromConfig(cfg),
		iam: iam.NewFromConfig(cfg), sts: sts.NewFromConfig(cfg),
		facts: checkup.Facts{Region: cfg.Region, Prefix: o.Prefix, Policy: o.Policy},
	}
}

// together makes looks side by side and returns when all are done.
func (e *eye) together(ctx context.Context, looks []func(context.Context)) {
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, look := range looks {
		group.Go(func() error {
			limited, cancel := context.WithTimeout(ctx, within)
			defer cancel()
			look(limited)
			e.tell()
			return nil
		})
	}
	_ = group.Wait() // no look returns an error
}

func (e *eye) tell() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
	if e.Looked != nil {
		e.Looked(e.done)
	}
}

// set writes a fact.
func (e *eye) set(write func(*checkup.Facts)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	write(&e.facts)
}

// sources are what the functions are told of; looks side by side write other
// facts meanwhile, and asking the facts reads them all.
func (e *eye) sources() []source.Source {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.facts.Sources()
}

// timers are the looks at the schedules, whose places in the facts are made
// first.
func (e *eye) timers() []func(context.Context) {
	for _, name := range e.Passes {
		e.facts.Schedules = append(e.facts.Schedules, checkup.Schedule{Name: e.Prefix + "-" + name, Task: "pass"})
	}
	for _, task := range []string{"census", "reconcile", "sweep"} {
		e.facts.Schedules = append(e.facts.Schedules, checkup.Schedule{Name: e.Prefix + "-" + task, Task: task})
	}
	var looks []func(context.Context)
	for i := range e.facts.Schedules {
		looks = append(looks, func(ctx context.Context) { e.timer(ctx, i) })
	}
	return looks
}

// partition is of the ARNs of this cloud: aws, aws-cn, aws-us-gov.
func (e *eye) partition() string {
	if words := strings.Split(e.facts.Table.Got.ARN, ":"); len(words) > 1 {
		return words[1]
	}
	return "aws"
}
