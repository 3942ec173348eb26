package release

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// giveUp releases an upload that a row named by one of its own keys: where the
// ledger has references to it, the row's; else the upload itself, unless another
// row names it.
func (e *Engine) giveUp(ctx context.Context, g gone, c hold.Claim) Outcome {
	r := c.Record
	switch {
	case r.State == upload.StateCancelled || r.State == upload.StateDeleting || r.State == upload.StateDeleted:
		return skipped(SkipAlreadyReleased).of(r.ID)
	case r.State == upload.StateComplete && !r.Manifest.Listed(c.Key):
		return skipped(SkipNotPublished).of(r.ID)
	case siblingNamed(g, r):
		return skipped(SkipSiblingNamed).of(r.ID)
	case r.Refs > 0:
		return e.dropReferences(ctx, g, r)
	}
	named, err := e.namedByRow(ctx, r)
	switch {
	case err != nil:
		return failed(err).of(r.ID)
	case named:
		return skipped(SkipNamedByRow).of(r.ID)
	}
	_, err = e.apply(ctx, r.ID, r, upload.Release{Owner: r.Owner, Reason: "released by a row of " + g.source.Name})
	if err != nil { // also of a reference that was added meanwhile
		return Outcome{Kind: KindFailed, Upload: r.ID, Err: err}
	}
	return Outcome{Kind: KindReleased, Upload: r.ID}
}

// siblingNamed: the row still names another object of the same upload, which
// would go with it.
func siblingNamed(g gone, r upload.Record) bool {
	for _, n := range g.still {
		if id, _, ok := upload.ParseObjectKey(n.Key); ok && id == r.ID && n.Bucket == r.Bucket {
			return true
		}
	}
	return false
}

// namedByRow asks the sources' tables. Without an index nobody is asked.
func (e *Engine) namedByRow(ctx context.Context, r upload.Record) (bool, error) {
	if e.Rows == nil {
		return false, nil
	}
	use, err := e.Rows.Used(ctx, r)
	if err != nil {
		return false, fmt.Errorf("ask whether rows name upload %s: %w", r.Upload, err)
	}
	return use != source.Use{}, nil
}

// dropReferences drops every generation of the row's references that was added
// before it went. One that was added since is another row's of the same name, or
// the row's that came back: it stays, unless the source can be asked and no row
// names the upload.
func (e *Engine) dropReferences(ctx context.Context, g gone, r upload.Record) Outcome {
	live, known, err := e.references(ctx, g, r.ID)
	switch {
	case err != nil:
		return failed(err).of(r.ID)
	case len(live) == 0 && known:
		return skipped(SkipAlreadyReleased).of(r.ID)
	case len(live) == 0:
		return skipped(SkipOtherReferences).of(r.ID)
	}
	outcome := skipped(SkipReferenceNewer)
	for _, use := range live {
		if !use.Added.Before(g.at.Truncate(time.Second)) {
			if named, err := e.mayBeNamed(ctx, g, r); err != nil {
				return failed(err).of(r.ID)
			} else if named {
				continue
			}
		}
		if r, err = e.apply(ctx, r.ID, r, upload.DropReference{Reference: use.Reference}); err != nil {
			return Outcome{Kind: KindFailed, Upload: r.ID, Err: err} // also where it was dropped meanwhile
		}
		outcome = Outcome{Kind: KindDropped}
	}
	return outcome.of(r.ID)
}

// mayBeNamed: a source without an index cannot be asked.
func (e *Engine) mayBeNamed(ctx context.Context, g gone, r upload.Record) (bool, error) {
	if g.source.Index == nil || e.Rows == nil {
		return true, nil
	}
	return e.namedByRow(ctx, r)
}

// references finds the row's live references; known: it had one that is dropped.
func (e *Engine) references(ctx context.Context, g gone, id upload.ID) (live []ledger.ReferenceUse, known bool, err error) {
	for use, err := range e.Records.References(ctx, id) {
		switch {
		case err != nil:
			return nil, false, err
		case use.Reference.Source != g.source.Name || use.Reference.Entity != g.entity:
		case use.State == ledger.ReferenceLive:
			live = append(live, use)
		default:
			known = true
		}
	}
	return live, known, nil
}
