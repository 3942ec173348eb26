package quarantine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Execute does what the plan said, after asking everything once more: the plan
// may be old. The writes, in order: the hold is approved, and names the record
// and whether there is to be a marker; the record; the marker; the marker's id
// in the hold. Each finds what the one before left, so that an approval that
// broke off anywhere is completed by giving it again.
func (d Desk) Execute(ctx context.Context, a Approval, who string) (hold.Hold, error) {
	h, err := d.Book.Get(ctx, a.Hold.Bucket, a.Hold.ID())
	if err != nil {
		return hold.Hold{}, err
	}
	if a, err = d.plan(ctx, h); err != nil {
		return h, err
	}
	h = a.Hold
	if before := h; h.State != hold.Approved {
		h.State, h.Adopted = hold.Approved, a.Adopts
		h.Who, h.When, h.Why = who, d.Now(), "approved"
		if a.Hides {
			h.Marker.Intended = d.Now()
		}
		if h, err = d.Book.Put(ctx, h, d.Now()); err != nil {
			return h, err
		}
		d.decided(ctx, audit.HoldApproved, before, h)
	}
	if h.Kind == hold.Multipart {
		return d.abort(ctx, h)
	}
	record, err := d.adopt(ctx, h, who)
	if err != nil || record.State != upload.StateCancelled {
		return h, err
	}
	return d.hide(ctx, h)
}

// adopt makes the record, or finds it made.
func (d Desk) adopt(ctx context.Context, h hold.Hold, who string) (upload.Record, error) {
	for range tries {
		r, err := d.Records.Load(ctx, h.Adopted)
		if err != nil {
			return upload.Record{}, fmt.Errorf("adopt hold %.12s: %w", h.ID(), err)
		}
		if r.Withdrawn() {
			return r, refused(h, "a restore of it has begun")
		}
		change, err := upload.Step(d.Policy, r, adoption(h), d.Now())
		if err != nil {
			return r, fmt.Errorf("adopt hold %.12s: %w", h.ID(), err)
		}
		if change.Nothing() {
			return r, nil
		}
		if err = d.Records.Commit(ctx, change); err == nil {
			d.changed(ctx, change, h, who, "")
			return change.After, nil
		}
		if errors.Is(err, upload.ErrUnclear) {
			d.changed(ctx, change, h, who, audit.Unclear)
		}
		if !errors.Is(err, upload.ErrChanged) {
			return r, fmt.Errorf("adopt hold %.12s: %w", h.ID(), err)
		}
	}
	return upload.Record{}, fmt.Errorf("adopt hold %.12s: %w", h.ID(), upload.ErrChanged)
}

const tries = 5

func adoption(h hold.Hold) upload.Adopt {
	return upload.Adopt{
		ID: h.Adopted, Source: "reconciler hold " + h.ID(), Orphan: true,
		Objects: []upload.Explicit{{
			Bucket: h.Bucket, Key: h.Key, VersionID: h.VersionID, ETag: h.ETag, Size: h.Size, LastModified: h.LastModified,
		}},
	}
}

// hide places the marker that was intended, or finds it placed, and takes it
// away again if it hides anything but the held version.
func (d Desk) hide(ctx context.Context, h hold.Hold) (hold.Hold, error) {
	if h.Marker.Intended.IsZero() {
		return h, nil
	}
	if h.Marker.VersionID == "" {
		marker, err := d.place(ctx, h)
		if err != nil {
			return h, err
		}
		if marker == "" {
			return d.notHidden(ctx, h)
		}
		if h, err = d.note(ctx, h, marker); err != nil {
			return h, err
		}
	}
	stack, err := d.stack(ctx, h)
	switch {
	case err != nil:
		return h, err
	case stack.current == h.Marker.VersionID && stack.hides(h):
		return h, nil
	}
	if err := d.unhide(ctx, h); err != nil {
		return h, err
	}
	return d.notHidden(ctx, h)
}

// note writes down which marker hides the held version. A hold that was changed
// meanwhile is read again: a run may have seen it. One whose approval a restore
// has taken back would never be asked for this marker, so it is removed.
func (d Desk) note(ctx context.Context, h hold.Hold, marker string) (hold.Hold, error) {
	adopted := h.Adopted
	for range tries {
		h.Marker.VersionID = marker
		noted, err := d.Book.Put(ctx, h, d.Now())
		if !errors.Is(err, upload.ErrChanged) {
			return noted, err
		}
		if h, err = d.Book.Get(ctx, h.Bucket, h.ID()); err != nil {
			return h, err
		}
		if h.State != hold.Approved || h.Adopted != adopted {
			h.Marker.VersionID = marker
			return h, errors.Join(refused(h, "it was restored meanwhile"), d.unhide(ctx, h))
		}
	}
	return h, fmt.Errorf("note the marker of hold %.12s: %w", h.ID(), upload.ErrChanged)
}

// notHidden notes that the quarantine is only the waiting.
func (d Desk) notHidden(ctx context.Context, h hold.Hold) (hold.Hold, error) {
	h.Marker = hold.Marker{}
	return d.Book.Put(ctx, h, d.Now())
}

// place returns the id of the marker over the held version: one that an
// earlier attempt placed, or a new one. It is empty if something else has
// become the current version, or the key somebody's.
func (d Desk) place(ctx context.Context, h hold.Hold) (string, error) {
	found, standsOnTop, err := d.recognise(ctx, h)
	if err != nil || found != "" || !standsOnTop {
		return found, err
	}
	// The marker may have been intended long ago.
	if why, err := d.visible(ctx, h); err != nil || why != "" {
		return "", err
	}
	marker, err := d.Markers.PlaceMarker(ctx, h.Bucket, h.Key, h.ETag)
	switch {
	case errors.Is(err, upload.ErrRefused):
		return "", nil // not the current version any more
	case errors.Is(err, upload.ErrUnclear):
		again, _, lookErr := d.recognise(ctx, h)
		if lookErr != nil || again == "" {
			return "", fmt.Errorf("hide hold %.12s: %w", h.ID(), errors.Join(err, lookErr))
		}
		return again, nil
	case err != nil:
		return "", fmt.Errorf("hide hold %.12s: %w", h.ID(), err)
	}
	return marker, nil
}

// recognise looks for the marker that was intended and whose id nobody noted:
// the current one, directly above the held version, which was the current one
// when the marker was intended, and not older than that.
func (d Desk) recognise(ctx context.Context, h hold.Hold) (marker string, standsOnTop bool, err error) {
	stack, err := d.stack(ctx, h)
	if err != nil {
		return "", false, err
	}
	if stack.hides(h) && !stack.placed.Before(h.Marker.Intended.Add(-d.Policy.MaxClockSkew).Truncate(time.Second)) {
		return stack.current, false, nil
	}
	return "", stack.current == h.VersionID, nil
}

// unhide removes exactly the marker that was noted.
func (d Desk) unhide(ctx context.Context, h hold.Hold) error {
	err := d.Markers.RemoveMarker(ctx, h.Bucket, h.Key, h.Marker.VersionID)
	if err == nil || errors.Is(err, upload.ErrAbsent) {
		return nil
	}
	return fmt.Errorf("remove the marker of hold %.12s: %w", h.ID(), err)
}
