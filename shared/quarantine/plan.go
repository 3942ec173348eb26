package quarantine

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Plan says what an approval of the hold would do, and writes nothing. It is
// refused (upload.ErrRefused, with the reason) where the approval would be; any
// other error is a look-up that was not finished, and nothing is approved on it.
func (d Desk) Plan(ctx context.Context, bucket, id string) (Approval, error) {
	h, err := d.Book.Get(ctx, bucket, id)
	if err != nil {
		return Approval{}, err
	}
	return d.plan(ctx, h)
}

func (d Desk) plan(ctx context.Context, h hold.Hold) (Approval, error) {
	switch {
	case !d.Policy.Safe():
		return Approval{}, refused(h, "the policy is below its floors")
	case h.State == hold.Closed:
		return Approval{}, refused(h, "it is closed: %s", h.Why)
	case h.Kind == hold.Multipart:
		return d.planMultipart(ctx, h)
	case !utf8.ValidString(h.Key):
		return Approval{}, refused(h, "its key is not UTF-8, which a record cannot hold")
	case h.NullVersion() && !d.Policy.DeleteNullVersions:
		return Approval{}, refused(h, "it was written while versioning was off, so its id does not identify it, and the policy keeps such versions")
	}
	record, err := d.adopted(ctx, &h)
	if err != nil {
		return Approval{}, err
	}
	if record.State != upload.StateNone {
		return d.repetition(ctx, h, record)
	}
	if err := d.recheck(ctx, h); err != nil {
		return Approval{}, err
	}
	a := Approval{
		Hold: h, Adopts: d.adoptedID(h), DueAt: d.Now().Add(d.Policy.QuarantineFor),
		Repeats: h.State == hold.Approved,
	}
	a.Visible, err = d.visible(ctx, h)
	a.Hides = err == nil && a.Visible == ""
	return a, err
}

func refused(h hold.Hold, format string, args ...any) error {
	return fmt.Errorf("hold %.12s: %s: %w", h.ID(), fmt.Sprintf(format, args...), upload.ErrRefused)
}

func (d Desk) adoptedID(h hold.Hold) upload.ID {
	return upload.AdoptedID(h.Bucket, h.Key, h.VersionID, h.Restored)
}

// adopted loads the record that the hold has become, or would become. What is
// over is passed over: a hold that was forgotten and opened anew does not know
// of its earlier restores, and the null version of a key may be purged today
// and another one be held tomorrow.
func (d Desk) adopted(ctx context.Context, h *hold.Hold) (upload.Record, error) {
	for {
		r, err := d.Records.Load(ctx, d.adoptedID(*h))
		if err != nil {
			return upload.Record{}, fmt.Errorf("look up the record of hold %.12s: %w", h.ID(), err)
		}
		if r.State != upload.StateDeleted || h.State == hold.Approved {
			return r, nil
		}
		h.Restored++
	}
}

// repetition is an approval whose record is there already.
func (d Desk) repetition(ctx context.Context, h hold.Hold, r upload.Record) (Approval, error) {
	switch {
	case r.Withdrawn():
		return Approval{}, refused(h, "a restore of it has begun: restore it again, to its end")
	case r.Schema > upload.Schema:
		return Approval{}, refused(h, "record schema %d is unknown", r.Schema)
	}
	a := Approval{Hold: h, Adopts: r.ID, DueAt: r.DueAt, Repeats: true, Visible: "it was approved without"}
	if r.State != upload.StateCancelled {
		a.Visible = "it is " + r.State.String() + " already"
		return a, nil
	}
	if !h.Marker.Intended.IsZero() || h.State != hold.Approved {
		var err error
		a.Visible, err = d.visible(ctx, h)
		a.Hides = err == nil && a.Visible == ""
		return a, err
	}
	return a, nil
}

// recheck asks again everything that the hold was opened on.
func (d Desk) recheck(ctx context.Context, h hold.Hold) error {
	facts, err := d.Store.Stat(ctx, h.Bucket, h.Key, h.VersionID)
	switch {
	case errors.Is(err, upload.ErrAbsent):
		return refused(h, "it does not stand any more")
	case err != nil:
		return fmt.Errorf("look at what hold %.12s names: %w", h.ID(), err)
	case facts.Marker:
		return refused(h, "it is a delete marker")
	case facts.ETag != h.ETag || facts.Size != h.Size || !sameSecond(facts.LastModified, h.LastModified):
		return refused(h, "its size, ETag or time is not what it was when it was held")
	}
	if err := d.unclaimed(ctx, h); err != nil {
		return err
	}
	return d.seenByLatest(ctx, h)
}

// sameSecond compares instants as HEAD gives them; lists know milliseconds.
func sameSecond(a, b time.Time) bool {
	return a.UTC().Truncate(time.Second).Equal(b.UTC().Truncate(time.Second))
}

// unclaimed refuses a version that the ledger's own key layout says is
// somebody's, and one whose key is changed.
func (d Desk) unclaimed(ctx context.Context, h hold.Hold) error {
	claim, err := hold.Ask(ctx, d.Records, h.Bucket, h.Key)
	if err != nil {
		return fmt.Errorf("hold %.12s: %w", h.ID(), err)
	}
	if claim.Owns(h.VersionID) {
		return refused(h, "it belongs to upload %s, which is %s", claim.Record.Upload, claim.Record.State)
	}
	changed, err := claim.Changed(ctx, d.Store, h.Key)
	if err != nil {
		return fmt.Errorf("hold %.12s: %w", h.ID(), err)
	}
	if changed {
		return refused(h, "its key is changed: the version that upload %s wrote is gone, and this may be all that is left", claim.Record.Upload)
	}
	return nil
}

// seenByLatest asks what the latest completed run saw: for keys that are not
// of our layout, nobody else knows whose they are.
func (d Desk) seenByLatest(ctx context.Context, h hold.Hold) error {
	view, err := d.Book.View(ctx, h.Bucket)
	if err != nil {
		return err
	}
	changedIn, err := d.Book.ChangedIn(ctx, h.Bucket, h.Key)
	switch {
	case err != nil:
		return err
	case view.Run == "":
		return refused(h, "no run over its bucket has been completed")
	case h.Kind == hold.Version && h.LastSeen.Run != view.Run:
		return refused(h, "the latest run did not find it unowned")
	case view.Inventory.Before(d.Now().Add(-d.Policy.MaxInventoryAge)):
		return refused(h, "the latest run is of an inventory older than %s: reconcile first", d.Policy.MaxInventoryAge)
	case changedIn == view.Run:
		return refused(h, "its key is changed: the version that its owner wrote is gone, and this may be all that is left")
	}
	return nil
}

// visible says why the version is not to be hidden; nothing if it is.
func (d Desk) visible(ctx context.Context, h hold.Hold) (string, error) {
	if h.NullVersion() {
		return "it was written while versioning was off", nil
	}
	claim, err := hold.Ask(ctx, d.Records, h.Bucket, h.Key)
	switch {
	case err != nil:
		return "", fmt.Errorf("hold %.12s: %w", h.ID(), err)
	case h.KeyKnown || claim.Live():
		return "its key has an owner", nil
	}
	stack, err := d.stack(ctx, h)
	if err != nil {
		return "", err
	}
	if stack.current == h.VersionID || stack.hides(h) && !h.Marker.Intended.IsZero() {
		return "", nil
	}
	return "it is not the current version", nil
}

// stack is what stands under one key.
type stack struct {
	current string
	marker  bool      // the current one is a delete marker
	placed  time.Time // its time
	above   int       // object versions and markers that are not older than the held one, the current and the held one left out
	below   bool      // the held version stands
}

func (d Desk) stack(ctx context.Context, h hold.Hold) (stack, error) {
	var s stack
	var all []objects.Version
	for v, err := range objects.VersionsOf(ctx, d.Store, h.Bucket, h.Key) {
		if err != nil {
			return stack{}, fmt.Errorf("list the versions under the key of hold %.12s: %w", h.ID(), err)
		}
		if v.Latest {
			s.current, s.marker, s.placed = v.VersionID, v.Marker, v.LastModified
		}
		if v.VersionID == h.VersionID {
			s.below = true
			continue
		}
		all = append(all, v)
	}
	for _, v := range all {
		if !v.Latest && !v.LastModified.Before(h.LastModified.Truncate(time.Second)) {
			s.above++
		}
	}
	return s, nil
}

// hides reports whether the current version is a marker, and the held version
// stands directly beneath it.
func (s stack) hides(h hold.Hold) bool {
	return s.marker && s.below && s.above == 0 && s.current != h.VersionID && s.current != objects.NullVersion
}
