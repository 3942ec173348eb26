package cleanup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/lease"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Candidates is where a pass finds what is due, and writes what it decided.
// Due pages one shard of the index; LoadMany reads consistently, in the order
// asked, the zero Record where there is none, all or an error.
type Candidates interface {
	Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error)
	LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error)
	Commit(ctx context.Context, change upload.Change) error
}

// Documents keeps runs, plans, cursors, leases and the census.
type Documents interface {
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
	Put(ctx context.Context, doc ledger.Document) error
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
}

// Switch reads the gate, consistently, with the store's own clock.
type Switch interface {
	Read(ctx context.Context) (gate.State, error)
}

// Publisher hands commands to the workers. accepted[i] is true only when the
// queue said that it has command i; the error is nil only if it has all, and
// upload.ErrUnclear if it may have others, too. What can be sent again has been:
// a refusal is final for this pass.
type Publisher interface {
	Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error)
	Depth(ctx context.Context) (int64, error)
}

// Pass is the scheduler's engine. Every field but Audit, AtOnce and Who is
// required.
type Pass struct {
	Policy     policy.Policy
	Candidates Candidates
	Documents  Documents
	Switch     Switch
	Queue      Publisher
	Now        func() time.Time
	Log        *slog.Logger
	// Audit takes a line for each decision that changed something; nil for none.
	Audit audit.To
	// AtOnce is how many batches, each of another shard, are executed at once;
	// zero for the engine's own. With one, a pass asks one thing after another.
	AtOnce int
	// Who decides, for those lines; empty for the scheduler itself. An approved
	// plan's are its approver's.
	Who string
}

// Trigger is what starts a pass.
type Trigger struct {
	// Schedule is the schedule's name: letters, digits, ".", "_", "-", at most 64.
	Schedule string
	// FireTime is when the schedule meant to fire: the same on every retry.
	FireTime time.Time
	// By is the person who asked for the pass; empty for a schedule's.
	By string
	// Enough is asked between pieces of work; true ends the pass early, in good
	// order. Nil: never.
	Enough func() bool
}

// leaseKind names the lease that one pass, or approval, at a time has. Two at
// once would only cost duplicates, but could be judged each on its own and
// together exceed the limit.
const leaseKind = "pass"

// MaxTriggerAge is the oldest fire time that is accepted. The objects published
// in the last 24 hours are found in the runs that fired since then.
const MaxTriggerAge = 7 * 24 * time.Hour

// Run makes one pass. A run that has ended is answered as it ended; one that
// was broken off, refused or failed is taken up again.
//
// The error matches upload.ErrRefused if the pass must not run now (another
// one is running, the clock is wrong): trigger it again. A run that is paused
// or stopped is not an error; its state and reason say so.
func (p Pass) Run(ctx context.Context, t Trigger) (Report, error) {
	if err := p.Validate(); err != nil {
		return Report{}, err
	}
	// Before it is part of an id: it would come into documents and errors.
	if !validSchedule(t.Schedule) {
		return Report{}, fmt.Errorf(`trigger schedule is %.40q: expected 1 to 64 letters, digits, ".", "_" or "-"`, t.Schedule)
	}
	id, start := RunID(t.Schedule, t.FireTime), p.start()
	r, err := p.openRun(ctx, id)
	if err != nil {
		return Report{}, err
	}
	if r.report.State.ended() {
		return r.report, nil
	}
	state, err := p.Switch.Read(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("read the gate: %w", err)
	}
	if err := p.checkClock(state, start); err != nil {
		return p.refuse(ctx, r, t, start, err)
	}
	if err := t.check(start, p.Policy.MaxClockSkew); err != nil {
		return Report{}, err
	}
	held, err := lease.Take(ctx, p.Documents, leaseKind, id, start)
	if err != nil {
		return Report{}, err
	}
	defer held.Release(ctx)
	// What ended between the first look and the lease is not run again.
	r, err = p.openRun(ctx, id)
	if err != nil {
		return Report{}, err
	}
	if r.report.State.ended() {
		return r.report, nil
	}
	r.begin(t, p.Policy, start, start.Add(-p.Policy.SafetyMargin))
	if err := r.save(ctx); err != nil {
		return Report{}, err
	}
	w := work{pass: p, run: r, lease: held, enough: t.Enough}
	return w.attempt(ctx, state)
}

// Validate refuses a pass that lacks something, and a policy below its floors.
func (p Pass) Validate() error {
	err := missing("pass",
		required{p.Candidates != nil, "Candidates"}, required{p.Documents != nil, "Documents"},
		required{p.Switch != nil, "Switch"}, required{p.Queue != nil, "Queue"},
		required{p.Now != nil, "Now"}, required{p.Log != nil, "Log"})
	if err != nil {
		return err
	}
	return p.Policy.Validate()
}

// start is the instant that a pass, or an approval, counts from, in the
// ledger's precision: a cutoff with more digits would lie within the margin of
// the instants that the core compares it with.
func (p Pass) start() time.Time { return p.Now().UTC().Truncate(time.Millisecond) }

// checkClock compares the own clock with the store's.
func (p Pass) checkClock(s gate.State, now time.Time) error {
	return CheckClock(p.Policy, s, now)
}

// CheckClock is upload.ErrRefused where a clock that shows now is further from
// the store's than the policy's MaxClockSkew.
func CheckClock(p policy.Policy, s gate.State, now time.Time) error {
	if skew := now.Sub(s.ServerTime).Abs(); skew > p.MaxClockSkew {
		return fmt.Errorf("%w: the clock differs from the store's by %v, more than %v",
			upload.ErrRefused, skew.Round(time.Second), p.MaxClockSkew)
	}
	return nil
}

func (t Trigger) check(now time.Time, skew time.Duration) error {
	switch age := now.Sub(t.FireTime); {
	case t.FireTime.IsZero():
		return errors.New("trigger has no fire time")
	case age > MaxTriggerAge:
		return fmt.Errorf("trigger fired at %s: expected at most %v ago", t.FireTime.Format(time.RFC3339), MaxTriggerAge)
	case age < -skew:
		return fmt.Errorf("trigger fired at %s: that lies in the future", t.FireTime.Format(time.RFC3339))
	}
	return nil
}

func validSchedule(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, c := range []byte(name) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if digit := '0' <= c && c <= '9'; !letter && !digit && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// work is one attempt at a run, under the pass lease.
type work struct {
	pass   Pass
	run    *run
	lease  *lease.Lease
	enough func() bool
	// recheck: records are read again before their purge is published, since the
	// plan waited for a person.
	recheck bool
}

// attempt plans, judges and executes.
func (w work) attempt(ctx context.Context, state gate.State) (Report, error) {
	r, p := w.run, w.pass
	census, err := p.readCensus(ctx)
	if err != nil {
		return r.fail(ctx, p.Now(), err)
	}
	r.report.CensusAt = census.asOf
	if state.Open() {
		r.report.GateRate = state.RateAt(p.Now())
	}
	recent, err := p.published(ctx, r.report.Run, r.report.Started)
	if err != nil {
		return r.fail(ctx, p.Now(), err)
	}
	plan, err := p.plan(ctx, r.report.Run, r.report.Cutoff, r.report.Started)
	if errors.Is(err, upload.ErrFuture) {
		return r.end(ctx, p.Now(), RunStopped, err.Error())
	}
	if err != nil {
		return r.fail(ctx, p.Now(), err)
	}
	r.describe(plan, judge(p.Policy, plan, recent, census))
	stale, over := census.stale(p.Policy, r.report.Started), r.report.overLimit()
	if stale != "" {
		r.note(stale)
	}
	switch ends, why := outlook(state, stale, over); ends {
	case RunReported:
		if over != "" && stale == "" {
			r.note("would be paused: " + over)
		}
		r.hold(plan, why)
		return r.end(ctx, p.Now(), RunReported, why)
	case RunPaused:
		return w.pause(ctx, plan, why)
	}
	if stale != "" {
		plan.held = true
	}
	return w.finish(ctx, plan, RunDone)
}

// closedReason says why the gate lets nothing through; "" if it is open.
func closedReason(s gate.State) string {
	switch {
	case s.Paused:
		return SkipPaused
	case !s.Open():
		return SkipReportOnly
	}
	return ""
}

// finish executes the plan and ends the run.
func (w work) finish(ctx context.Context, plan *Plan, ended RunState) (Report, error) {
	tally, err := w.execute(ctx, plan)
	w.run.report.Tally = tally
	if err == nil {
		err = tally.Check()
	}
	switch {
	case err == nil:
		return w.run.end(ctx, w.pass.Now(), ended, "")
	case ended == RunApproved: // an approval is used once, also if it did not get far
		return w.run.endFor(ctx, w.pass.Now(), ended, err)
	}
	return w.run.endFor(ctx, w.pass.Now(), RunFailed, err)
}
