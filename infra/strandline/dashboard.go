//go:build infra

package strandline

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// dashboard shows the alarms, then what is behind them: the pass, the queue,
// the worker, the comparisons.
func (s *Strandline) dashboard() {
	var alarms []interfacesawscloudwatch.IAlarmRef
	for _, a := range s.allAlarms() {
		alarms = append(alarms, s.Alarms[a.name])
	}
	own := func(names ...telemetry.Name) *[]awscloudwatch.IMetric {
		all := make([]awscloudwatch.IMetric, len(names))
		for i, n := range names {
			all[i] = s.ownMetric(n, "Maximum", 15)
		}
		return &all
	}
	board := awscloudwatch.NewDashboard(s.Construct, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: jsii.String(s.props.Prefix),
	})
	board.AddWidgets(awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &alarms, Width: jsii.Number(24), Height: jsii.Number(4),
	}))
	board.AddWidgets(
		graph("Age of the oldest due upload, seconds", own(telemetry.BacklogAge)),
		graph("Passes", own(telemetry.PassRan, telemetry.PausedRuns, telemetry.Stuck, telemetry.Unfinished)),
		graph("Queue", &[]awscloudwatch.IMetric{
			s.Purge.MetricApproximateNumberOfMessagesVisible(nil), s.Purge.MetricApproximateNumberOfMessagesNotVisible(nil),
			s.PurgeDead.MetricApproximateNumberOfMessagesVisible(nil), s.EventsDead.MetricApproximateNumberOfMessagesVisible(nil),
		}),
	)
	board.AddWidgets(
		graph("Worker", own(telemetry.FailedRemovals, telemetry.Parked, telemetry.Rejected, telemetry.Throttled)),
		graph("Comparisons", own(telemetry.Missing, telemetry.Changed, telemetry.Corrupt, telemetry.HoldsBlocked)),
		graph("Duration of the functions", &[]awscloudwatch.IMetric{
			s.Scheduler.MetricDuration(nil), s.Worker.MetricDuration(nil), s.Reconciler.MetricDuration(nil),
		}),
	)
}

func graph(title string, metrics *[]awscloudwatch.IMetric) awscloudwatch.GraphWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(title), Left: metrics, Width: jsii.Number(8), Height: jsii.Number(6),
		Period: awscdk.Duration_Minutes(jsii.Number(15)),
	})
}
