//go:build infra

package strandline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/policy"
)

func TestPropsThatMakeNoSenseAreRefusedInOneLine(t *testing.T) {
	changed := func(change func(*policy.Policy)) func(*Props) {
		return func(p *Props) {
			own := DefaultPolicy()
			change(&own)
			p.Policy = &own
		}
	}
	for name, c := range map[string]struct {
		change func(*Props)
		says   string
	}{
		"no bucket":                {func(p *Props) { p.Buckets = nil }, "no bucket is given"},
		"a bucket twice":           {func(p *Props) { p.Buckets = append(p.Buckets, p.Buckets[0]) }, "bucket acme-uploads is given twice"},
		"a name that is none":      {func(p *Props) { p.Buckets[0].Name = "Acme_Uploads" }, `bucket 1 is named "Acme_Uploads"`},
		"an origin with a path":    {func(p *Props) { p.Buckets[0].New, p.Origins = true, []string{"https://app.example.com/"} }, `origin is "https://app.example.com/"`},
		"an origin that is a name": {func(p *Props) { p.Buckets[0].New, p.Origins = true, []string{"app.example.com"} }, `origin is "app.example.com"`},
		"origins of no new bucket": {
			func(p *Props) {
				for i := range p.Buckets {
					p.Buckets[i].New = false
				}
				p.Origins = []string{"https://app.example.com"}
			}, "no bucket is new",
		},
		"object lock afterwards": {func(p *Props) { p.Buckets[0].ObjectLock = true }, "object lock is chosen when a bucket is created"},
		"inventories into the uploads": {
			func(p *Props) { p.Inventory.Bucket = "acme-uploads" }, "bucket acme-uploads is the inventories' own",
		},
		"another account's bucket, unnamed": {func(p *Props) { p.Inventory.Account = "123456789012" }, "its bucket is not"},
		"an inventory prefix with a slash":  {func(p *Props) { p.Inventory.Prefix = "inv/" }, `inventory prefix is "inv/"`},
		"an inventory configuration of two": {func(p *Props) { p.Inventory.Config = "a,b" }, `inventory configuration is "a,b"`},
		"a prefix that is none":             {func(p *Props) { p.Prefix = "Acme" }, `installation prefix is "Acme"`},
		"a mail that is none":               {func(p *Props) { p.Mail = "ops" }, `mail is "ops"`},
		"a grace below its floor": {
			changed(func(p *policy.Policy) { p.ActivityGrace = time.Minute }), "policy ActivityGrace (STRANDLINE_ACTIVITY_GRACE) is 1m0s: the floor is 1h0m0s",
		},
		// AWS asks for six timeouts and the window: else what is being worked on
		// is delivered again.
		"a queue that hides too short": {
			changed(func(p *policy.Policy) { p.VisibilityTimeout = 12 * time.Minute }), "the queue hides a message for 12m0s: expected at least 12m5s",
		},
		"a queue that gives up before the attempts do": {
			changed(func(p *policy.Policy) { p.MaxAttempts = 51 }), "a purge is tried 51 times and the queue gives a message up after 1000 receives",
		},
		"a claim that outlives its message": {
			changed(func(p *policy.Policy) { p.ClaimLease = 40 * time.Minute }), "ClaimLease",
		},
		"noncurrent versions that go before a grace ends": {func(p *Props) { p.NoncurrentDays = 30 }, "expected at least 31, later than every grace"},
		"a pass every 90 s": {
			changed(func(p *policy.Policy) { p.PassEvery = 90 * time.Second }), "a pass runs every 1m30s: expected whole minutes",
		},
		"no pass":                      {func(p *Props) { p.Passes = []Schedule{} }, "no pass is scheduled"},
		"a pass of our own name":       {func(p *Props) { p.Passes = []Schedule{{Name: "census", Expression: "rate(1 hour)"}} }, "schedule census is given twice, or is one of ours"},
		"an expression that is none":   {func(p *Props) { p.Census = "daily" }, `schedule census is "daily"`},
		"a window of seconds":          {func(p *Props) { p.Flexible = 30 * time.Second }, "a schedule's window is 30s"},
		"one worker":                   {func(p *Props) { p.Workers = 1 }, "1 workers at once: expected 2 to 1000"},
		"a large batch without window": {func(p *Props) { p.Batch, p.Window = 100, 0 }, "expected a window of at least 1s"},
		"a timeout of half seconds": {
			changed(func(p *policy.Policy) { p.WorkerTimeout = 4500 * time.Millisecond }), "the worker's timeout is 4.5s",
		},
		"logs for 42 days":           {func(p *Props) { p.LogDays = 42 }, "logs are kept for 42 days"},
		"an architecture of nobody":  {func(p *Props) { p.Architecture = "sparc" }, `architecture is "sparc"`},
		"a variable beside its prop": {func(p *Props) { p.Environment = map[string]string{"STRANDLINE_TABLE": "x"} }, "variable STRANDLINE_TABLE is set beside the props"},
		"no code":                    {func(p *Props) { p.Code = "" }, "no code is given"},
		"code without the functions": {func(p *Props) { p.Code = os.TempDir() }, "the code has no scheduler/bootstrap"},
	} {
		t.Run(name, func(t *testing.T) {
			props := usual(t)
			c.change(&props)
			err := props.Validate()
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	if err := usual(t).Validate(); err != nil {
		t.Errorf("the usual props: %v", err)
	}
}

// The CDK compares contents only: a binary that lost its right to execute would
// be deployed, or not, and never start.
func TestCodeThatCannotBeExecutedIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range Functions {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "bootstrap"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	props := usual(t)
	props.Code = dir
	if err := props.Validate(); err == nil || !strings.Contains(err.Error(), "is not executable") {
		t.Errorf("got %v", err)
	}
}

// In an unversioned bucket a delete is final and a version id means nothing.
func TestABucketOfTheAppThatIsNotVersionedIsRefused(t *testing.T) {
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir())})
	stack := awscdk.NewStack(app, jsii.String("Test"), nil)
	for name, versioned := range map[string]bool{"Plain": false, "Versioned": true} {
		props := usual(t)
		props.Buckets = []Bucket{{Construct: awss3.NewBucket(stack, jsii.String(name), &awss3.BucketProps{Versioned: jsii.Bool(versioned)})}}
		err := props.Validate()
		if refused := err != nil && strings.Contains(err.Error(), "is not versioned"); refused == versioned {
			t.Errorf("%s: %v", name, err)
		}
	}
	props := usual(t)
	props.Topic = awssns.NewTopic(stack, jsii.String("Topic"), nil)
	if err := props.Validate(); err == nil || !strings.Contains(err.Error(), "both a mail and a topic") {
		t.Errorf("got %v", err)
	}
}

func TestNewPanicsWithTheSameLineAndMakesNothing(t *testing.T) {
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(t.TempDir())})
	stack := awscdk.NewStack(app, jsii.String("Test"), nil)
	defer func() {
		cause := recover()
		if said := fmt.Sprint(cause); said != "strandline Strandline: no bucket is given: name at least one that uploads go to" {
			t.Errorf("panic with %q", said)
		}
		if made := len(*stack.Node().Children()); made != 0 {
			t.Errorf("%d constructs were made", made)
		}
	}()
	New(stack, "Strandline", Props{Code: fakeCode(t)})
}

func TestOnlyWhatDiffersFromTheCodesPolicyIsAVariable(t *testing.T) {
	p := DefaultPolicy()
	p.OrphanGrace, p.DeleteNullVersions = 240*time.Hour, true
	got := policyVariables(p)
	want := map[string]string{
		"STRANDLINE_ORPHAN_GRACE": "240h0m0s", "STRANDLINE_DELETE_NULL_VERSIONS": "true", "STRANDLINE_VISIBILITY_TIMEOUT": "15m0s",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
	back, err := PolicyFrom(got)
	if err != nil || back != p {
		t.Errorf("read back: %v, %+v", err, back)
	}
	if _, err := PolicyFrom(map[string]string{"STRANDLINE_ORFAN_GRACE": "240h"}); err == nil {
		t.Error("a name that sets nothing was taken")
	}
}
