//go:build infra

package strandline

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/schema"
)

// Strandline is one installation.
type Strandline struct {
	// Construct is the scope of all that it made.
	Construct constructs.Construct

	// Table is the ledger: what shared/intake of your application writes to, with
	// the rights that docs/deploy.md names.
	Table awsdynamodb.TableV2
	// Purge takes the commands, PurgeDead those that cannot be carried out,
	// EventsDead the triggers that failed to the end.
	Purge, PurgeDead, EventsDead awssqs.Queue
	// Stored takes the notices of stored objects, Releases what an outbox sends:
	// it may, with Releases.GrantSendMessages. ReleasesDead has what the relay
	// could not read.
	Stored, Releases, ReleasesDead awssqs.Queue
	// Scheduler, Worker, Reconciler, Recorder and Relay are the functions; Relay is
	// nil without sources.
	Scheduler, Worker, Reconciler, Recorder, Relay awslambda.Function
	// Buckets are those that the props named, in their order.
	Buckets []awss3.IBucket
	// Inventories is where inventories are delivered.
	Inventories awss3.IBucket
	// Operators is the policy for people with the command line.
	Operators awsiam.ManagedPolicy
	// Audit is the log group of the audit trail.
	Audit awslogs.LogGroup
	// Topic gets the alarms; nil if the props named neither a mail nor a topic.
	Topic awssns.ITopic
	// Alarms are all of them, by the names of docs/deploy.md.
	Alarms map[string]awscloudwatch.Alarm

	props  Props
	schema schema.Installation
}

// New makes an installation. Props that make no sense are a panic with an error
// of one line, before anything is made; the program that synthesizes can
// recover it. [Props.Validate] tells beforehand.
func New(scope constructs.Construct, id string, props Props) *Strandline {
	if err := props.Validate(); err != nil {
		panic(fmt.Errorf("strandline %s: %w", id, err))
	}
	p := props.withDefaults()
	described, err := p.describe()
	if err != nil {
		panic(fmt.Errorf("strandline %s: %w", id, err))
	}
	if p.Key != nil && *awscdk.Token_IsUnresolved(awscdk.Stack_Of(scope).Region()) {
		panic(fmt.Errorf("strandline %s: a key of yours needs a stack that names its account and Region", id))
	}
	s := &Strandline{
		Construct: constructs.NewConstruct(scope, jsii.String(id)),
		props:     p, schema: described, Alarms: map[string]awscloudwatch.Alarm{},
	}
	s.ledger()
	s.queues()
	s.inventoryBucket()
	s.buckets()
	s.auditTrail()
	s.functions()
	s.messages()
	s.stored()
	s.releases()
	s.schedules()
	s.deliveries()
	s.operators()
	s.alarms()
	s.dashboard()
	s.outputs()
	s.acceptFindings()
	return s
}

// describe is what shared/schema says of the installation, deletion protection
// on.
func (p Props) describe() (schema.Installation, error) {
	in, err := schema.New(p.Prefix, *p.Policy)
	in.Ledger.DeletionProtection = true
	return in, err
}

// services are the names by which a key's policy knows them.
func (s *Strandline) services(names ...string) []string {
	stack := awscdk.Stack_Of(s.Construct)
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name + "." + *stack.Region() + "." + *stack.UrlSuffix()
	}
	return all
}

// optional is nil for an empty string.
func optional(value string) *string {
	if value == "" {
		return nil
	}
	return jsii.String(value)
}
