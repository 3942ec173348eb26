package quarantine

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Restore takes an approval back while nothing of it was claimed: the record is
// withdrawn first, and from then on nothing can delete the version; then
// exactly the marker that was noted is removed, and the hold is open again, or
// kept, as it was. It is refused once a worker has claimed it.
func (d Desk) Restore(ctx context.Context, bucket, id, who string) (hold.Hold, error) {
	h, err := d.Book.Get(ctx, bucket, id)
	switch {
	case err != nil:
		return hold.Hold{}, err
	case h.Kind == hold.Multipart:
		return h, refused(h, "an aborted multipart upload cannot be restored")
	case h.State != hold.Approved:
		return h, refused(h, "it is %s, not approved", h.State)
	}
	if err := d.withdraw(ctx, h, who); err != nil {
		return h, err
	}
	if h, err = d.reveal(ctx, h); err != nil {
		return h, err
	}
	before := h
	h.State = hold.Open
	if h.WasKept {
		h.State = hold.Kept
	}
	h.Restored++
	h.Adopted, h.Marker = upload.ID{}, hold.Marker{}
	h.Who, h.When, h.Why = who, d.Now(), "restored"
	if h, err = d.Book.Put(ctx, h, d.Now()); err == nil {
		d.decided(ctx, audit.HoldRestored, before, h)
	}
	return h, err
}

// withdraw makes sure that the record never leads to a deletion. If there is
// none yet, it is made and withdrawn, so that an approval which is still under
// way finds it so.
func (d Desk) withdraw(ctx context.Context, h hold.Hold, who string) error {
	for range tries {
		r, err := d.Records.Load(ctx, h.Adopted)
		if err != nil {
			return fmt.Errorf("restore hold %.12s: %w", h.ID(), err)
		}
		if r.Withdrawn() {
			return nil
		}
		event := upload.Event(upload.Withdraw{Reason: "restored"})
		switch r.State {
		case upload.StateNone:
			event = adoption(h)
		case upload.StateDeleting, upload.StateDeleted:
			return refused(h, "too late: a worker has claimed it")
		}
		change, err := upload.Step(d.Policy, r, event, d.Now())
		if err != nil {
			return fmt.Errorf("restore hold %.12s: %w", h.ID(), err)
		}
		err = d.Records.Commit(ctx, change)
		switch {
		case err == nil:
			d.changed(ctx, change, h, who, "")
		case errors.Is(err, upload.ErrUnclear):
			d.changed(ctx, change, h, who, audit.Unclear)
		}
		if err != nil && !errors.Is(err, upload.ErrChanged) {
			return fmt.Errorf("restore hold %.12s: %w", h.ID(), err)
		}
	}
	return fmt.Errorf("restore hold %.12s: %w", h.ID(), upload.ErrChanged)
}

// reveal removes the marker, also one whose id was never noted.
func (d Desk) reveal(ctx context.Context, h hold.Hold) (hold.Hold, error) {
	if h.Marker.Intended.IsZero() {
		return h, nil
	}
	if h.Marker.VersionID == "" {
		found, _, err := d.recognise(ctx, h)
		if err != nil || found == "" {
			return h, err
		}
		h.Marker.VersionID = found
		if h, err = d.Book.Put(ctx, h, d.Now()); err != nil {
			return h, err
		}
	}
	return h, d.unhide(ctx, h)
}
