package telemetry

// Namespace is the metrics' own, Dimension the only one they have: the ledger's
// table, so that two installations in one account are told apart.
const (
	Namespace = "Strandline"
	Dimension = "Ledger"
)

// Name names a metric.
type Name string

// The metrics. Those of a pass are of its last attempt, those of a batch and of
// an inventory of that one.
const (
	PassRan        Name = "PassRan"
	BacklogAge     Name = "BacklogAge"
	PausedRuns     Name = "PausedRuns"
	Stuck          Name = "Stuck"
	Unfinished     Name = "Unfinished"
	FailedRemovals Name = "FailedRemovals"
	Parked         Name = "Parked"
	Rejected       Name = "Rejected"
	Throttled      Name = "Throttled"
	Missing        Name = "Missing"
	Changed        Name = "Changed"
	Corrupt        Name = "Corrupt"
	HoldsBlocked   Name = "HoldsBlocked"
)

// Unit is CloudWatch's word for what a number counts.
type Unit string

// The units there are.
const (
	Count   Unit = "Count"
	Seconds Unit = "Seconds"
)

// Metric describes one metric.
type Metric struct {
	Name Name
	Unit Unit
	// Function is whose it is.
	Function string
	// Means says in a sentence what is counted, and when.
	Means string
}

// List is every metric there is, in the order of docs/metrics.md.
func List() []Metric {
	return []Metric{
		{PassRan, Count, "scheduler", "1 for each pass that came to its end: done, reported, paused or approved."},
		{BacklogAge, Seconds, "scheduler", "How long the oldest upload that the pass would mark, repair or purge has been due; 0 if none is. Not written in report-only, where a backlog is meant to grow."},
		{PausedRuns, Count, "scheduler", "1 for a pass that is over its limit and waits for a person, 0 for any other."},
		{Stuck, Count, "scheduler", "Uploads that have been assembling for longer than StuckAfter."},
		{Unfinished, Count, "scheduler", "Uploads found in `deleting` whose worker let go without finishing."},
		{FailedRemovals, Count, "worker", "Messages whose purge failed, and will be tried again."},
		{Parked, Count, "worker", "Messages whose attempts are used up: the upload waits for a person."},
		{Rejected, Count, "worker", "Messages that cannot be: of another tenant, schema or state."},
		{Throttled, Count, "worker", "Messages that wait because the store or the ledger asked to slow down."},
		{Missing, Count, "reconciler", "Objects that the ledger owns and that are not there."},
		{Changed, Count, "reconciler", "Objects whose version is not there, and another one is."},
		{Corrupt, Count, "reconciler", "Objects whose size or checksum is not as recorded."},
		{HoldsBlocked, Count, "reconciler", "1 for an inventory with too many orphans to be true, 0 for any other."},
	}
}
