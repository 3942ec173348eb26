package telemetry

// Namespace is the metrics' own. Dimension, the ledger's table, tells two
// installations in one account apart; ByReason is beside it on the few metrics
// that are told apart by a reason.
const (
	Namespace = "Strandline"
	Dimension = "Ledger"
	ByReason  = "Reason"
)

// Name names a metric.
type Name string

// The metrics. Those of a pass are of its last attempt, those of a batch and of
// an inventory of that one.
const (
	PassRan          Name = "PassRan"
	Selected         Name = "Selected"
	Published        Name = "Published"
	Marked           Name = "Marked"
	Repaired         Name = "Repaired"
	Renewed          Name = "Renewed"
	Skipped          Name = "Skipped"
	Stuck            Name = "Stuck"
	Unfinished       Name = "Unfinished"
	BacklogAge       Name = "BacklogAge"
	PausedRuns       Name = "PausedRuns"
	CensusAge        Name = "CensusAge"
	GateRate         Name = "GateRate"
	Started          Name = "Started"
	Deleted          Name = "Deleted"
	DeletedObjects   Name = "DeletedObjects"
	DeletedBytes     Name = "DeletedBytes"
	Retained         Name = "Retained"
	Retrying         Name = "Retrying"
	SkippedMessages  Name = "SkippedMessages"
	Unclear          Name = "Unclear"
	FailedRemovals   Name = "FailedRemovals"
	Parked           Name = "Parked"
	Rejected         Name = "Rejected"
	Throttled        Name = "Throttled"
	Missing          Name = "Missing"
	Changed          Name = "Changed"
	Corrupt          Name = "Corrupt"
	HoldsBlocked     Name = "HoldsBlocked"
	Recorded         Name = "Recorded"
	Confirmed        Name = "Confirmed"
	Mismatched       Name = "Mismatched"
	SkippedEvents    Name = "SkippedEvents"
	FailedEvents     Name = "FailedEvents"
	Adopted          Name = "Adopted"
	Released         Name = "Released"
	DroppedRefs      Name = "DroppedReferences"
	SkippedReleases  Name = "SkippedReleases"
	ParkedReleases   Name = "ParkedReleases"
	FailedReleases   Name = "FailedReleases"
	AuditUndelivered Name = "AuditUndelivered"
)

// Unit is CloudWatch's word for what a number counts.
type Unit string

// The units there are.
const (
	Count     Unit = "Count"
	Seconds   Unit = "Seconds"
	Bytes     Unit = "Bytes"
	PerSecond Unit = "Count/Second"
)

// Metric describes one metric.
type Metric struct {
	Name Name
	Unit Unit
	// Function is whose it is.
	Function string
	// ByReason: it has one value for each reason of [Reasons] that there was, and
	// none where there was none.
	ByReason bool
	// Means says in a sentence what is counted, and when.
	Means string
}

// List is every metric there is, in the order of docs/metrics.md.
func List() []Metric {
	return []Metric{
		{Name: PassRan, Unit: Count, Function: "scheduler", Means: "1 for each pass that came to its end: done, reported, paused or approved."},
		{Name: Selected, Unit: Count, Function: "scheduler", Means: "Uploads that were due, and that the pass looked at. The next five and `Stuck` add up to it."},
		{Name: Published, Unit: Count, Function: "scheduler", Means: "Uploads of which the queue has accepted a command to the worker."},
		{Name: Marked, Unit: Count, Function: "scheduler", Means: "Uploads that were marked: their hold was over."},
		{Name: Repaired, Unit: Count, Function: "scheduler", Means: "Uploads that were cancelled: their transfer had timed out."},
		{Name: Renewed, Unit: Count, Function: "scheduler", Means: "Uploads that are kept, since they were used or extended, or a delay is not over: their due is moved."},
		{Name: Skipped, Unit: Count, Function: "scheduler", ByReason: true, Means: "Uploads that the pass has left as they are, by reason."},
		{Name: Stuck, Unit: Count, Function: "scheduler", Means: "Uploads that have been assembling for longer than StuckAfter."},
		{Name: Unfinished, Unit: Count, Function: "scheduler", Means: "Uploads found in `deleting` whose worker let go without finishing."},
		{Name: BacklogAge, Unit: Seconds, Function: "scheduler", Means: "How long the oldest upload that the pass would mark, repair or purge has been due; 0 if none is. Not written in report-only, where a backlog is meant to grow."},
		{Name: PausedRuns, Unit: Count, Function: "scheduler", Means: "1 for a pass that is over its limit and waits for a person, 0 for any other."},
		{Name: CensusAge, Unit: Seconds, Function: "scheduler", Means: "How old the census is that the pass was judged by. Where there is none, the age is counted from 1970."},
		{Name: GateRate, Unit: PerSecond, Function: "scheduler", Means: "What the gate gives, in object versions: the rate that is set, or what throttles have left of it for now; 0 while it is paused or in report-only."},
		{Name: Started, Unit: Count, Function: "worker", Means: "Messages whose upload the worker has claimed, or begun to trim."},
		{Name: Deleted, Unit: Count, Function: "worker", Means: "Messages whose objects are gone: finished or trimmed."},
		{Name: DeletedObjects, Unit: Count, Function: "worker", Means: "Object versions that are gone, of unfinished uploads too."},
		{Name: DeletedBytes, Unit: Bytes, Function: "worker", Means: "The known bytes of those."},
		{Name: Retained, Unit: Count, Function: "worker", Means: "Messages of which something stays for a lock, a legal hold or by policy, with the reason on the record."},
		{Name: Retrying, Unit: Count, Function: "worker", Means: "Messages that come back: after a failure, a wait, a throttle or a closed gate, or to go on with what one invocation could not finish."},
		{Name: SkippedMessages, Unit: Count, Function: "worker", ByReason: true, Means: "Messages that had nothing to do any more, by reason."},
		{Name: Unclear, Unit: Count, Function: "worker", Means: "Messages in which it was not known whether a delete was done: the worker looked, and deleted what still stood."},
		{Name: FailedRemovals, Unit: Count, Function: "worker", Means: "Messages whose purge failed, and will be tried again."},
		{Name: Parked, Unit: Count, Function: "worker", Means: "Messages whose attempts are used up: the upload waits for a person."},
		{Name: Rejected, Unit: Count, Function: "worker", Means: "Messages that cannot be: of another tenant, schema or state."},
		{Name: Throttled, Unit: Count, Function: "worker", Means: "Messages that wait because the store or the ledger asked to slow down."},
		{Name: Missing, Unit: Count, Function: "reconciler", Means: "Objects that the ledger owns and that are not there."},
		{Name: Changed, Unit: Count, Function: "reconciler", Means: "Objects whose version is not there, and another one is."},
		{Name: Corrupt, Unit: Count, Function: "reconciler", Means: "Objects whose size or checksum is not as recorded."},
		{Name: HoldsBlocked, Unit: Count, Function: "reconciler", Means: "1 for an inventory with too many orphans to be true, 0 for any other."},
		{Name: Recorded, Unit: Count, Function: "recorder", Means: "Storage events whose object is in its upload's manifest now."},
		{Name: Confirmed, Unit: Count, Function: "recorder", Means: "Uploads that are complete by a storage event: everything they declared is there."},
		{Name: Mismatched, Unit: Count, Function: "recorder", Means: "Uploads that are cancelled by a storage event: an object's size or checksum is not what was stated."},
		{Name: SkippedEvents, Unit: Count, Function: "recorder", ByReason: true, Means: "Storage events that had nothing to do, by reason."},
		{Name: FailedEvents, Unit: Count, Function: "recorder", Means: "Storage events that could not be dealt with, and come again."},
		{Name: Adopted, Unit: Count, Function: "relay", Means: "Releases that became a record of their own, which waits for its day."},
		{Name: Released, Unit: Count, Function: "relay", Means: "Releases by which an upload was given up."},
		{Name: DroppedRefs, Unit: Count, Function: "relay", Means: "Releases by which an upload lost a reference; with its last one it is given up."},
		{Name: SkippedReleases, Unit: Count, Function: "relay", ByReason: true, Means: "Releases that had nothing to do, by reason."},
		{Name: ParkedReleases, Unit: Count, Function: "relay", Means: "Releases that could not be read, and wait for a person in the releases' dead-letter queue."},
		{Name: FailedReleases, Unit: Count, Function: "relay", Means: "Releases that could not be dealt with, and come again."},
		{Name: AuditUndelivered, Unit: Count, Function: "all", Means: "Lines of the audit trail that its log group did not take, or that there was no time to bring there; they are in the function's own log."},
	}
}
