package quarantine

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// planMultipart asks again what an unfinished multipart upload was held on.
func (d Desk) planMultipart(ctx context.Context, h hold.Hold) (Approval, error) {
	a := Approval{Hold: h, DueAt: d.Now(), Visible: "it is aborted at once", Repeats: h.State == hold.Approved}
	stands, err := d.unfinished(ctx, h)
	switch {
	case err != nil:
		return Approval{}, err
	case !stands && a.Repeats:
		return a, nil
	case !stands:
		return Approval{}, refused(h, "it does not stand any more")
	}
	claim, err := hold.Ask(ctx, d.Records, h.Bucket, h.Key)
	if err != nil {
		return Approval{}, fmt.Errorf("hold %.12s: %w", h.ID(), err)
	}
	if claim.MayBeWritten() {
		return Approval{}, refused(h, "its key belongs to upload %s, which is %s", claim.Record.Upload, claim.Record.State)
	}
	return a, nil
}

// unfinished looks for exactly that multipart upload; one that was begun at
// another time is another one.
func (d Desk) unfinished(ctx context.Context, h hold.Hold) (bool, error) {
	for m, err := range d.Parts.Multiparts(ctx, h.Bucket, h.Key) {
		if err != nil {
			return false, fmt.Errorf("list the multipart uploads under the key of hold %.12s: %w", h.ID(), err)
		}
		if same(m, h) {
			return true, nil
		}
	}
	return false, nil
}

func same(m objects.Multipart, h hold.Hold) bool {
	return m.Key == h.Key && m.UploadID == h.VersionID && sameSecond(m.Begun, h.LastModified)
}

// abort ends exactly that multipart upload. A part that was still being sent
// may outlive it: the next sweep then sees it again.
func (d Desk) abort(ctx context.Context, h hold.Hold) (hold.Hold, error) {
	if err := d.Parts.Abort(ctx, h.Bucket, h.Key, h.VersionID); err != nil {
		return h, fmt.Errorf("abort hold %.12s: %w", h.ID(), err)
	}
	stands, err := d.unfinished(ctx, h)
	switch {
	case err != nil:
		return h, err
	case stands:
		return h, fmt.Errorf("hold %.12s: parts of it were still being sent: approve it again: %w", h.ID(), upload.ErrUnclear)
	}
	before := h
	h.State, h.Why = hold.Closed, "aborted"
	if h, err = d.Book.Put(ctx, h, d.Now()); err != nil {
		return h, err
	}
	d.decided(ctx, audit.HoldClosed, before, h)
	return h, nil
}
