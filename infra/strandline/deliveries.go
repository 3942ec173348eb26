//go:build infra

package strandline

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// deliveries starts the reconciler when an inventory's checksum is there, which
// S3 delivers last. Events of a bucket in another account do not come here; the
// schedule finds its inventories.
func (s *Strandline) deliveries() {
	s.keyForServices()
	if s.props.Inventory.Account != "" {
		return
	}
	suffix := map[string]any{"wildcard": s.props.Inventory.Prefix + "/*/manifest.checksum"}
	awsevents.NewRule(s.Construct, jsii.String("Delivered"), &awsevents.RuleProps{
		RuleName:    jsii.String(s.props.Prefix + "-inventory-delivered"),
		Description: jsii.String("An inventory is complete when its checksum is there"),
		EventPattern: &awsevents.EventPattern{
			Source:     jsii.Strings("aws.s3"),
			DetailType: jsii.Strings("Object Created"),
			Detail: &map[string]any{
				"bucket": map[string]any{"name": []any{s.Inventories.BucketName()}},
				"object": map[string]any{"key": []any{suffix}},
			},
		},
		Targets: &[]awsevents.IRuleTarget{
			awseventstargets.NewLambdaFunction(s.Reconciler, &awseventstargets.LambdaFunctionProps{
				DeadLetterQueue: s.EventsDead, RetryAttempts: jsii.Number(10), MaxEventAge: duration(time.Hour),
			}),
		},
	})
}

// keyForServices lets the services use a customer's key where no role of ours
// acts: S3 to deliver inventories, EventBridge to keep what it could not
// deliver. Of a key that is only imported its owner has to do it.
func (s *Strandline) keyForServices() {
	if s.props.Key == nil {
		return
	}
	s.props.Key.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{
			awsiam.NewServicePrincipal(jsii.String("s3.amazonaws.com"), nil),
			awsiam.NewServicePrincipal(jsii.String("events.amazonaws.com"), nil),
		},
		Actions:   jsii.Strings("kms:Decrypt", "kms:GenerateDataKey"),
		Resources: jsii.Strings("*"), // in a key's policy: this key
		Conditions: &map[string]any{
			"StringEquals": map[string]any{"aws:SourceAccount": awscdk.Stack_Of(s.Construct).Account()},
		},
	}), jsii.Bool(true))
}

// operators is for people: attach it to whoever uses the command line.
func (s *Strandline) operators() {
	functions := places{rights.Schedules: s.scheduleArns()}
	for _, f := range s.allFunctions() {
		functions[rights.Functions] = append(functions[rights.Functions], f.FunctionArn())
		functions[rights.Roles] = append(functions[rights.Roles], f.Role().RoleArn())
	}
	s.Operators = awsiam.NewManagedPolicy(s.Construct, jsii.String("Operators"), &awsiam.ManagedPolicyProps{
		ManagedPolicyName: jsii.String(s.props.Prefix + "-operators"),
		Description:       jsii.String("What a person with the strandline command may do"),
		Statements:        s.statements(append(rights.Operators(), s.props.auditing()...), s.everywhere(functions)),
	})
}

// allFunctions are those that there are.
func (s *Strandline) allFunctions() []awslambda.Function {
	all := []awslambda.Function{s.Scheduler, s.Worker, s.Reconciler, s.Recorder}
	if s.Relay != nil {
		all = append(all, s.Relay)
	}
	return all
}
