//go:build infra

package strandline

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsscheduler"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// A schedule that could not invoke tries again for so long, and so often; then
// its event goes to the events' dead-letter queue.
const (
	scheduleAge     = time.Hour
	scheduleRetries = 10
)

// rate is a period as a schedule expression, in whole minutes.
func rate(d time.Duration) string {
	minutes := int(d / time.Minute)
	if minutes == 1 {
		return "rate(1 minute)"
	}
	return fmt.Sprintf("rate(%d minutes)", minutes)
}

// timer is one schedule and what it tells its function.
type timer struct {
	id, name, does   string
	expression, zone string
	function         awslambda.IFunction
	task             string
}

func (s *Strandline) schedules() {
	role := s.schedulesRole()
	for _, t := range s.timers() {
		s.schedule(t, role)
	}
}

func (s *Strandline) timers() []timer {
	p := s.props
	var all []timer
	for _, pass := range p.Passes {
		all = append(all, timer{
			"Pass" + pass.Name, pass.Name, "A pass of the cleanup", pass.Expression, pass.Zone, s.Scheduler, "pass",
		})
	}
	return append(all,
		timer{"Census", "census", "Recounts what the buckets hold, from the ledger", p.Census, "", s.Scheduler, "census"},
		timer{"Reconcile", "reconcile", "Compares the newest inventories with the ledger", p.Reconcile, "", s.Reconciler, "reconcile"},
		timer{"Sweep", "sweep", "Looks for unfinished multipart uploads", p.Sweep, "", s.Reconciler, "sweep"},
	)
}

// scheduleArns are those of all schedules, in the default group.
func (s *Strandline) scheduleArns() []*string {
	stack := awscdk.Stack_Of(s.Construct)
	var all []*string
	for _, t := range s.timers() {
		all = append(all, stack.FormatArn(&awscdk.ArnComponents{
			Service: jsii.String("scheduler"), Resource: jsii.String("schedule"),
			ResourceName: jsii.String("default/" + s.props.Prefix + "-" + t.name),
		}))
	}
	return all
}

// schedule makes one schedule. Its input carries the instant it was meant to
// fire at, the same on every retry: that names the run.
func (s *Strandline) schedule(t timer, role awsiam.IRole) {
	// Written by hand: an encoder of JSON would escape the brackets.
	input := fmt.Sprintf(`{"task":%q,"schedule":%q,"time":"<aws.scheduler.scheduled-time>"}`, t.task, t.name)
	awsscheduler.NewCfnSchedule(s.Construct, jsii.String(t.id+"Schedule"), &awsscheduler.CfnScheduleProps{
		Name:                       jsii.String(s.props.Prefix + "-" + t.name),
		Description:                jsii.String(t.does),
		ScheduleExpression:         jsii.String(t.expression),
		ScheduleExpressionTimezone: optional(t.zone),
		FlexibleTimeWindow: &awsscheduler.CfnSchedule_FlexibleTimeWindowProperty{
			Mode: jsii.String("FLEXIBLE"), MaximumWindowInMinutes: jsii.Number(s.props.Flexible.Minutes()),
		},
		Target: &awsscheduler.CfnSchedule_TargetProperty{
			Arn: t.function.FunctionArn(), RoleArn: role.RoleArn(),
			Input: jsii.String(input),
			RetryPolicy: &awsscheduler.CfnSchedule_RetryPolicyProperty{
				MaximumEventAgeInSeconds: jsii.Number(scheduleAge.Seconds()),
				MaximumRetryAttempts:     jsii.Number(scheduleRetries),
			},
			DeadLetterConfig: &awsscheduler.CfnSchedule_DeadLetterConfigProperty{Arn: s.EventsDead.QueueArn()},
		},
	})
}

// schedulesRole is what EventBridge Scheduler acts as: it invokes the two
// functions and puts what it could not deliver into the queue.
func (s *Strandline) schedulesRole() awsiam.Role {
	account := awscdk.Stack_Of(s.Construct).Account()
	role := awsiam.NewRole(s.Construct, jsii.String("SchedulesRole"), &awsiam.RoleProps{
		Description: jsii.String("What the schedules of " + s.props.Prefix + " act as"),
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("scheduler.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": account}},
		}),
		InlinePolicies: s.policies(rights.OfSchedules(), places{
			rights.Invoked:    {s.Scheduler.FunctionArn(), s.Reconciler.FunctionArn()},
			rights.EventsDead: {s.EventsDead.QueueArn()},
		}),
	})
	return role
}
