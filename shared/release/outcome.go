package release

import (
	"errors"
	"slices"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Kind is what became of a release.
type Kind string

// What becomes of a release.
const (
	// KindAdopted: a record of it waits for its day.
	KindAdopted Kind = "adopted"
	// KindReleased: the upload whose own it is was given up.
	KindReleased Kind = "released"
	// KindDropped: the row's reference to the upload was; others may keep it.
	KindDropped Kind = "reference dropped"
	// KindSkipped: nothing is to be done, for the reason.
	KindSkipped Kind = "skipped"
	// KindParked: nothing can be done until a person has looked, for the reason.
	KindParked Kind = "parked"
	// KindFailed: not done; again later.
	KindFailed Kind = "failed"
)

// The reasons of KindSkipped. The list is closed: each is a value
// of the metrics' dimension.
const (
	SkipNothingReleased = "nothing released"
	SkipAlreadyReleased = "already released"
	SkipForeignURL      = "foreign url"
	SkipObjectAbsent    = "gone"
	SkipSameSecond      = "same second"
	SkipOverwrittenLate = "overwritten late"
	SkipNamedByRow      = "named by a row"
	SkipOtherReferences = "other references"
	SkipReferenceNewer  = "reference newer"
	SkipSiblingNamed    = "sibling named"
	SkipNotPublished    = "not published"
	SkipOtherTenant     = "other tenant"
)

// Outcome is what became of one object of a change or message.
type Outcome struct {
	Kind Kind
	// Reason is one of those above, or of KindParked a sentence; it holds no value
	// of a row.
	Reason string
	// Upload is the record that it became, or that it is about.
	Upload upload.ID
	Err    error // of KindFailed
}

// errNotFindable: other rows that name the object so cannot be found either.
var errNotFindable = &source.Unreadable{
	Where: "url", Why: "spelled in a way that the source's index cannot be asked for",
}

func skipped(reason string) Outcome { return Outcome{Kind: KindSkipped, Reason: reason} }

func parked(err error) Outcome { return Outcome{Kind: KindParked, Reason: err.Error()} }

// failed is what to do about an error: what the ledger refuses it will refuse
// again.
func failed(err error) Outcome {
	if errors.Is(err, upload.ErrRefused) {
		return parked(err)
	}
	return Outcome{Kind: KindFailed, Err: err}
}

// of says which record an outcome is about.
func (o Outcome) of(id upload.ID) Outcome {
	o.Upload = id
	return o
}

// Done reports whether none of the outcomes needs another try.
func Done(all []Outcome) bool {
	return !slices.ContainsFunc(all, func(o Outcome) bool { return o.Kind == KindFailed })
}

// ParkedWhy is why something of the outcomes is parked; empty if nothing is.
func ParkedWhy(all []Outcome) string {
	for _, o := range all {
		if o.Kind == KindParked {
			return o.Reason
		}
	}
	return ""
}
