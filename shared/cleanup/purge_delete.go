package cleanup

import (
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// fire deletes, under slots, in calls as large as they may be. It ends early
// when slots, time or the gate end; what was not begun stays open.
func (p *purge) fire(ctx context.Context, s *slots, shots []shot) {
	for shots = p.live(shots); len(shots) > 0; shots = p.live(shots) {
		n := p.inOneCall(shots)
		if err := s.take(ctx, n); err != nil {
			p.seen(err)
			for _, f := range shots {
				f.job.stop(p.troubleOf("delete", err, KindWaiting))
			}
			return
		}
		// Waiting for slots takes time: leases are looked at after it.
		call := p.live(shots[:n])
		if len(call) > 0 {
			p.absorb(ctx, call, p.delete(ctx, call))
		}
		shots = shots[n:]
	}
}

// inOneCall is how many of the shots go into the next call: as many as it may
// have, up to the first whose key needs a call of its own. That one starts under
// a look at the slots of its own too, however long the others took.
func (p *purge) inOneCall(shots []shot) int {
	n := min(p.limit, len(shots))
	for i, f := range shots[:n] {
		if objects.Alone(f.condemned.Key()) {
			return max(i, 1)
		}
	}
	return n
}

// live leaves out jobs that are stopped, and those whose claim is over: what
// they would delete is condemned, but somebody else is at it.
func (p *purge) live(shots []shot) []shot {
	var live []shot
	for _, f := range shots {
		if !f.job.trimming && !f.job.record.LeaseUntil.After(p.Now()) {
			f.job.stop(trouble{KindWaiting, "claim over", p.Now().Add(shortHide)})
		}
		if !f.job.stopped() {
			live = append(live, f)
		}
	}
	return live
}

// delete is the only call of the worker that destroys anything. A store that
// breaks has answered for nothing.
func (p *purge) delete(ctx context.Context, call []shot) (results []objects.Result) {
	defer func() {
		if v := recover(); v != nil {
			p.Log.ErrorContext(ctx, "store panicked", "panic", describe(v))
			results = nil
		}
	}()
	versions := make([]upload.Condemned, len(call))
	for i, f := range call {
		versions[i] = f.condemned
	}
	return p.Store.Delete(ctx, versions[0].Bucket(), versions)
}

// absorb takes the answers over. What was not answered for is unclear.
func (p *purge) absorb(ctx context.Context, call []shot, results []objects.Result) {
	for i, f := range call {
		r := objects.Result{Condemned: f.condemned}
		if len(results) == len(call) && results[i].Condemned == f.condemned {
			r = results[i]
		}
		p.absorbOne(ctx, f, r)
	}
}

func (p *purge) absorbOne(ctx context.Context, f shot, r objects.Result) {
	fate := &f.job.fates[f.target]
	again := p.Now().Add(throttledHide)
	switch r.Outcome {
	case objects.Gone:
		fate.open--
		fate.bytes += f.size
	case objects.Retained:
		fate.open--
		fate.kept = p.keptBy(r.Retained)
	case objects.Unclear:
		fate.unclear, f.job.outcome.Unclear = true, true
	case objects.Throttled:
		p.slow()
		f.job.stop(trouble{KindThrottled, "delete: throttled", again})
	case objects.Denied:
		if !f.job.stopped() {
			p.Log.ErrorContext(ctx, "delete denied", append(f.job.fields(), "code", r.Code)...)
		}
		f.job.stop(trouble{KindRetrying, fmt.Sprintf("delete: %v (%s)", upload.ErrDenied, r.Code), again})
	default:
		f.job.stop(trouble{KindRetrying, fmt.Sprintf("delete: failed (%s)", r.Code), again})
	}
}

// keptBy is the store's retention of one target, with a date to look again.
func (p *purge) keptBy(r upload.Retained) upload.Retained {
	kept := upload.Retained{Count: 1, Until: r.Until, Reason: r.Reason}
	if !kept.Until.After(p.Now()) {
		kept.Until = p.Now().Add(lookAgainAfter)
	}
	if kept.Reason == "" {
		kept.Reason = upload.ErrRetained.Error()
	}
	return kept
}

// unclear lists the targets of which a delete may or may not have been done.
func (j *job) unclear() []int {
	var targets []int
	for i := range j.fates[:min(j.next, len(j.fates))] {
		if j.fates[i].unclear {
			targets = append(targets, i)
		}
	}
	return targets
}

// clarify notes on the record that an outcome is not known, and only then
// looks. What still stands is deleted again; nothing is repeated blindly.
func (p *purge) clarify(ctx context.Context, j *job) []shot {
	r, err := p.commit(ctx, j, upload.Unclear{Fence: j.record.Fence})
	if err != nil {
		j.lost = j.lost || refusal(err)
		j.stop(p.troubleOf("note unclear delete", err, KindWaiting))
		return nil
	}
	j.record = r
	if j.stopped() {
		return nil
	}
	if err := p.renewWarrant(j); err != nil {
		j.stop(p.troubleOf("renew warrant", err, KindRetrying))
		return nil
	}
	j.standing = nil
	ctx, cancel := p.lookWithin(ctx)
	defer cancel()
	return p.aim(ctx, j, j.unclear())
}

// renewWarrant takes the warrant from the record that says so.
func (p *purge) renewWarrant(j *job) (err error) {
	if j.trimming {
		j.warrant, err = j.record.Trimming(p.Policy, j.record.Version, j.command.Cutoff, p.Now())
		return err
	}
	j.warrant, err = j.record.ClaimedBy(p.Policy, j.record.Token)
	return err
}
