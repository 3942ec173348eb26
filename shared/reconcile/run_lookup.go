package reconcile

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// resolve looks at what a candidate names, and gives the verdict that then
// holds. An inventory is a day old and not of one instant: it is what to look
// at, never what to act on.
func (r Runner) resolve(ctx context.Context, f *looked) error {
	switch f.Verdict {
	case Missing, Changed:
		return r.resolveAbsent(ctx, f)
	case Orphan:
		return r.resolveOrphan(ctx, f)
	case Undead, Leftover:
		_, err := r.look(ctx, f)
		return err
	}
	return nil
}

// look sees whether the version stands: if not, the verdict becomes gone, and
// a delete marker is only that.
func (r Runner) look(ctx context.Context, f *looked) (stands bool, err error) {
	facts, err := r.Store.Stat(ctx, f.Bucket, f.Key, f.VersionID)
	switch {
	case errors.Is(err, upload.ErrAbsent):
		f.Verdict = Gone
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look at a version that is %s: %w", f.Verdict, err)
	case facts.Marker:
		f.Verdict = Marker
		return false, nil
	}
	f.facts = facts
	return true, nil
}

// resolveAbsent looks at the very version that its owner has and the inventory
// has not; then, if it does not stand, at the record once more.
func (r Runner) resolveAbsent(ctx context.Context, f *looked) error {
	stands, err := r.stands(ctx, f.Finding)
	switch {
	case err != nil:
		return fmt.Errorf("look at a version that may be %s: %w", f.Verdict, err)
	case stands:
		f.Verdict = Lagging
		return nil
	}
	live, err := r.stillLive(ctx, f.Finding)
	if err == nil && !live {
		f.Verdict = Gone
	}
	return err
}

// stands reports whether the version stands; where its owner does not know the
// version, whether any does.
func (r Runner) stands(ctx context.Context, f Finding) (bool, error) {
	if f.VersionID != "" {
		facts, err := r.Store.Stat(ctx, f.Bucket, f.Key, f.VersionID)
		if errors.Is(err, upload.ErrAbsent) {
			return false, nil
		}
		return err == nil && !facts.Marker, err
	}
	for v, err := range objects.VersionsOf(ctx, r.Store, f.Bucket, f.Key) {
		if err != nil || !v.Marker {
			return err == nil, err
		}
	}
	return false, nil
}

// stillLive reads the record again. What is not of the ledger cannot be read
// again, and stays what it was said to be.
func (r Runner) stillLive(ctx context.Context, f Finding) (bool, error) {
	id := upload.ID{Tenant: f.Tenant, Upload: f.Upload}
	if id.Validate() != nil {
		return true, nil
	}
	record, err := r.Records.Load(ctx, id)
	if err != nil {
		return false, fmt.Errorf("read upload %s again: %w", f.Upload, err)
	}
	switch {
	case record.Schema > upload.Schema:
		return false, fmt.Errorf("read upload %s again: record schema %d is unknown: %w", f.Upload, record.Schema, upload.ErrRefused)
	case record.State == upload.StateNone:
		return true, nil // a key list's own ids, or a tombstone that was forgotten
	}
	for e := range manifest.EntriesOf(record, r.Policy.TombstoneTTL) {
		if e.State == manifest.Live && string(e.Bucket) == f.Bucket && string(e.Key) == f.Key &&
			(f.VersionID == "" || string(e.VersionID) == f.VersionID) {
			return true, nil
		}
	}
	return false, nil
}

// resolveOrphan looks whether the version stands and is what the inventory
// saw, and asks the ledger's own key layout whose it is.
func (r Runner) resolveOrphan(ctx context.Context, f *looked) error {
	stands, err := r.look(ctx, f)
	if err != nil || !stands {
		return err
	}
	if f.NullVersion && f.facts.LastModified.Unix() > f.LastModified.Unix() {
		f.Verdict = TooFresh // overwritten since
		return nil
	}
	claim, err := hold.Ask(ctx, r.Records, f.Bucket, f.Key)
	if err != nil {
		return err
	}
	if claim.Owns(f.VersionID) {
		f.Verdict = OK
		return nil
	}
	f.KeyKnown = f.KeyKnown || claim.KeyKnown
	return nil
}
