package cleanup

import "testing"

// BenchmarkPlanBytes measures what a plan keeps of each of 100,000 candidates,
// beside what their records would take.
func BenchmarkPlanBytes(b *testing.B) {
	const n = 100_000
	var flat float64
	for b.Loop() {
		flat = planBytes(b, n)
	}
	records := recordBytes(b, n)
	b.ReportMetric(flat, "bytes/candidate")
	b.ReportMetric(records, "bytes/record")
	b.ReportMetric(records/flat, "records/plan")
}
