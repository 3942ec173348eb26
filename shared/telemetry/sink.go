package telemetry

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Values are numbers of one instant: plain ones, and those by reason.
type Values struct {
	Plain    map[Name]float64
	ByReason map[Name]map[Reason]float64
}

// Count adds to a metric by reason.
func (v *Values) Count(name Name, r Reason, n float64) {
	if v.ByReason == nil {
		v.ByReason = map[Name]map[Reason]float64{}
	}
	if v.ByReason[name] == nil {
		v.ByReason[name] = map[Reason]float64{}
	}
	v.ByReason[name][r] += n
}

// Sink writes metrics of one installation. A nil Sink writes none.
type Sink struct {
	out    io.Writer
	ledger string
	known  map[Name]Metric
}

// To returns a sink that writes to out, one call of Write for each line: one
// for all plain numbers, and one for each reason.
func To(out io.Writer, ledger string) *Sink {
	known := map[Name]Metric{}
	for _, m := range List() {
		known[m.Name] = m
	}
	return &Sink{out: out, ledger: ledger, known: known}
}

// The embedded metric format
// (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
type (
	described struct {
		Timestamp int64       `json:"Timestamp"`
		Metrics   []directive `json:"CloudWatchMetrics"`
	}
	directive struct {
		Namespace  string     `json:"Namespace"`
		Dimensions [][]string `json:"Dimensions"`
		Metrics    []unitOf   `json:"Metrics"`
	}
	unitOf struct {
		Name Name `json:"Name"`
		Unit Unit `json:"Unit"`
	}
)

// Put writes what was measured at an instant. A metric or a reason that is not
// in its list is an error, and nothing is written then.
func (s *Sink) Put(at time.Time, v Values) error {
	if s == nil {
		return nil
	}
	byReason := map[Reason]map[Name]float64{}
	for name, values := range v.ByReason {
		for reason, n := range values {
			if !slices.Contains(Reasons(), reason) {
				return fmt.Errorf("reason %q of metric %s is not in the list", string(reason), name)
			}
			if byReason[reason] == nil {
				byReason[reason] = map[Name]float64{}
			}
			byReason[reason][name] = n
		}
	}
	lines, err := s.line(nil, at, v.Plain, "")
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		if err == nil {
			lines, err = s.line(lines, at, byReason[reason], reason)
		}
	}
	if err != nil {
		return err
	}
	for _, line := range lines {
		if _, err := s.out.Write(line); err != nil {
			return fmt.Errorf("write metrics: %w", err)
		}
	}
	return nil
}

// line adds the line of these values; they are plain without a reason.
func (s *Sink) line(lines [][]byte, at time.Time, values map[Name]float64, reason Reason) ([][]byte, error) {
	if len(values) == 0 {
		return lines, nil
	}
	line := map[string]any{Dimension: s.ledger}
	dimensions := []string{Dimension}
	if reason != "" {
		line[ByReason] = reason
		dimensions = append(dimensions, ByReason)
	}
	var units []unitOf
	for _, name := range slices.Sorted(maps.Keys(values)) { // the same line every time
		m, known := s.known[name]
		if !known || m.ByReason != (reason != "") {
			return nil, fmt.Errorf("metric %q with reason %q is not in the list", string(name), string(reason))
		}
		units = append(units, unitOf{name, m.Unit})
		line[string(name)] = values[name]
	}
	line["_aws"] = described{
		Timestamp: at.UnixMilli(),
		Metrics:   []directive{{Namespace: Namespace, Dimensions: [][]string{dimensions}, Metrics: units}},
	}
	text, err := json.Marshal(line)
	if err != nil {
		return nil, fmt.Errorf("write metrics: %w", err)
	}
	return append(lines, append(text, '\n')), nil
}
