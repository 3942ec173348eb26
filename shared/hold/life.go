package hold

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Seen is what a run says of something that nobody owns.
type Seen struct {
	Subject
	Size         int64
	ETag         string
	LastModified time.Time
	Tenant       string
	Upload       string
	KeyKnown     bool
	Latest       bool
	By           Sighting
}

// Outcome is what became of a hold when a run saw it.
type Outcome string

const (
	// Opened: it is on the list from now on, or again.
	Opened Outcome = "opened"
	// Again: it was on the list, whatever a person had said.
	Again Outcome = "again"
	// Repeated: this run, or one over a later inventory, had said so before.
	Repeated Outcome = "repeated"
)

// See opens a hold, or notes that it was seen again. What a person decided
// stays as it is; a closed one is opened again, or kept if it was kept once.
func (b Book) See(ctx context.Context, seen Seen, now time.Time) (h Hold, outcome Outcome, err error) {
	h, err = b.change(ctx, seen.Subject, now, func(h *Hold, found bool) (bool, error) {
		switch {
		case found && (h.LastSeen == seen.By && h.State != Closed || h.LastSeen.Inventory.After(seen.By.Inventory)):
			outcome = Repeated
			return false, nil
		case !found || h.State == Closed, h.State == Open && !h.shows(seen):
			outcome = Opened
			h.open(seen)
		default:
			outcome = Again
			h.LastSeen, h.Latest, h.KeyKnown = seen.By, seen.Latest, seen.KeyKnown
		}
		return true, nil
	})
	return h, outcome, err
}

// shows reports whether the facts are those of the hold. Only a null version
// can become another one under its id.
func (h *Hold) shows(seen Seen) bool {
	return h.Size == seen.Size && h.ETag == seen.ETag && h.LastModified.Equal(seen.LastModified)
}

func (h *Hold) open(seen Seen) {
	*h = Hold{
		Subject: seen.Subject, State: Open, Revision: h.Revision, WasKept: h.WasKept, Restored: h.Restored,
		Size: seen.Size, ETag: seen.ETag, LastModified: seen.LastModified, Tenant: seen.Tenant, Upload: seen.Upload,
		KeyKnown: seen.KeyKnown, Latest: seen.Latest, FirstSeen: seen.By, LastSeen: seen.By,
	}
	if h.WasKept {
		h.State, h.Why = Kept, "kept before"
	}
}

// Touch notes that a run met what a hold names without judging it, so that the
// run does not close it. It was not found unowned: an approval is refused until
// a run has. Without a hold it does nothing.
func (b Book) Touch(ctx context.Context, s Subject, by Sighting, now time.Time) error {
	_, err := b.change(ctx, s, now, func(h *Hold, found bool) (bool, error) {
		if !found || h.State == Closed || h.Met == by {
			return false, nil
		}
		h.Met = by
		return true, nil
	})
	return err
}

// Close takes a hold from the list, if it still is in the state in which it was
// read.
func (b Book) Close(ctx context.Context, read Hold, why string, now time.Time) (Hold, error) {
	return b.change(ctx, read.Subject, now, func(h *Hold, found bool) (bool, error) {
		if !found || h.State != read.State || h.State == Closed {
			return false, nil // a person was faster
		}
		h.State, h.Why, h.When, h.Who = Closed, why, now, ""
		return true, nil
	})
}

// Keep says that what the hold names stays, and that nobody is to be asked
// again. An approved one has to be restored first.
func (b Book) Keep(ctx context.Context, h Hold, who, why string, now time.Time) (Hold, error) {
	return b.change(ctx, h.Subject, now, func(h *Hold, found bool) (bool, error) {
		switch {
		case !found:
			return false, fmt.Errorf("hold %.12s: %w", h.ID(), upload.ErrAbsent)
		case h.State == Kept:
			return false, nil
		case h.State != Open:
			return false, fmt.Errorf("hold %.12s is %s: only an open one is kept: %w", h.ID(), h.State, upload.ErrRefused)
		}
		h.State, h.WasKept = Kept, true
		h.Who, h.When, h.Why = who, now, why
		return true, nil
	})
}
