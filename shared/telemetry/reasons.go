package telemetry

import "slices"

// Reason is a value of the dimension [ByReason].
type Reason string

// Other stands for a reason that is not in the list: the log has it in full.
const Other Reason = "other"

// Reasons is every reason there is: those of a pass, of a worker, of a recorder
// and of a relay, and [Other]. They are the words of the engines and of
// shared/upload; a test compares them with the sources. The list is closed,
// since each is a metric that CloudWatch bills.
func Reasons() []Reason {
	return []Reason{
		"already deleted", "already released", "another version", "being deleted", "claim alive", "completed before",
		"foreign url", "given up", "gone", "index stale", "lost condition", "named by a row", "newer version",
		"no fresh census", "no version", "not eligible", "not published", "nothing released",
		"other references", "other tenant", "out of time", "over the limit", "overwritten late", "parked", "paused",
		"queue high-water", "queue refused", "recorded already", "reference added", "reference newer", "referenced",
		"release dropped", "report-only", "revived", "run failed", "same second", "schema unknown", "sibling named",
		"stale attempt", "unknown key", Other,
	}
}

// ReasonOf is the reason with that text, or [Other].
func ReasonOf(text string) Reason {
	if r := Reason(text); slices.Contains(Reasons(), r) {
		return r
	}
	return Other
}
