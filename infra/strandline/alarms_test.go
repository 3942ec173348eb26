//go:build infra

package strandline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// rings says when an alarm of a template does, as docs/deploy.md writes it.
func rings(r resource) string {
	operator := map[string]string{
		"GreaterThanOrEqualToThreshold|notBreaching": "≥", "LessThanThreshold|breaching": "<",
	}[fmt.Sprint(r.Properties["ComparisonOperator"], "|", r.Properties["TreatMissingData"])]
	return fmt.Sprintf("%v %s %.0f in %v of %v × %v min", r.Properties["Statistic"], operator, r.Properties["Threshold"],
		r.Properties["DatapointsToAlarm"], r.Properties["EvaluationPeriods"], r.Properties["Period"].(float64)/60)
}

// A person who is woken by an alarm looks for its name in the document.
func TestEveryAlarmIsInTheDocumentAndNoOther(t *testing.T) {
	want := map[string]string{}
	for _, row := range rowsUnder(t, "## Alarms") {
		if len(row) != 4 || len(row[3]) < 40 {
			t.Errorf("alarm %s: the document does not say what to do", row[0])
		}
		want[row[0]] = row[1] + ": " + row[2]
	}
	got := map[string]string{}
	for _, r := range theUsual(t).of("AWS::CloudWatch::Alarm") {
		metric := r.Properties["MetricName"].(string)
		if namespace := r.Properties["Namespace"]; namespace != telemetry.Namespace {
			metric = fmt.Sprint(namespace, " ", metric)
		}
		got[strings.TrimPrefix(r.Properties["AlarmName"].(string), "strandline-")] = metric + ": " + rings(r)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("docs/deploy.md (-) and the template (+):\n%s", d)
	}
}

// A metric that nobody looks at costs money; an alarm or a graph of a name that
// nobody writes never shows anything.
func TestEveryMetricHasAnAlarmOrAGraphOnItsUnitAndDimension(t *testing.T) {
	watched := map[string]bool{}
	for id, r := range theUsual(t).of("AWS::CloudWatch::Alarm") {
		if r.Properties["Namespace"] != telemetry.Namespace {
			continue
		}
		watched[r.Properties["MetricName"].(string)] = true
		dimensions := []any{object{"Name": telemetry.Dimension, "Value": "strandline-ledger"}}
		if d := cmp.Diff(any(dimensions), r.Properties["Dimensions"]); d != "" {
			t.Errorf("%s: %s", id, d)
		}
	}
	var board string
	for _, r := range theUsual(t).of("AWS::CloudWatch::Dashboard") {
		board = flat(r.Properties["DashboardBody"])
	}
	for _, m := range telemetry.List() {
		plain := fmt.Sprintf(`["%s","%s","%s","strandline-ledger"`, telemetry.Namespace, m.Name, telemetry.Dimension)
		byReason := fmt.Sprintf(`SEARCH('{%s,%s,%s} MetricName=\"%s\" %s=\"strandline-ledger\"'`, telemetry.Namespace, telemetry.Dimension, telemetry.ByReason, m.Name, telemetry.Dimension)
		if !watched[string(m.Name)] && !strings.Contains(board, plain) && !strings.Contains(board, strings.ReplaceAll(byReason, `"`, `\"`)) && !strings.Contains(board, byReason) {
			t.Errorf("no alarm and no graph looks at %s", m.Name)
		}
		delete(watched, string(m.Name))
	}
	for name := range watched {
		t.Errorf("nobody writes %s", name)
	}
}

func TestEveryAlarmReachesTheMail(t *testing.T) {
	for id, r := range theUsual(t).of("AWS::CloudWatch::Alarm") {
		if to := flat(list(r.Properties["AlarmActions"])[0]); to != "${StrandlineAlarmTopic}" {
			t.Errorf("%s goes to %s", id, to)
		}
	}
	if got := len(theUsual(t).of("AWS::SNS::Subscription")); got != 1 {
		t.Errorf("%d subscriptions", got)
	}
}
