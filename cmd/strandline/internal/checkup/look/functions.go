package look

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/policy"
)

func (e *eye) function(ctx context.Context, name string) {
	out, err := e.functions.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{
		FunctionName: aws.String(e.Prefix + "-" + name),
	})
	d := checkup.Deployed{}
	if err == nil {
		d = deployed(out)
	}
	e.set(func(f *checkup.Facts) {
		f.Functions = append(f.Functions, checkup.Function{Name: name, Look: seen(d, err)})
	})
}

// deployed keeps the variables that are ours: others may hold anything.
func deployed(out *lambda.GetFunctionConfigurationOutput) checkup.Deployed {
	d := checkup.Deployed{
		ARN: aws.ToString(out.FunctionArn), Role: aws.ToString(out.Role), State: string(out.State),
		Timeout: time.Duration(aws.ToInt32(out.Timeout)) * time.Second, Variables: map[string]string{},
	}
	if out.Environment != nil {
		for name, value := range out.Environment.Variables {
			if strings.HasPrefix(name, policy.EnvPrefix) {
				d.Variables[name] = value
			}
		}
	}
	if out.LoggingConfig != nil {
		d.LogGroup = aws.ToString(out.LoggingConfig.LogGroup)
	}
	if out.DeadLetterConfig != nil {
		d.DeadLetters = aws.ToString(out.DeadLetterConfig.TargetArn)
	}
	return d
}

func (e *eye) timer(ctx context.Context, i int) {
	out, err := e.schedules.GetSchedule(ctx, &scheduler.GetScheduleInput{Name: aws.String(e.facts.Schedules[i].Name)})
	t := checkup.Timer{}
	if err == nil {
		t = timerOf(out)
	}
	e.set(func(f *checkup.Facts) { f.Schedules[i].Look = seen(t, err) })
}

func timerOf(out *scheduler.GetScheduleOutput) checkup.Timer {
	t := checkup.Timer{
		Enabled: out.State == types.ScheduleStateEnabled, Expression: aws.ToString(out.ScheduleExpression), Ends: aws.ToTime(out.EndDate),
	}
	if to := out.Target; to != nil {
		t.Target, t.Input = aws.ToString(to.Arn), aws.ToString(to.Input)
		t.DeadLetters = to.DeadLetterConfig != nil && aws.ToString(to.DeadLetterConfig.Arn) != ""
	}
	return t
}
