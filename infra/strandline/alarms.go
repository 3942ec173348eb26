//go:build infra

package strandline

import (
	"fmt"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// alarm is one thing that a person should be told. docs/deploy.md says what to
// do about each; a test compares the document with the template.
type alarm struct {
	name, id string
	metric   awscloudwatch.IMetric
	means    string
	// It rings at the threshold in so many of the last periods; below it, where
	// below is set, and then silence rings too.
	threshold float64
	below     bool
	ringing   int
	of        int
}

func (s *Strandline) alarms() {
	s.Topic = s.alarmTopic()
	for _, a := range s.allAlarms() {
		operator, silence := awscloudwatch.ComparisonOperator_GREATER_THAN_OR_EQUAL_TO_THRESHOLD, awscloudwatch.TreatMissingData_NOT_BREACHING
		if a.below {
			operator, silence = awscloudwatch.ComparisonOperator_LESS_THAN_THRESHOLD, awscloudwatch.TreatMissingData_BREACHING
		}
		made := awscloudwatch.NewAlarm(s.Construct, jsii.String(a.id+"Alarm"), &awscloudwatch.AlarmProps{
			AlarmName:          jsii.String(s.props.Prefix + "-" + a.name),
			AlarmDescription:   jsii.String(a.means + " What to do: docs/deploy.md, " + a.name + "."),
			Metric:             a.metric,
			Threshold:          jsii.Number(a.threshold),
			ComparisonOperator: operator,
			EvaluationPeriods:  jsii.Number(a.of),
			DatapointsToAlarm:  jsii.Number(a.ringing),
			TreatMissingData:   silence,
		})
		if s.Topic != nil {
			made.AddAlarmAction(awscloudwatchactions.NewSnsAction(s.Topic))
			made.AddOkAction(awscloudwatchactions.NewSnsAction(s.Topic))
		}
		s.Alarms[a.name] = made
	}
}

// alarmTopic is where alarms go; nil for nowhere.
func (s *Strandline) alarmTopic() awssns.ITopic {
	if s.props.Mail == "" {
		return s.props.Topic
	}
	made := awssns.NewTopic(s.Construct, jsii.String("AlarmTopic"), &awssns.TopicProps{
		DisplayName: jsii.String("Strandline " + s.props.Prefix), EnforceSSL: jsii.Bool(true),
	})
	made.AddSubscription(awssnssubscriptions.NewEmailSubscription(jsii.String(s.props.Mail), nil))
	return made
}

// allAlarms are the alarms in the order of docs/deploy.md.
func (s *Strandline) allAlarms() []alarm {
	return append(s.cleanupAlarms(), s.outerAlarms()...)
}

func (s *Strandline) cleanupAlarms() []alarm {
	own, p := s.ownMetric, s.props.Policy
	age := jsii.String("ApproximateAgeOfOldestMessage")
	return []alarm{
		{name: "backlog", id: "Backlog", metric: own(telemetry.BacklogAge, "Maximum", 60),
			threshold: (2 * p.RepublishAfter).Seconds(), ringing: 1, of: 1,
			means: fmt.Sprintf("Something has been due for longer than %v: cleanup does not keep up.", 2*p.RepublishAfter)},
		{name: "pass-overdue", id: "PassOverdue", metric: own(telemetry.PassRan, "Sum", 5),
			threshold: 1, below: true, ringing: s.overdue(), of: s.overdue(),
			means: fmt.Sprintf("No pass has come to its end for %v.", s.props.PassOverdue)},
		{name: "paused-run", id: "PausedRun", metric: own(telemetry.PausedRuns, "Maximum", 15),
			threshold: 1, ringing: 1, of: 1,
			means: "A pass would delete more than the limit and waits for a person."},
		{name: "census-age", id: "CensusAge", metric: own(telemetry.CensusAge, "Minimum", 60),
			threshold: p.CensusMaxAge.Seconds(), ringing: 1, of: 1,
			means: fmt.Sprintf("The census is older than %v, or there is none: no pass deletes anything.", p.CensusMaxAge)},
		{name: "stuck", id: "Stuck", metric: own(telemetry.Stuck, "Maximum", 60),
			threshold: 1, ringing: 1, of: 1,
			means: "An upload has been assembling for longer than StuckAfter."},
		{name: "unfinished", id: "Unfinished", metric: own(telemetry.Unfinished, "Maximum", 60),
			threshold: 1, ringing: 3, of: 3,
			means: "Uploads in deleting grow: workers claim them and do not come to the end."},
		{name: "failed-removals", id: "FailedRemovals", metric: own(telemetry.FailedRemovals, "Sum", 15),
			threshold: 1, ringing: 3, of: 4,
			means: "Removals fail again and again."},
		{name: "parked", id: "Parked", metric: own(telemetry.Parked, "Sum", 5),
			threshold: 1, ringing: 1, of: 1,
			means: "An upload's attempts are used up; it waits for a person."},
		{name: "rejected", id: "Rejected", metric: own(telemetry.Rejected, "Sum", 5),
			threshold: 1, ringing: 1, of: 1,
			means: "A message was of another tenant, schema or state than can be."},
		{name: "throttled", id: "Throttled", metric: own(telemetry.Throttled, "Sum", 15),
			threshold: 1, ringing: 4, of: 4,
			means: "Store or ledger have asked to slow down for an hour."},
		{name: "dead-letters", id: "DeadLetters",
			metric:    s.PurgeDead.MetricApproximateNumberOfMessagesVisible(over("Maximum", 5)),
			threshold: 1, ringing: 1, of: 1,
			means: "The purge queue's dead-letter queue is not empty."},
		{name: "failed-events", id: "FailedEvents",
			metric:    s.EventsDead.MetricApproximateNumberOfMessagesVisible(over("Maximum", 5)),
			threshold: 1, ringing: 1, of: 1,
			means: "A schedule or a delivery did not reach its function, or the function failed on it to the end."},
		{name: "queue-age", id: "QueueAge", metric: s.Purge.Metric(age, over("Maximum", 15)),
			threshold: p.RepublishAfter.Seconds(), ringing: 1, of: 1,
			means: fmt.Sprintf("A command has waited for longer than %v.", p.RepublishAfter)},
		{name: "worker-errors", id: "WorkerErrors", metric: s.Worker.MetricErrors(over("Sum", 15)),
			threshold: 3, ringing: 1, of: 1,
			means: "The worker ends in errors or runs out of time."},
		{name: "missing", id: "Missing", metric: own(telemetry.Missing, "Sum", 60),
			threshold: 1, ringing: 1, of: 1,
			means: "An object that the ledger owns is not there."},
		{name: "changed", id: "Changed", metric: own(telemetry.Changed, "Sum", 60),
			threshold: 1, ringing: 1, of: 1,
			means: "A version that the ledger owns is not there, and another one is."},
		{name: "corrupt", id: "Corrupt", metric: own(telemetry.Corrupt, "Sum", 60),
			threshold: 1, ringing: 1, of: 1,
			means: "An object's size or checksum is not as recorded."},
		{name: "holds-blocked", id: "HoldsBlocked", metric: own(telemetry.HoldsBlocked, "Sum", 60),
			threshold: 1, ringing: 1, of: 1,
			means: "An inventory has more orphans than can be true; nothing was held."},
		{name: "audit-undelivered", id: "AuditUndelivered", metric: own(telemetry.AuditUndelivered, "Sum", 15),
			threshold: 1, ringing: 3, of: 4,
			means: "The audit trail's log group does not take its lines; they are in the functions' own logs only."},
	}
}

// late is after how long, in seconds, something that waits for recorder or relay
// is told of.
const late = 3600

// outerAlarms are those of what comes from outside: storage events, and releases.
func (s *Strandline) outerAlarms() []alarm {
	age := jsii.String("ApproximateAgeOfOldestMessage")
	all := []alarm{
		{name: "recorder-errors", id: "RecorderErrors", metric: s.Recorder.MetricErrors(over("Sum", 15)),
			threshold: 3, ringing: 1, of: 1,
			means: "The recorder ends in errors or runs out of time."},
		{name: "stored-age", id: "StoredAge", metric: s.Stored.Metric(age, over("Maximum", 15)),
			threshold: late, ringing: 1, of: 1,
			means: "A notice of a stored object has waited for an hour; its upload is not confirmed."},
		{name: "releases-age", id: "ReleasesAge", metric: s.Releases.Metric(age, over("Maximum", 15)),
			threshold: late, ringing: 1, of: 1,
			means: "A release of an outbox has waited for an hour."},
		{name: "releases-dead", id: "ReleasesDead",
			metric:    s.ReleasesDead.MetricApproximateNumberOfMessagesVisible(over("Maximum", 5)),
			threshold: 1, ringing: 1, of: 1,
			means: "The relay could not read a release; its object stays."},
	}
	if len(s.props.tables()) > 0 {
		all = append(all, alarm{name: "stream-age", id: "StreamAge", metric: s.Relay.Metric(jsii.String("IteratorAge"), over("Maximum", 15)),
			threshold: late * 1000, ringing: 1, of: 1,
			means: "The relay is an hour behind a table's stream, whose records end after a day."})
	}
	return all
}

// overdue is after how many periods of five minutes a pass is.
func (s *Strandline) overdue() int { return int(s.props.PassOverdue / (5 * time.Minute)) }

func (s *Strandline) ownMetric(name telemetry.Name, statistic string, minutes float64) awscloudwatch.IMetric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace:     jsii.String(telemetry.Namespace),
		MetricName:    jsii.String(string(name)),
		DimensionsMap: &map[string]*string{telemetry.Dimension: jsii.String(s.schema.Ledger.Name)},
		Statistic:     jsii.String(statistic),
		Period:        awscdk.Duration_Minutes(jsii.Number(minutes)),
	})
}

func over(statistic string, minutes float64) *awscloudwatch.MetricOptions {
	return &awscloudwatch.MetricOptions{
		Statistic: jsii.String(statistic), Period: awscdk.Duration_Minutes(jsii.Number(minutes)),
	}
}
