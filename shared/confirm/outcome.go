package confirm

import (
	"github.com/strandline-dev/strandline/shared/upload"
)

// Kind is what became of one event.
type Kind string

// The kinds there are.
const (
	// KindRecorded: the object is in its upload's manifest now.
	KindRecorded Kind = "recorded"
	// KindCompleted: the upload is complete now: the object was the last one, or
	// it was recorded before and the completion was missing.
	KindCompleted Kind = "completed"
	// KindCancelled: the object is not what was stated, and the upload is
	// cancelled for it.
	KindCancelled Kind = "cancelled"
	// KindSkipped: there is nothing to do, for one of the Skip reasons.
	KindSkipped Kind = "skipped"
	// KindFailed: nothing is known to have been done; the event has to come again.
	KindFailed Kind = "failed"
)

// Why an event is left alone. Each is a value of the metrics' dimension.
const (
	// SkipUnknown: no upload declares the key. Nothing of it was looked at.
	SkipUnknown = "unknown key"
	// SkipNoVersion: the event names no version, so it names nothing for good.
	SkipNoVersion = "no version"
	// SkipRepeated: this very version is recorded already.
	SkipRepeated = "recorded already"
	// SkipOther: the key has another version; a key's first version wins.
	SkipOther = "another version"
	// SkipStale: the key is of an attempt that has lost the upload.
	SkipStale = "stale attempt"
	// SkipCompleted: the upload was completed without it.
	SkipCompleted = "completed before"
	// SkipGivenUp: the upload is cancelled or expired.
	SkipGivenUp = "given up"
	// SkipDeleted: the upload is being deleted, or is deleted.
	SkipDeleted = "being deleted"
	// SkipGone: the version does not stand any more.
	SkipGone = "gone"
)

// Why an upload is cancelled, as its record says it.
const (
	ReasonSize     = "size differs"
	ReasonChecksum = "checksum differs"
)

// Outcome is what became of one event. It names no key.
type Outcome struct {
	Kind   Kind
	Reason string    // of KindSkipped and KindCancelled
	Upload upload.ID // zero where it is not known
	// Recorded: the object was not in its upload's manifest before, and is now.
	Recorded bool
	// Err is why, of KindFailed.
	Err error
}

// Done reports whether the event has not to come again.
func (o Outcome) Done() bool { return o.Kind != KindFailed }

// Tally counts events by what became of them.
type Tally struct {
	// Recorded counts objects; some of them are Completed or Failed as well,
	// which count events.
	Recorded  int            `json:"recorded"`
	Completed int            `json:"completed"`
	Cancelled int            `json:"cancelled"`
	Failed    int            `json:"failed"`
	Skipped   map[string]int `json:"skipped,omitempty"`
}

// Add counts outcomes.
func (t *Tally) Add(outcomes ...Outcome) {
	for _, o := range outcomes {
		if o.Recorded {
			t.Recorded++
		}
		switch o.Kind {
		case KindCompleted:
			t.Completed++
		case KindCancelled:
			t.Cancelled++
		case KindFailed:
			t.Failed++
		case KindSkipped:
			if t.Skipped == nil {
				t.Skipped = map[string]int{}
			}
			t.Skipped[o.Reason]++
		}
	}
}
