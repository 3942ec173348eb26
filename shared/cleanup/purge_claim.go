package cleanup

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

// commitTries bounds how often a decision is made anew because the record
// moved, or because an answer was lost.
const commitTries = 4

// claim decides once more, after the wait, and takes the right to delete. A
// record that moved in the meantime fails the write and is read and judged
// again: a hold extended while the worker waited wins.
func (p *purge) claim(ctx context.Context, j *job) {
	token, fresh := p.NewToken(), false
	for range commitTries {
		if p.Now().After(p.claimUntil) {
			j.stop(p.troubleOf("claim", errLate, KindWaiting))
			return
		}
		check := upload.Check(p.Policy, j.record, j.command, p.Now())
		var err error
		switch check.Verdict {
		case upload.DoReopen, upload.DoClaim, upload.DoReclaim:
			if check.Verdict != upload.DoReclaim && !p.unused(ctx, j) {
				return
			}
			j.record, err = p.commit(ctx, j, p.taking(j, check.Verdict, token))
		case upload.DoTrim:
			if fresh {
				p.beginTrim(j)
				return
			}
			// A trim claims nothing that would notice a stale record.
			fresh = true
			j.record, err = p.reload(ctx, j.record)
		default:
			p.turnAway(ctx, j, check)
			return
		}
		if err != nil && !refusal(err) {
			j.stop(p.troubleOf("claim", err, KindFailed))
			return
		}
		if w, err := j.record.ClaimedBy(p.Policy, token); err == nil {
			j.begin(w, p.Now())
			return
		}
	}
	j.stop(trouble{KindWaiting, "record keeps changing", p.Now().Add(shortHide)})
}

// taking is the event that a verdict asks for.
func (p *purge) taking(j *job, v upload.Verdict, token string) upload.Event {
	switch v {
	case upload.DoReopen:
		return upload.Reopen{}
	case upload.DoReclaim:
		return upload.Reclaim{Worker: p.Name, Token: token}
	}
	return upload.Claim{Version: j.command.Version, Cutoff: j.command.Cutoff, Worker: p.Name, Token: token}
}

func (p *purge) beginTrim(j *job) {
	w, err := j.record.Trimming(p.Policy, j.command.Version, j.command.Cutoff, p.Now())
	if err != nil {
		j.stop(p.troubleOf("trim", err, KindFailed))
		return
	}
	j.trimming = true
	j.begin(w, p.Now())
}

// commit applies an event to the job's record and writes what follows. A write that failed its
// condition, or whose answer was lost, is looked up and decided anew; the core
// knows a result that is there already by token and fence. The record returned
// is the latest that was seen, also beside an error.
func (p *purge) commit(ctx context.Context, j *job, e upload.Event) (upload.Record, error) {
	r := j.record
	for range commitTries {
		change, err := upload.Step(p.Policy, r, e, p.Now())
		if err != nil {
			return r, err
		}
		if change.Nothing() {
			return change.After, nil
		}
		err = p.Records.Commit(ctx, change)
		if err == nil {
			p.decided(ctx, j, change)
			return change.After, nil
		}
		if !errors.Is(err, upload.ErrChanged) && !errors.Is(err, upload.ErrUnclear) {
			return r, err
		}
		stored, lookErr := p.reload(ctx, r)
		p.decidedPerhaps(ctx, j, change, err, stored, lookErr)
		if lookErr != nil {
			return r, fmt.Errorf("%w after: %w", lookErr, err)
		}
		if sameTrim(change, stored) {
			return stored, nil
		}
		r = stored
	}
	return r, fmt.Errorf("%s upload %s: %w", e.Kind(), r.Upload, upload.ErrChanged)
}

// decided is where every decision of the worker that changed something passes,
// into the audit trail.
func (p *purge) decided(ctx context.Context, j *job, c upload.Change) {
	p.Audit.Write(ctx, p.lineOf(j, c))
}

// decidedPerhaps is for a write that failed its condition, which its own first
// attempt may have changed, or whose answer was lost: the record says what to
// write down, or else that it could not be read.
func (p *purge) decidedPerhaps(ctx context.Context, j *job, c upload.Change, err error, stored upload.Record, lookErr error) {
	lost := errors.Is(err, upload.ErrUnclear)
	l, done := p.lineOf(j, c), lost
	if lookErr == nil {
		l, done = audit.Lost(l, c, stored)
	} else {
		l.Outcome = audit.Unclear
	}
	if !lost { // somebody else's, unless it has our token or fence
		done = done && l.Outcome == "" && !anybodys(c.Event)
	}
	if done {
		p.Audit.Write(ctx, l)
	}
}

// anybodys: by what such an event leaves, nobody can tell who it was.
func anybodys(k upload.Kind) bool {
	switch k {
	case upload.KindReopen, upload.KindTrim, upload.KindWithdraw, upload.KindExtendHold, upload.KindAddReference:
		return true
	}
	return false
}

func (p *purge) lineOf(j *job, c upload.Change) audit.Line {
	l := audit.Of(c, p.Now())
	l.Who, l.Run, l.Operation, l.Why = p.Name, j.command.Run, string(j.command.Operation), j.command.Reason
	switch c.Event {
	case upload.KindRetry:
		l.Why = c.After.LastError
	case upload.KindWithdraw, upload.KindExtendHold, upload.KindAddReference:
		l.Why = "a row of " + j.use.Source + " refers to it"
	case upload.KindFinish, upload.KindTrim:
		if c.After.Retained.Count > 0 {
			l.Why = c.After.Retained.Reason
		}
	}
	return l
}

func (p *purge) reload(ctx context.Context, r upload.Record) (upload.Record, error) {
	stored, err := p.Records.Load(ctx, r.ID)
	if err != nil {
		return r, fmt.Errorf("read upload %s again: %w", r.Upload, err)
	}
	return stored, nil
}

// sameTrim reports whether the stored record is what the trim would have
// written. A trim has no token; but at this version, only a trim of the same
// objects can have left these values.
func sameTrim(c upload.Change, stored upload.Record) bool {
	a := c.After
	return c.Event == upload.KindTrim && stored.State == a.State && stored.Version == a.Version &&
		stored.Trimmed == a.Trimmed && stored.SupersededDueAt.Equal(a.SupersededDueAt) &&
		stored.DueAt.Equal(a.DueAt) && stored.Retained.Count == a.Retained.Count
}

// refusal reports that the core, not the ledger, said no.
func refusal(err error) bool {
	var r *upload.Refusal
	return errors.As(err, &r)
}
