package cleanup

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/upload"
)

// maxError bounds what is kept of an error on the record, in bytes.
const maxError = 200

// settle writes down what became of a job, and only then concludes it.
func (p *purge) settle(ctx context.Context, j *job) {
	if j.concluded {
		return
	}
	through, kept := j.progress()
	done := j.started && through == len(j.targets)
	switch {
	case !j.started:
		p.leave(ctx, j)
	case j.lost:
		p.recheck(ctx, j)
	case done && j.trouble.kind != KindRetrying && j.trimming:
		p.closeTrim(ctx, j, kept)
	case done && j.trouble.kind != KindRetrying:
		p.finish(ctx, j, kept)
	case j.trimming:
		p.leaveTrim(ctx, j)
	case j.trouble.kind == KindRetrying:
		p.retry(ctx, j)
	case through > 0:
		p.carryOn(ctx, j, through, kept)
	default:
		p.leave(ctx, j)
	}
}

func (p *purge) finish(ctx context.Context, j *job, kept upload.Retained) {
	gone := int64(len(j.targets)) - kept.Count
	r, err := p.commit(ctx, j, upload.Finish{Fence: j.record.Fence, Gone: gone, Retained: kept})
	if err != nil {
		p.unsettled(ctx, j, "finish", err)
		return
	}
	j.record = r
	j.account(len(j.targets), kept)
	if r.Retained.Count > 0 {
		p.conclude(ctx, j, KindRetained, r.Retained.Reason, time.Time{})
		return
	}
	p.conclude(ctx, j, KindDeleted, j.command.Reason, time.Time{})
}

// closeTrim is the trim's only write: on the version that it began with.
func (p *purge) closeTrim(ctx context.Context, j *job, kept upload.Retained) {
	gone := int64(len(j.targets)) - kept.Count
	r, err := p.commit(ctx, j, upload.Trim{
		Version: j.record.Version, Cutoff: j.command.Cutoff, Gone: gone, Retained: kept,
	})
	if err != nil {
		p.unsettled(ctx, j, "trim", err)
		return
	}
	j.record = r
	j.account(len(j.targets), kept)
	if kept.Count > 0 {
		p.conclude(ctx, j, KindRetained, kept.Reason, time.Time{})
		return
	}
	p.conclude(ctx, j, KindTrimmed, j.command.Reason, time.Time{})
}

// leaveTrim gives a trim up for now. Its record is not the worker's, so there
// is nothing to write and no attempt to count there; the queue's count stands
// in for it.
func (p *purge) leaveTrim(ctx context.Context, j *job) {
	if j.trouble.kind != KindRetrying {
		p.leave(ctx, j)
		return
	}
	p.conclude(ctx, j, KindRetrying, j.trouble.reason, p.Now().Add(Backoff(j.message.Receives)))
}

// carryOn keeps the progress and gives the claim back: not an attempt.
func (p *purge) carryOn(ctx context.Context, j *job, through int, kept upload.Retained) {
	r, err := p.commit(ctx, j, upload.Continue{
		Fence: j.record.Fence, Through: j.targets[through-1].Ordinal, Retained: kept,
	})
	if err != nil {
		p.unsettled(ctx, j, "continue", err)
		return
	}
	j.record = r
	j.account(through, kept)
	kind := j.trouble.kind
	if kind == KindWaiting {
		kind = KindContinued
	}
	p.conclude(ctx, j, kind, j.trouble.reason, j.trouble.until)
}

// retry counts the attempt and gives the claim back; the last one parks.
func (p *purge) retry(ctx context.Context, j *job) {
	backoff := Backoff(j.record.Attempts + 1)
	reason := j.trouble.reason
	r, err := p.commit(ctx, j, upload.Retry{
		Fence: j.record.Fence, Error: cut(reason, maxError), Backoff: backoff,
	})
	if err != nil {
		p.unsettled(ctx, j, "retry", err)
		return
	}
	j.record = r
	if !r.ParkedAt.IsZero() {
		p.conclude(ctx, j, KindParked, "attempts used up: "+reason, time.Time{})
		return
	}
	p.conclude(ctx, j, KindRetrying, reason, p.Now().Add(backoff))
}

// cut is the text in at most so many bytes, and whole characters: the ledger
// keeps no others.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "?")
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// unsettled deals with a closing write that was not done. Whoever has the
// record now decides; without an answer, the lease does. What core or ledger
// refuse they would refuse again: that is an attempt.
func (p *purge) unsettled(ctx context.Context, j *job, what string, err error) {
	if errors.Is(err, upload.ErrFenceLost) || errors.Is(err, upload.ErrChanged) {
		p.recheck(ctx, j)
		return
	}
	if errors.Is(err, upload.ErrRefused) && !j.trimming && what != "retry" {
		j.stop(trouble{KindRetrying, err.Error(), p.Now()})
		p.retry(ctx, j)
		return
	}
	j.trouble = p.troubleOf(what, err, KindFailed)
	p.leave(ctx, j)
}

// recheck reads the record again and decides anew, without acting.
func (p *purge) recheck(ctx context.Context, j *job) {
	stored, err := p.reload(ctx, j.record)
	if err != nil {
		j.trouble = p.troubleOf("recheck", err, KindFailed)
		p.leave(ctx, j)
		return
	}
	j.record = stored
	check := upload.Check(p.Policy, stored, j.command, p.Now())
	if goesOn(check.Verdict) {
		check = upload.Recheck{Verdict: upload.Wait, Reason: "claim lost", Until: p.Now().Add(shortHide)}
	}
	p.turnAway(ctx, j, check)
}

// leave gives a job up without a write. A claim that is still the worker's own
// cannot be given back without progress or a counted attempt: its lease runs
// out, and the message comes back then.
func (p *purge) leave(ctx context.Context, j *job) {
	t := j.trouble
	if t.kind == "" || t.kind == KindRetrying {
		t.kind = KindFailed // no attempt was counted
	}
	if t.reason == "" {
		t.reason = "worker stopped"
	}
	if t.until.IsZero() {
		t.until = p.Now().Add(brokenHide)
	}
	if j.started && !j.trimming && j.record.LeaseUntil.After(t.until) {
		t.until = j.record.LeaseUntil
	}
	p.conclude(ctx, j, t.kind, t.reason, t.until)
}

// account notes the first targets as dealt with.
func (j *job) account(through int, kept upload.Retained) {
	j.outcome.Gone = int64(through) - kept.Count
	j.outcome.Retained = kept
	for _, f := range j.fates[:through] {
		j.outcome.Bytes += f.bytes
	}
}
