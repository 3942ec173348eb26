package telemetry

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Sink writes metrics of one installation. A nil Sink writes none.
type Sink struct {
	out    io.Writer
	ledger string
	units  map[Name]Unit
}

// To returns a sink that writes to out, one line and one call of Write for
// each [Sink.Put].
func To(out io.Writer, ledger string) *Sink {
	units := map[Name]Unit{}
	for _, m := range List() {
		units[m.Name] = m.Unit
	}
	return &Sink{out: out, ledger: ledger, units: units}
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

// Put writes what was measured at an instant. A metric that is not in the list
// is an error, and nothing is written then.
func (s *Sink) Put(at time.Time, values map[Name]float64) error {
	if s == nil || len(values) == 0 {
		return nil
	}
	line := map[string]any{Dimension: s.ledger}
	var units []unitOf
	for _, name := range slices.Sorted(maps.Keys(values)) { // the same line every time
		unit, known := s.units[name]
		if !known {
			return fmt.Errorf("metric %q is not in the list", string(name))
		}
		units = append(units, unitOf{name, unit})
		line[string(name)] = values[name]
	}
	line["_aws"] = described{
		Timestamp: at.UnixMilli(),
		Metrics:   []directive{{Namespace: Namespace, Dimensions: [][]string{{Dimension}}, Metrics: units}},
	}
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	if _, err := s.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}
