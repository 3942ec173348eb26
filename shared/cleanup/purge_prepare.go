package cleanup

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Why a version is kept that no lock keeps.
const (
	reasonNull    = "null version"
	reasonChanged = "changed since condemned"
	reasonOwned   = "its key's upload owns it"
)

// lookAgainAfter is when a version is looked at again that is kept without a
// date: a legal hold, or a lock that was to be over.
const lookAgainAfter = 24 * time.Hour

// prepare readies the next window of targets: no unfinished multipart upload is
// left that could still put them, and what stands is known.
func (p *purge) prepare(ctx context.Context, s *slots, j *job) []shot {
	if p.Now().After(p.deleteUntil) {
		j.stop(p.troubleOf("prepare", errLate, KindWaiting))
		return nil
	}
	ctx, cancel := p.lookWithin(ctx)
	defer cancel()
	from, to := j.next, min(j.next+p.limit, len(j.targets))
	j.next = to
	window := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		window = append(window, i)
	}
	if j.mustList(window) {
		if err := p.sweepParts(ctx, j); err != nil {
			p.lookedInVain(j, "abort", err)
			return nil
		}
	}
	if err := p.abortKnown(ctx, s, j, window); err != nil {
		p.lookedInVain(j, "abort", err)
		return nil
	}
	return p.aim(ctx, j, window)
}

// lookWithin ends what is looked at before the invocation ends.
func (p *purge) lookWithin(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, p.deleteUntil.Sub(p.Now()))
}

// lookedInVain stops a job. One that had most of an invocation and could not
// even be looked at counts the attempt: it would come back for ever.
func (p *purge) lookedInVain(j *job, what string, err error) {
	t := p.troubleOf(what, err, KindRetrying)
	through, _ := j.progress()
	ample := p.deleteUntil.Sub(j.startedAt) >= p.Policy.WorkerTimeout/2
	if through == 0 && ample && errors.Is(err, context.DeadlineExceeded) {
		t = trouble{KindRetrying, what + ": takes longer than an invocation", p.Now().Add(lookUpHide)}
	}
	j.stop(t)
}

// mustList reports whether something in the window is not known by its version:
// its writer died between put and record, or a delete's outcome was not known.
func (j *job) mustList(window []int) bool {
	for _, i := range window {
		t := j.targets[i]
		if t.Explicit == nil && (t.VersionID == "" || j.warrant.Uncertain()) {
			return true
		}
	}
	return false
}

// sweepParts aborts, once, every multipart upload on a covered key: the writer
// may have died before it said that it had begun one.
func (p *purge) sweepParts(ctx context.Context, j *job) error {
	if j.swept {
		return nil
	}
	found := map[string][]string{}
	for m, err := range p.Parts.Multiparts(ctx, j.warrant.Bucket(), j.warrant.Folder()) {
		if err != nil {
			return err
		}
		if j.warrant.Covers(m.Key) && !slices.Contains(j.parts[m.Key], m.UploadID) {
			found[m.Key] = append(found[m.Key], m.UploadID)
		}
	}
	for key, ids := range found {
		j.parts[key] = append(j.parts[key], ids...)
	}
	j.swept = true
	return nil
}

// abortKnown aborts what is known to be unfinished. No abort begins under slots
// that are void: parts do not come back, and a pause is meant for them too.
func (p *purge) abortKnown(ctx context.Context, s *slots, j *job, window []int) error {
	type part struct{ key, id string }
	var parts []part
	for _, i := range window {
		key := j.targets[i].ObjectKey
		for _, id := range j.parts[key] {
			parts = append(parts, part{key, id})
		}
	}
	return p.fan(ctx, len(parts), func(ctx context.Context, i int) error {
		if err := s.fresh(ctx); err != nil {
			return err
		}
		return p.Parts.Abort(ctx, j.warrant.Bucket(), parts[i].key, parts[i].id)
	})
}

// aim finds the exact versions to delete for the targets. A look-up that fails
// deletes nothing.
func (p *purge) aim(ctx context.Context, j *job, targets []int) []shot {
	if j.standing == nil && j.mustList(targets) {
		if err := p.list(ctx, j); err != nil {
			p.lookedInVain(j, "list", err)
			return nil
		}
	}
	found := make([][]shot, len(targets))
	err := p.fan(ctx, len(targets), func(ctx context.Context, n int) (err error) {
		found[n], err = p.aimAt(ctx, j, targets[n])
		return err
	})
	if err != nil {
		p.lookedInVain(j, "look at version", err)
		return nil
	}
	var shots []shot
	for n, i := range targets {
		j.fates[i].prepared = true
		j.fates[i].open = len(found[n])
		shots = append(shots, found[n]...)
	}
	return shots
}

// list notes the versions and markers that stand below the upload's folder. S3's
// Prefix matches more than declared keys; what is looked up in the answer is
// one declared key, byte for byte, and the warrant condemns no other.
func (p *purge) list(ctx context.Context, j *job) error {
	standing := map[string][]objects.Version{}
	for v, err := range p.Store.Versions(ctx, j.warrant.Bucket(), j.warrant.Folder()) {
		if err != nil {
			return err
		}
		standing[v.Key] = append(standing[v.Key], v)
	}
	j.standing = standing
	return nil
}

// aimAt condemns what stands for one target. What the warrant does not give is
// kept, with the reason.
func (p *purge) aimAt(ctx context.Context, j *job, i int) ([]shot, error) {
	t := j.targets[i]
	j.fates[i] = fate{}
	if t.Explicit != nil {
		return p.aimAtExplicit(ctx, j, i)
	}
	stand := []objects.Version{{Key: t.ObjectKey, VersionID: t.VersionID, Size: t.Size}}
	if j.standing != nil {
		stand = j.standing[t.ObjectKey]
	}
	var shots []shot
	for _, v := range stand {
		c, err := j.warrant.Condemn(v.Key, v.VersionID)
		if errors.Is(err, upload.ErrRetained) {
			j.fates[i].kept = upload.Retained{Count: 1, Reason: reasonNull}
			continue
		}
		if err != nil {
			return nil, err
		}
		shots = append(shots, shot{job: j, target: i, condemned: c, size: v.Size})
	}
	return shots, nil
}

// aimAtExplicit looks at that very version first: it must be what was condemned.
func (p *purge) aimAtExplicit(ctx context.Context, j *job, i int) ([]shot, error) {
	e := *j.targets[i].Explicit
	facts, err := p.Store.Stat(ctx, j.warrant.Bucket(), e.Key, e.VersionID)
	if errors.Is(err, upload.ErrAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// What was nobody's when it was condemned may be an upload's by now, after a
	// restore of the ledger: the key itself says whose it is. After a restore of
	// the bucket it may be all that is left of what the upload promises.
	claim, err := hold.Ask(ctx, p.Records, e.Bucket, e.Key)
	if err != nil {
		return nil, err
	}
	owned := claim.Owns(e.VersionID)
	if !owned {
		if owned, err = claim.Changed(ctx, p.Store, e.Key); err != nil {
			return nil, err
		}
	}
	if owned {
		j.fates[i].kept = upload.Retained{Count: 1, Reason: reasonOwned}
		return nil, nil
	}
	seen := e
	seen.ETag, seen.Size, seen.LastModified = facts.ETag, facts.Size, facts.LastModified
	c, err := j.warrant.CondemnExplicit(e, seen)
	switch {
	case errors.Is(err, upload.ErrChanged):
		j.fates[i].kept = upload.Retained{Count: 1, Reason: reasonChanged}
		return nil, nil
	case errors.Is(err, upload.ErrRetained):
		j.fates[i].kept = upload.Retained{Count: 1, Reason: reasonNull}
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []shot{{job: j, target: i, condemned: c, size: facts.Size}}, nil
}
