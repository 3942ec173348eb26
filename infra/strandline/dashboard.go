//go:build infra

package strandline

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// dashboard shows the alarms, then what is behind them: ages and queue, passes,
// workers, comparisons and the trail, and what comes from outside.
func (s *Strandline) dashboard() {
	var alarms []interfacesawscloudwatch.IAlarmRef
	for _, a := range s.allAlarms() {
		alarms = append(alarms, s.Alarms[a.name])
	}
	board := awscloudwatch.NewDashboard(s.Construct, jsii.String("Dashboard"), &awscloudwatch.DashboardProps{
		DashboardName: jsii.String(s.props.Prefix),
	})
	board.AddWidgets(awscloudwatch.NewAlarmStatusWidget(&awscloudwatch.AlarmStatusWidgetProps{
		Title: jsii.String("Alarms"), Alarms: &alarms, Width: jsii.Number(24), Height: jsii.Number(4),
	}))
	board.AddWidgets(
		graph("Age of the oldest due upload and of the census, seconds", s.all("Maximum", telemetry.BacklogAge, telemetry.CensusAge)),
		graph("Passes", s.all("Maximum", telemetry.PassRan, telemetry.PausedRuns, telemetry.Stuck, telemetry.Unfinished)),
		graph("Queue", &[]awscloudwatch.IMetric{
			s.Purge.MetricApproximateNumberOfMessagesVisible(nil), s.Purge.MetricApproximateNumberOfMessagesNotVisible(nil),
			s.PurgeDead.MetricApproximateNumberOfMessagesVisible(nil), s.EventsDead.MetricApproximateNumberOfMessagesVisible(nil),
		}),
	)
	board.AddWidgets(
		graph("What passes decided, uploads", s.all("Sum",
			telemetry.Selected, telemetry.Published, telemetry.Marked, telemetry.Repaired, telemetry.Renewed)),
		graph("What they left alone, by reason", s.byReason(telemetry.Skipped)),
		graph("What the gate gives, versions a second", s.all("Minimum", telemetry.GateRate)),
	)
	board.AddWidgets(
		graph("What became of messages", s.all("Sum",
			telemetry.Started, telemetry.Deleted, telemetry.Retained, telemetry.Retrying, telemetry.Unclear,
			telemetry.FailedRemovals, telemetry.Parked, telemetry.Rejected, telemetry.Throttled)),
		graph("What had nothing to do, by reason", s.byReason(telemetry.SkippedMessages)),
		deleted(s.all("Sum", telemetry.DeletedObjects), s.all("Sum", telemetry.DeletedBytes)),
	)
	board.AddWidgets(
		graph("Comparisons", s.all("Maximum", telemetry.Missing, telemetry.Changed, telemetry.Corrupt, telemetry.HoldsBlocked)),
		graph("Audit trail: lines that are in the own logs only", s.all("Sum", telemetry.AuditUndelivered)),
		graph("Duration of the functions", &[]awscloudwatch.IMetric{
			s.Scheduler.MetricDuration(nil), s.Worker.MetricDuration(nil), s.Reconciler.MetricDuration(nil),
		}),
	)
	s.outside(board)
}

// outside shows what comes from outside: storage events, and releases.
func (s *Strandline) outside(board awscloudwatch.Dashboard) {
	board.AddWidgets(
		graph("What became of storage events", s.all("Sum",
			telemetry.Recorded, telemetry.Confirmed, telemetry.Mismatched, telemetry.FailedEvents)),
		graph("Storage events that had nothing to do, by reason", s.byReason(telemetry.SkippedEvents)),
		graph("Waiting for recorder and relay, and parked", &[]awscloudwatch.IMetric{
			s.Stored.MetricApproximateNumberOfMessagesVisible(nil), s.Releases.MetricApproximateNumberOfMessagesVisible(nil),
			s.ReleasesDead.MetricApproximateNumberOfMessagesVisible(nil),
		}),
	)
	board.AddWidgets(
		graph("What became of releases", s.all("Sum",
			telemetry.Adopted, telemetry.Released, telemetry.DroppedRefs, telemetry.ParkedReleases, telemetry.FailedReleases)),
		graph("Releases that had nothing to do, by reason", s.byReason(telemetry.SkippedReleases)),
		graph("Duration of recorder and relay; how far behind a stream, ms", s.outerDurations()),
	)
}

func (s *Strandline) outerDurations() *[]awscloudwatch.IMetric {
	lines := []awscloudwatch.IMetric{s.Recorder.MetricDuration(nil)}
	if s.Relay != nil {
		lines = append(lines, s.Relay.MetricDuration(nil), s.Relay.Metric(jsii.String("IteratorAge"), over("Maximum", 15)))
	}
	return &lines
}

// all are metrics of our own, each as a line of a graph.
func (s *Strandline) all(statistic string, names ...telemetry.Name) *[]awscloudwatch.IMetric {
	lines := make([]awscloudwatch.IMetric, len(names))
	for i, n := range names {
		lines[i] = s.ownMetric(n, statistic, 15)
	}
	return &lines
}

// byReason is a line for each reason that there is.
func (s *Strandline) byReason(name telemetry.Name) *[]awscloudwatch.IMetric {
	search := fmt.Sprintf(`SEARCH('{%s,%s,%s} MetricName=%q %s=%q', 'Sum', 900)`,
		telemetry.Namespace, telemetry.Dimension, telemetry.ByReason, name, telemetry.Dimension, s.schema.Ledger.Name)
	return &[]awscloudwatch.IMetric{awscloudwatch.NewMathExpression(&awscloudwatch.MathExpressionProps{
		Expression: jsii.String(search), Label: jsii.String(""), UsingMetrics: &map[string]awscloudwatch.IMetric{},
	})}
}

// deleted has the objects on the left and their bytes on the right.
func deleted(objects, bytes *[]awscloudwatch.IMetric) awscloudwatch.GraphWidget {
	widget := graph("Deleted: versions, and bytes on the right", objects)
	for _, m := range *bytes {
		widget.AddRightMetric(m)
	}
	return widget
}

func graph(title string, metrics *[]awscloudwatch.IMetric) awscloudwatch.GraphWidget {
	return awscloudwatch.NewGraphWidget(&awscloudwatch.GraphWidgetProps{
		Title: jsii.String(title), Left: metrics, Width: jsii.Number(8), Height: jsii.Number(6),
		Period: awscdk.Duration_Minutes(jsii.Number(15)),
	})
}
