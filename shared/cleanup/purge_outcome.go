package cleanup

import (
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// OutcomeKind is what became of one message.
//
//	what happened                                     kind        the message
//	------------------------------------------------  ----------  ---------------------------
//	every object is gone, or was absent already       deleted     acknowledged
//	the superseded part of a completed upload is gone trimmed     acknowledged
//	object lock, legal hold, policy keep some         retained    acknowledged; due at the date
//	the condition is lost: newer, revived, referenced skipped     acknowledged
//	a row of an application still refers to it        skipped     acknowledged; see Skip…
//	the first answer was lost, the token is ours      (goes on)
//	another worker's claim is alive                   waiting     hidden until its lease ends
//	a look-up failed, or the invocation ends          waiting     hidden for a while
//	the gate is paused or in report-only              closed      hidden for 15 m
//	the store or the ledger asks to slow down         throttled   hidden for a while
//	the invocation ends, or is stopped, with progress continued   hidden shortly
//	denied, failed, still unclear                     retrying    hidden for the backoff
//	attempts used up                                  parked      dead-lettered, acknowledged
//	tenant, schema or state that cannot be            rejected    dead-lettered, acknowledged
//	the worker broke, or lost the ledger              failed      hidden for a while
//
// Only retrying and parked count an attempt. A message whose dead-lettering
// failed is not acknowledged.
type OutcomeKind string

// The kinds of outcome.
const (
	KindDeleted   OutcomeKind = "deleted"
	KindTrimmed   OutcomeKind = "trimmed"
	KindRetained  OutcomeKind = "retained"
	KindSkipped   OutcomeKind = "skipped"
	KindWaiting   OutcomeKind = "waiting"
	KindClosed    OutcomeKind = "closed"
	KindThrottled OutcomeKind = "throttled"
	KindContinued OutcomeKind = "continued"
	KindRetrying  OutcomeKind = "retrying"
	KindParked    OutcomeKind = "parked"
	KindRejected  OutcomeKind = "rejected"
	KindFailed    OutcomeKind = "failed"
)

// Outcome is what became of one message.
type Outcome struct {
	MessageID string
	// Command is zero where the message could not be decoded.
	Command upload.Command
	Kind    OutcomeKind
	// Reason is for people: a few words, no object keys.
	Reason string
	// Fence is the claim's, Attempt the failed attempts so far.
	Fence   int64
	Attempt int
	// Objects is how many declared objects the command was about; Gone and
	// Retained of them are dealt with.
	Objects  int64
	Gone     int64
	Retained upload.Retained
	// Bytes is the known size of what was deleted.
	Bytes int64
	// Started: a claim was taken, or a trim begun. Unclear: it was not known for
	// a while whether a delete was done.
	Started bool
	Unclear bool
	// Hide is how long the message stays hidden, where it is not Done.
	Hide time.Duration
	// Done: whatever the message asked for is durably decided; acknowledge it.
	Done bool
}

// Left is how many objects were left as they are.
func (o Outcome) Left() int64 { return o.Objects - o.Gone - o.Retained.Count }
