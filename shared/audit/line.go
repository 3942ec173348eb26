package audit

import (
	"context"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Schema is the version of a line's own format.
const Schema = 1

// Decisions that are no event of an upload. Those that are have its name.
const (
	HoldOpened      = "hold-opened"
	HoldClosed      = "hold-closed"
	HoldKept        = "hold-kept"
	HoldApproved    = "hold-approved"
	HoldRestored    = "hold-restored"
	RunPaused       = "run-paused"
	RunApproved     = "run-approved"
	GateMode        = "gate-mode"
	GatePause       = "gate-pause"
	GateResume      = "gate-resume"
	GateRate        = "gate-rate"
	LetterRedriven  = "letter-redriven"
	LetterDiscarded = "letter-discarded"
)

// Decisions lists every name that Line.What may have beside the kinds of
// events.
func Decisions() []string {
	return []string{
		HoldOpened, HoldClosed, HoldKept, HoldApproved, HoldRestored, RunPaused, RunApproved,
		GateMode, GatePause, GateResume, GateRate, LetterRedriven, LetterDiscarded,
	}
}

// Unclear is the outcome of a decision of which nobody knows whether it was
// written.
const Unclear = "unclear"

// Line is one decision. What does not apply is left out; docs/metrics.md lists
// the fields.
type Line struct {
	Schema int       `json:"audit"`
	At     time.Time `json:"at"`
	Who    string    `json:"who"`
	What   string    `json:"what"`
	Why    string    `json:"why,omitempty"`
	// Run and Operation are those of the command, Attempt the failed attempts of
	// the purge so far.
	Run       string `json:"run,omitempty"`
	Operation string `json:"operation,omitempty"`
	Attempt   int    `json:"attempt,omitempty"`
	Tenant    string `json:"tenant,omitempty"`
	Upload    string `json:"upload,omitempty"`
	// Version and Fence are the record's after it.
	Version int64 `json:"version,omitempty"`
	Fence   int64 `json:"fence,omitempty"`
	// Hold is a hold's id, Bucket its bucket, Gate the name of a gate, Letter the
	// message id of a dead letter.
	Hold   string `json:"hold,omitempty"`
	Bucket string `json:"bucket,omitempty"`
	Gate   string `json:"gate,omitempty"`
	Letter string `json:"letter,omitempty"`
	// Before and After are states: of the upload, the hold, the run, the gate or
	// the letter.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Outcome is empty for what is durably done, or [Unclear].
	Outcome string `json:"outcome,omitempty"`
}

// To takes the lines; nil takes none. It is called by many at once, must not
// block for long, and cannot fail: a decision that was made stays made.
type To func(ctx context.Context, l Line)

// Write gives a line its schema and hands it over.
func (to To) Write(ctx context.Context, l Line) {
	if to == nil {
		return
	}
	l.Schema, l.At = Schema, l.At.UTC()
	to(ctx, l)
}

// Of is the line of a change of a record: all but who, why and for which
// command.
func Of(c upload.Change, at time.Time) Line {
	return Line{
		At: at, What: string(c.Event), Attempt: c.After.Attempts, Tenant: c.After.Tenant, Upload: c.After.Upload,
		Version: c.After.Version, Fence: c.After.Fence, Before: c.Before.State.String(), After: c.After.State.String(),
	}
}

// Lost completes the line of a change whose answer was lost, from the record as
// it was read afterwards, and reports whether there is anything to write: not
// if the record is still what the change was made from.
func Lost(l Line, c upload.Change, stored upload.Record) (Line, bool) {
	a := c.After
	switch {
	case stored.Version == c.Before.Version:
		return Line{}, false
	case stored.Version != a.Version || stored.State != a.State || stored.Fence != a.Fence || stored.Token != a.Token:
		l.Outcome = Unclear
	}
	return l, true
}
