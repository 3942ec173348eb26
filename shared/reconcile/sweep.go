package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/objects"
)

// Swept is what a sweep of a bucket's unfinished multipart uploads found.
type Swept struct {
	Bucket string `json:"bucket"`
	// Listed is how many there are; Owned of them are the business of uploads,
	// Fresh younger than OrphanGrace.
	Listed int64 `json:"listed"`
	Owned  int64 `json:"owned"`
	Fresh  int64 `json:"fresh"`
	// Opened, Again and Closed are holds.
	Opened int64 `json:"holds_opened"`
	Again  int64 `json:"holds_seen_again"`
	Closed int64 `json:"holds_closed"`
}

// Sweep lists a bucket's unfinished multipart uploads, which are in no
// inventory, and holds those that nobody knows: their key is of no upload, or
// of one that will not touch it any more, and they were begun OrphanGrace ago.
// Nothing is held from a listing that failed.
func (r Runner) Sweep(ctx context.Context, bucket string) (Swept, error) {
	begun := r.Now()
	name := "sweep/" + bucket + "/" + begun.UTC().Format("2006-01-02T15-04-05.000Z")
	l, err := lease.Take(ctx, r.Documents, leaseKind, name, r.Now())
	if err != nil {
		return Swept{}, err
	}
	defer l.Release(ctx)
	strangers, err := newFindings(r.TempDir)
	if err != nil {
		return Swept{}, err
	}
	defer func() { _ = strangers.close() }() // an unlinked file
	s := &sweep{Runner: r, by: hold.Sighting{Run: name, Inventory: begun}, swept: Swept{Bucket: bucket}}
	if err := s.list(ctx, begun, strangers); err != nil {
		return Swept{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.hold(ctx, strangers); err != nil {
		return s.swept, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.closeHolds(ctx); err != nil {
		return s.swept, fmt.Errorf("%s: %w", name, err)
	}
	return s.swept, nil
}

type sweep struct {
	Runner
	by    hold.Sighting
	swept Swept
}

// list tells strangers from what is somebody's, and writes nothing.
func (s *sweep) list(ctx context.Context, begun time.Time, strangers *findings) error {
	for m, err := range s.Parts.Multiparts(ctx, s.swept.Bucket, "") {
		if err != nil {
			return err
		}
		s.swept.Listed++
		claim, err := hold.Ask(ctx, s.Records, s.swept.Bucket, m.Key)
		switch {
		case err != nil:
			return err
		case claim.MayBeWritten():
			s.swept.Owned++
			continue
		case !m.Begun.Before(begun.Add(-s.Policy.OrphanGrace)):
			s.swept.Fresh++
			continue
		}
		f := looked{Finding: Finding{
			Bucket: s.swept.Bucket, Key: m.Key, VersionID: m.UploadID, LastModified: m.Begun, Size: inventory.NoSize,
			KeyKnown: claim.KeyKnown, Tenant: claim.Record.Tenant, Upload: claim.Record.Upload,
		}}
		if err := strangers.add(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *sweep) hold(ctx context.Context, strangers *findings) error {
	for f, err := range strangers.all() {
		if err != nil {
			return err
		}
		h, outcome, err := s.book().See(ctx, hold.Seen{
			Subject:      hold.Subject{Kind: hold.Multipart, Bucket: f.Bucket, Key: f.Key, VersionID: f.VersionID},
			LastModified: f.LastModified, KeyKnown: f.KeyKnown, Tenant: f.Tenant, Upload: f.Upload, By: s.by,
		}, s.Now())
		switch {
		case err != nil:
			return err
		case outcome == hold.Opened:
			s.swept.Opened++
			s.heldLine(ctx, audit.HoldOpened, h, s.by.Run, "", "nobody's multipart upload")
		case outcome == hold.Again:
			s.swept.Again++
		}
	}
	return nil
}

// closeHolds takes from the list what was not seen: it was completed or aborted
// meanwhile, or an upload knows it now. A person's decision stays, unless there
// is nothing left to decide on.
func (s *sweep) closeHolds(ctx context.Context) error {
	for h, err := range s.book().All(ctx, s.swept.Bucket) {
		if err != nil {
			return err
		}
		if h.Kind != hold.Multipart || h.State == hold.Closed || h.LastSeen.Run == s.by.Run {
			continue
		}
		stands, err := s.unfinished(ctx, h)
		if err != nil {
			return fmt.Errorf("look whether hold %.12s is over: %w", h.ID(), err)
		}
		why := closedAbsent
		if stands {
			if why = closedOwned; h.State != hold.Open {
				continue
			}
		}
		closed, err := s.book().Close(ctx, h, why, s.Now())
		if err != nil {
			return err
		}
		s.closedLine(ctx, h, closed, s.by.Run, why)
		s.swept.Closed++
	}
	return nil
}

func (s *sweep) unfinished(ctx context.Context, h hold.Hold) (bool, error) {
	for m, err := range s.Parts.Multiparts(ctx, h.Bucket, h.Key) {
		if err != nil {
			return false, err
		}
		if isOf(m, h) {
			return true, nil
		}
	}
	return false, nil
}

func isOf(m objects.Multipart, h hold.Hold) bool {
	return m.Key == h.Key && m.UploadID == h.VersionID
}
