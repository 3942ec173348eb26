package look_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// findings are what doctor finds, each as "check: on: says".
func (d *deployed) findings() []string {
	d.t.Helper()
	var all []string
	for _, r := range checkup.Judge(look.Gather(d.t.Context(), d.options)) {
		if r.Level != checkup.OK {
			all = append(all, string(r.Check)+": "+r.On+": "+r.Says)
		}
	}
	return all
}

// TestADeployedInstallationIsInOrderAndEachThingThatBreaksIsFound: what the
// gatherer sees of a real wire. The judge's own cases are tested beside it.
func TestADeployedInstallationIsInOrderAndEachThingThatBreaksIsFound(t *testing.T) {
	d := deploy(t, "look-wire")
	if found := d.findings(); len(found) != 0 {
		t.Fatalf("it is in order, and doctor says:\n%s", strings.Join(found, "\n"))
	}
	for _, c := range []struct {
		name  string
		spoil func()
		says  string
	}{
		{"a pause", func() { must(t, d.gate.Pause(t.Context())) }, "gate: gate: it is paused"},
		{"versioning is suspended", func() {
			_, err := d.s3.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
				Bucket: aws.String(d.bucket), VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatusSuspended},
			})
			must(t, err)
		}, "versioning: bucket look-wire-uploads: versioning is suspended"},
		{"a rule by age, narrowed by a tag, below our prefix", func() {
			d.rule(s3types.LifecycleRule{
				ID: aws.String("tidy"), Status: s3types.ExpirationStatusEnabled, Expiration: &s3types.LifecycleExpiration{Days: aws.Int32(7)},
				NoncurrentVersionExpiration: &s3types.NoncurrentVersionExpiration{NoncurrentDays: aws.Int32(3)},
				Filter: &s3types.LifecycleRuleFilter{And: &s3types.LifecycleRuleAndOperator{
					Prefix: aws.String("app/tmp/"), Tags: []s3types.Tag{{Key: aws.String("a"), Value: aws.String("b")}},
				}},
			})
		}, `rule "tidy" expires current objects after 7 days`},
		{"a schedule is switched off", func() { d.schedule("pass", "scheduler", types.ScheduleStateDisabled) }, "schedules: schedule look-wire-pass: it is disabled"},
		{"a schedule is deleted", func() {
			_, err := d.timers.DeleteSchedule(t.Context(), &scheduler.DeleteScheduleInput{Name: aws.String("look-wire-census")})
			must(t, err)
		}, "schedules: schedule look-wire-census: it is not there"},
		{"the worker's role loses a right", func() {
			all := rights.Worker()
			for i := range all {
				if all[i].On == rights.Objects {
					all[i].Actions = slices.DeleteFunc(slices.Clone(all[i].Actions), func(a string) bool { return a == "s3:DeleteObjectVersion" })
				}
			}
			d.role("worker", all)
		}, "rights: worker on objects of source buckets: denied: s3:DeleteObjectVersion (bucket look-wire-uploads)"},
		{"releases are not taken", func() { d.options.ReleasesURL = d.options.Site.QueueURL + "-nowhere" }, "releases: queue of releases: it is not there"},
		{"the relay's role loses the streams", func() { d.role("relay", append(rights.Relay(), rights.AsksRows(), rights.LooksAtRows())) },
			"rights: relay on streams of source tables: denied: dynamodb:DescribeStream (table look-wire-orders)"},
		{"the worker's role may not ask rows", func() { d.role("worker", rights.Worker()) },
			"rights: worker on source tables and indexes: denied: dynamodb:Query (table look-wire-orders)"},
		{"the table is another", func() { d.options.Site.Table = "look-wire-nowhere" }, "table: table look-wire-nowhere: it is not there"},
		{"the queue is gone", func() { d.options.Site.QueueURL += "-gone" }, "queue: queue of commands: it is not there"},
		{"a bucket is not there", func() { d.options.Buckets[0].Bucket = "look-wire-nobucket" }, "versioning: bucket look-wire-nobucket: it is not there"},
	} {
		c.spoil()
		if found := d.findings(); !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, c.says) }) {
			t.Errorf("%s: expected %q of\n%s", c.name, c.says, strings.Join(found, "\n"))
		}
	}
}

// The census is asked what else the ledger holds: a bucket that nobody gave is
// looked at too. See buckets.go.
func TestNothingOfAFunctionsSecretsIsTaken(t *testing.T) {
	d := deploy(t, "look-secret")
	for _, f := range look.Gather(t.Context(), d.options).Functions {
		if !f.Look.Seen || f.Look.Got.Variables["NOT_OURS"] != "" || f.Look.Got.Variables["STRANDLINE_TABLE"] == "" {
			t.Errorf("%s: %+v", f.Name, f.Look.Got.Variables)
		}
	}
}
