//go:build infra

package strandline

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

const (
	// A pass must be over before the next one fires; one that is not is broken
	// off in good order and goes on with the next.
	schedulerTimeout  = 10 * time.Minute
	schedulerMemory   = 1769             // one processor
	workerMemory      = 512              // it mostly waits, and waiting is billed by memory: docs/costs.md
	reconcilerTimeout = 15 * time.Minute // Lambda's longest
	recorderMemory    = 1769             // what it hashes itself takes a processor
	relayMemory       = 512
)

// function is what differs between the functions.
type function struct {
	id, name, does string
	rights         []rights.Right
	timeout        time.Duration
	memory, disk   int
	dead           awssqs.IQueue
	environment    map[string]*string
}

func (s *Strandline) functions() {
	p, ledger := s.props, s.Table.TableName()
	s.Scheduler = s.function(function{
		id: "Scheduler", name: "scheduler", does: "Finds what is due, marks it, and asks for what is condemned to be deleted",
		rights: rights.Scheduler(), timeout: schedulerTimeout, memory: schedulerMemory, dead: s.EventsDead,
		environment: map[string]*string{"TABLE": ledger, "QUEUE_URL": s.Purge.QueueUrl(), "AUDIT_GROUP": s.Audit.LogGroupName()},
	})
	s.Worker = s.function(function{
		id: "Worker", name: "worker", does: "Deletes exact versions of what is condemned",
		rights: append(rights.Worker(), p.asking()...), timeout: p.Policy.WorkerTimeout, memory: workerMemory,
		environment: s.tell(map[string]*string{
			"TABLE": ledger, "QUEUE_URL": s.Purge.QueueUrl(), "DEAD_LETTER_URL": s.PurgeDead.QueueUrl(),
			"AUDIT_GROUP":     s.Audit.LogGroupName(),
			"DEADLINE_MARGIN": jsii.String(p.deadlineMargin().String()),
		}),
	})
	s.Reconciler = s.function(function{
		id: "Reconciler", name: "reconciler", does: "Compares inventories with the ledger; deletes nothing",
		rights: rights.Reconciler(), timeout: reconcilerTimeout, memory: p.ReconcilerMemory, disk: p.ReconcilerDisk,
		dead: s.EventsDead,
		environment: map[string]*string{
			"TABLE": ledger, "SOURCE_BUCKETS": s.sourceNames(),
			"INVENTORY_BUCKET": s.Inventories.BucketName(), "INVENTORY_PREFIX": jsii.String(p.Inventory.Prefix),
			"INVENTORY_CONFIG": jsii.String(p.Inventory.Config), "AUDIT_GROUP": s.Audit.LogGroupName(),
		},
	})
	s.Recorder = s.function(function{
		id: "Recorder", name: "recorder", does: "Records objects that were stored by presigned URLs, and completes their uploads",
		rights: rights.Recorder(), timeout: schema.RecorderTimeout, memory: recorderMemory,
		environment: map[string]*string{"TABLE": ledger, "AUDIT_GROUP": s.Audit.LogGroupName()},
	})
	if len(p.Sources) > 0 {
		s.Relay = s.relay()
	}
}

// relay may run as long as the worker: its queue is measured by that.
func (s *Strandline) relay() awslambda.Function {
	p := s.props
	return s.function(function{
		id: "Relay", name: "relay", does: "Takes what applications' databases gave up, to be deleted late",
		rights: slices.Concat(rights.Relay(), p.reading(), p.asking()), timeout: p.Policy.WorkerTimeout, memory: relayMemory,
		environment: s.tell(map[string]*string{
			"TABLE": s.Table.TableName(), "RELEASES_DEAD_URL": s.ReleasesDead.QueueUrl(),
			"DEADLINE_MARGIN": jsii.String(p.deadlineMargin().String()),
		}),
	})
}

// deadlineMargin is the worker's default, or half of a short timeout.
func (p Props) deadlineMargin() time.Duration {
	return min(10*time.Second, p.Policy.WorkerTimeout/2)
}

func (s *Strandline) function(f function) awslambda.Function {
	logs := awslogs.NewLogGroup(s.Construct, jsii.String(f.id+"Logs"), &awslogs.LogGroupProps{
		Retention: logDays[s.props.LogDays],
		// What was deleted, and why, is in there: the logs end by their retention.
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
	props := &awslambda.FunctionProps{
		FunctionName: jsii.String(s.props.Prefix + "-" + f.name),
		Description:  jsii.String(f.does),
		Runtime:      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture: architectures[s.props.Architecture](),
		Handler:      jsii.String("bootstrap"),
		Code:         awslambda.Code_FromAsset(jsii.String(filepath.Join(s.props.Code, f.name)), nil),
		MemorySize:   jsii.Number(f.memory),
		Timeout:      duration(f.timeout),
		Environment:  s.environment(f.environment),
		LogGroup:     logs,
		Role:         s.role(f, logs),
	}
	if f.disk > 0 {
		props.EphemeralStorageSize = awscdk.Size_Mebibytes(jsii.Number(f.disk))
	}
	made := awslambda.NewFunction(s.Construct, jsii.String(f.id), props)
	if f.dead != nil {
		// What is invoked without somebody waiting for the answer; the right is
		// among the role's own.
		made.Node().DefaultChild().(awslambda.CfnFunction).SetDeadLetterConfig(
			&awslambda.CfnFunction_DeadLetterConfigProperty{TargetArn: f.dead.QueueArn()})
		made.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
			RetryAttempts: jsii.Number(2), MaxEventAge: duration(time.Hour),
		})
	}
	return made
}

func (s *Strandline) role(f function, logs awslogs.LogGroup) awsiam.Role {
	return awsiam.NewRole(s.Construct, jsii.String(f.id+"Role"), &awsiam.RoleProps{
		Description: jsii.String("What the " + f.name + " of " + s.props.Prefix + " may do"),
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		InlinePolicies: s.policies(f.rights, s.everywhere(places{
			rights.OwnLogs: {logs.LogGroupArn()}, // ends in ":*", its streams
		})),
	})
}

// everywhere is where everything is, and what is given beside it.
func (s *Strandline) everywhere(beside places) places {
	all := places{
		rights.Table:      {s.Table.TableArn()},
		rights.Index:      {jsii.String(*s.Table.TableArn() + "/index/" + schema.DueIndex)},
		rights.PurgeQueue: {s.Purge.QueueArn()},
		rights.PurgeDead:  {s.PurgeDead.QueueArn()},
		rights.EventsDead: {s.EventsDead.QueueArn()},

		rights.StoredQueue:   {s.Stored.QueueArn()},
		rights.ReleasesQueue: {s.Releases.QueueArn()},
		rights.ReleasesDead:  {s.ReleasesDead.QueueArn()},

		rights.AuditLogs:   {s.Audit.LogGroupArn()},
		rights.Inventories: {s.Inventories.BucketArn()},
		rights.InventoryObjects: {
			s.Inventories.ArnForObjects(jsii.String(s.props.Inventory.Prefix + "/*")),
		},
	}
	for i, bucket := range s.Buckets {
		all[rights.Sources] = append(all[rights.Sources], bucket.BucketArn())
		all[rights.Objects] = append(all[rights.Objects], bucket.ArnForObjects(jsii.String(s.props.Buckets[i].Prefix+"*")))
	}
	s.ofSources(all)
	for at, arns := range beside {
		all[at] = arns
	}
	return all
}

// environment is the function's own variables, the policy's that are not as
// the code has them anyway, and those that the props add.
func (s *Strandline) environment(own map[string]*string) *map[string]*string {
	all := map[string]*string{}
	for name, value := range own {
		all[policy.EnvPrefix+name] = value
	}
	for name, value := range policyVariables(*s.props.Policy) {
		all[name] = jsii.String(value)
	}
	for name, value := range s.props.Environment {
		all[name] = jsii.String(value)
	}
	return &all
}

// messages has the queue invoke the worker, as many at once as the props say
// and no more: what is throttled by Lambda itself would be received for nothing.
func (s *Strandline) messages() {
	p := s.props
	awslambda.NewEventSourceMapping(s.Construct, jsii.String("Messages"), &awslambda.EventSourceMappingProps{
		Target:                  s.Worker,
		EventSourceArn:          s.Purge.QueueArn(),
		BatchSize:               jsii.Number(p.Batch),
		MaxBatchingWindow:       duration(p.Window),
		MaxConcurrency:          jsii.Number(p.Workers),
		ReportBatchItemFailures: jsii.Bool(true),
	})
}

// releases has the queue of releases, and the streams, invoke the relay.
func (s *Strandline) releases() {
	if s.Relay == nil {
		return
	}
	awslambda.NewEventSourceMapping(s.Construct, jsii.String("ReleaseMessages"), &awslambda.EventSourceMappingProps{
		Target:                  s.Relay,
		EventSourceArn:          s.Releases.QueueArn(),
		BatchSize:               jsii.Number(releaseBatch),
		MaxBatchingWindow:       duration(5 * time.Second),
		MaxConcurrency:          jsii.Number(relays),
		ReportBatchItemFailures: jsii.Bool(true),
	})
	s.streams()
}

// How many messages a relay takes, and how many there are at once.
const (
	releaseBatch = 100
	relays       = 5
)

var architectures = map[string]func() awslambda.Architecture{
	ARM64: awslambda.Architecture_ARM_64,
	X8664: awslambda.Architecture_X86_64,
}

// logDays are the days that CloudWatch takes.
var logDays = map[int]awslogs.RetentionDays{
	1: awslogs.RetentionDays_ONE_DAY, 3: awslogs.RetentionDays_THREE_DAYS, 5: awslogs.RetentionDays_FIVE_DAYS,
	7: awslogs.RetentionDays_ONE_WEEK, 14: awslogs.RetentionDays_TWO_WEEKS, 30: awslogs.RetentionDays_ONE_MONTH,
	60: awslogs.RetentionDays_TWO_MONTHS, 90: awslogs.RetentionDays_THREE_MONTHS, 120: awslogs.RetentionDays_FOUR_MONTHS,
	150: awslogs.RetentionDays_FIVE_MONTHS, 180: awslogs.RetentionDays_SIX_MONTHS, 365: awslogs.RetentionDays_ONE_YEAR,
	400: awslogs.RetentionDays_THIRTEEN_MONTHS, 545: awslogs.RetentionDays_EIGHTEEN_MONTHS,
	731: awslogs.RetentionDays_TWO_YEARS, 1827: awslogs.RetentionDays_FIVE_YEARS, 3653: awslogs.RetentionDays_TEN_YEARS,
}
