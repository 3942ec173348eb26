package cleanup

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// referenceTries bounds how many generations of one row are tried.
const referenceTries = 8

// unused asks, right before a claim or a reopening, whether a row still refers to
// what would be deleted. Only true lets the claim go on; otherwise the job is stopped or
// concluded. The claim is a write on the very version of the record that was
// asked about.
func (p *purge) unused(ctx context.Context, j *job) bool {
	if p.Uses == nil || !rowsMatter(j.record) {
		return true
	}
	use, err := p.askUses(ctx, j.record)
	switch {
	case err != nil:
		if errors.Is(err, upload.ErrDenied) {
			p.Log.ErrorContext(ctx, "rows denied", append(j.fields(), "error", err)...)
		}
		j.stop(p.troubleOf("look up rows", err, KindWaiting))
		return false
	case use != source.Use{}:
		p.Log.InfoContext(ctx, "a row still refers to it", append(j.fields(),
			slog.String("source", use.Source), slog.String("entity", digestOf(use)))...)
		p.keepUsed(ctx, j, use)
		return false
	case p.Now().After(p.claimUntil):
		j.stop(p.troubleOf("claim", errLate, KindWaiting))
		return false
	}
	return true
}

// rowsMatter: what was never published, no row may refer to. It is most of what
// is purged, and it is not asked for.
func rowsMatter(r upload.Record) bool { return r.Source != "" || !r.CompletedAt.IsZero() }

func (p *purge) askUses(ctx context.Context, r upload.Record) (source.Use, error) {
	ctx, cancel := context.WithTimeout(ctx, p.claimUntil.Sub(p.Now()))
	defer cancel()
	return p.Uses.Used(ctx, r)
}

// keepUsed sees that what a row refers to stays. A release is dropped, an
// upload published again. An orphan was approved by a person, and may be hidden
// by a marker that only a person's restore takes away; of a release of several
// objects others may have to go; and a tombstone has no way back. They stay due,
// and are asked for again.
func (p *purge) keepUsed(ctx context.Context, j *job, use source.Use) {
	var err error
	reason := SkipReferenced
	j.use = use
	switch r := j.record; {
	case r.State == upload.StateDeleted: // what a lock kept is left, and nothing publishes that again
	case r.Source == "":
		reason, err = p.publishAgain(ctx, j)
	case r.Tenant != upload.AdoptedTenant && len(r.Manifest.Explicit) == 1:
		reason = SkipReleaseDropped
		j.record, err = p.commit(ctx, j, upload.Withdraw{Reason: "a row of " + use.Source + " refers to it"})
	}
	switch {
	case refusal(err):
		j.stop(trouble{KindWaiting, "record keeps changing", p.Now().Add(shortHide)})
	case err != nil:
		j.stop(p.troubleOf("keep", err, KindWaiting))
	default:
		p.conclude(ctx, j, KindSkipped, reason, time.Time{})
	}
}

// publishAgain makes the row a reference of its upload, which is then complete
// as before: the reference is dropped when the row goes. No place of a quota is
// taken for it, since how many an owner may have is the application's to say.
func (p *purge) publishAgain(ctx context.Context, j *job) (reason string, err error) {
	if upload.ValidID("entity", j.use.Entity) != nil {
		return SkipReferenced, nil // a row that the ledger cannot call by a name
	}
	if j.record.State == upload.StateExpired {
		hold := p.Now().Add(p.Policy.SecondGrace) // what has a reference is kept beyond it
		if j.record, err = p.commit(ctx, j, upload.ExtendHold{HoldUntil: hold}); err != nil {
			return "", err
		}
	}
	// The version was never a generation of this row: each adds to the version.
	ref := upload.Reference{Source: j.use.Source, Entity: j.use.Entity, Generation: j.record.Version}
	for range referenceTries {
		j.record, err = p.commit(ctx, j, upload.AddReference{Reference: ref})
		if !errors.Is(err, upload.ErrReferenceUsed) {
			break
		}
		ref.Generation++ // the application counts its own
	}
	switch {
	case err == nil, errors.Is(err, upload.ErrReferenceLive):
		return SkipReferenceAdded, nil
	case errors.Is(err, upload.ErrDuplicate), errors.Is(err, upload.ErrQuota), errors.Is(err, upload.ErrReferenceUsed):
		return SkipReferenced, nil
	}
	return "", err
}
