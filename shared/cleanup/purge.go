package cleanup

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// How long messages stay hidden that nothing was done for.
const (
	closedHide    = 15 * time.Minute
	throttledHide = time.Minute
	lookUpHide    = time.Minute
	brokenHide    = time.Minute
	shortHide     = 2 * time.Second
)

// purge is one batch in progress.
type purge struct {
	*Worker
	// claimUntil is when claiming ends, deleteUntil when deleting does.
	claimUntil  time.Time
	deleteUntil time.Time
	// limit is how many versions one call may have, block how many slots are
	// reserved in advance.
	limit, block int
	// turns bounds how many jobs are worked on, calls what is looked at inside
	// of them: each all together, whichever group they are in.
	turns, calls chan struct{}
	// slow tells the gate, once, that a store or the ledger asked to slow down.
	slow func()
	// closed: the gate was seen closed; nothing more is begun.
	closed atomic.Bool
}

// Purge carries out a batch of commands and returns one outcome for each
// message, in order. It hides what must come back and dead-letters what must
// not; the caller acknowledges what is Done, and only that. The context's
// deadline, or else the policy's WorkerTimeout, bounds it.
func (w *Worker) Purge(ctx context.Context, batch []command.Received) []Outcome {
	jobs := make([]*job, len(batch))
	for i, message := range batch {
		jobs[i] = &job{message: message, outcome: Outcome{MessageID: message.MessageID, Kind: KindFailed, Reason: "worker stopped"}}
	}
	if err := w.Validate(); err != nil {
		return outcomesOf(jobs, err.Error())
	}
	p := w.begin(ctx)
	commands := p.decode(ctx, jobs)
	if p.openGate(ctx, commands) {
		p.rounds(ctx, commands)
	}
	return outcomesOf(jobs, "")
}

// outcomesOf returns the outcomes; reason, if given, is that of all of them.
func outcomesOf(jobs []*job, reason string) []Outcome {
	outcomes := make([]Outcome, len(jobs))
	for i, j := range jobs {
		if reason != "" {
			j.outcome.Reason = reason
		}
		outcomes[i] = j.outcome
	}
	return outcomes
}

func (w *Worker) begin(ctx context.Context) *purge {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = w.Now().Add(w.Policy.WorkerTimeout)
	}
	return &purge{
		Worker:      w,
		slow:        w.slower(ctx),
		turns:       make(chan struct{}, w.Concurrency),
		calls:       make(chan struct{}, w.Concurrency),
		claimUntil:  deadline.Add(-w.DeadlineMargin),
		deleteUntil: deadline.Add(-w.DeadlineMargin / 2),
	}
}

// decode rejects what is not a command and returns the rest.
func (p *purge) decode(ctx context.Context, jobs []*job) []*job {
	p.each(ctx, jobs, func(j *job) {
		var rejected *command.Rejected
		c, err := command.Decode([]byte(j.message.Body))
		if errors.As(err, &rejected) {
			p.reject(ctx, j, rejected.Reason)
			return
		}
		if err != nil {
			p.reject(ctx, j, err.Error())
			return
		}
		j.command, j.outcome.Command = c, c
	})
	var commands []*job
	for _, j := range jobs {
		if j.command != (upload.Command{}) {
			commands = append(commands, j)
		}
	}
	return commands
}

// openGate learns how large a block of slots may be. While the gate is closed,
// or the worker's clock is wrong, not even the records are read: such a clock
// makes claims that outlast their worker by as much as it is ahead, moves the
// shared rate there, and takes honest cutoffs for those of the future.
func (p *purge) openGate(ctx context.Context, jobs []*job) bool {
	if len(jobs) == 0 {
		return false
	}
	var state gate.State
	err := errors.New("gate not read")
	p.shielded(ctx, jobs, func() { state, err = p.Gate.Read(ctx) })
	switch {
	case err != nil:
		p.concludeAll(ctx, jobs, trouble{KindWaiting, "gate not readable", p.Now().Add(lookUpHide)})
		return false
	case !state.Open():
		p.concludeAll(ctx, jobs, trouble{KindClosed, gate.ErrClosed.Error(), p.Now().Add(closedHide)})
		return false
	}
	if err := CheckClock(p.Policy, state, p.Now()); err != nil {
		p.Log.ErrorContext(ctx, "worker does nothing", "reason", err)
		p.concludeAll(ctx, jobs, trouble{KindWaiting, err.Error(), p.Now().Add(lookUpHide)})
		return false
	}
	p.limit, p.block = blockSizes(state, p.Now())
	return true
}

// rounds takes the uploads of the batch. A second message about an upload is
// dealt with in the round after the first, and looked up anew there.
func (p *purge) rounds(ctx context.Context, jobs []*job) {
	for len(jobs) > 0 {
		var round, later []*job
		seen := make(map[upload.ID]bool, len(jobs))
		for _, j := range jobs {
			if seen[j.command.ID] {
				later = append(later, j)
				continue
			}
			seen[j.command.ID] = true
			round = append(round, j)
		}
		p.run(ctx, p.groups(p.lookUp(ctx, round)))
		jobs = later
	}
}

// lookUp reads the records of a round and returns the jobs that go on. A read
// that fails keeps everything.
func (p *purge) lookUp(ctx context.Context, round []*job) []*job {
	ids := make([]upload.ID, len(round))
	for i, j := range round {
		ids[i] = j.command.ID
	}
	var records []upload.Record
	err := errors.New("records not read")
	p.shielded(ctx, round, func() { records, err = p.Records.LoadMany(ctx, ids) })
	if err != nil || len(records) != len(round) {
		p.concludeAll(ctx, round, p.troubleOf("look up", err, KindWaiting))
		return nil
	}
	for i, j := range round {
		j.record = records[i]
	}
	p.each(ctx, round, func(j *job) {
		if check := upload.Check(p.Policy, j.record, j.command, p.Now()); !goesOn(check.Verdict) {
			p.turnAway(ctx, j, check)
		} else {
			j.expect(check.Verdict)
		}
	})
	var ready []*job
	for _, j := range round {
		if !j.concluded && !j.stopped() {
			ready = append(ready, j)
		}
	}
	p.leaveRest(ctx, stoppedOf(round))
	return ready
}

// groups fills groups of one bucket, in order, up to one delete call each. An
// upload that is larger than that is a group of its own.
func (p *purge) groups(jobs []*job) [][]*job {
	var groups [][]*job
	type open struct{ group, weight int }
	last := map[string]open{}
	for _, j := range jobs {
		o, ok := last[j.record.Bucket]
		if !ok || o.weight+j.expected > p.limit {
			groups = append(groups, nil)
			o = open{group: len(groups) - 1}
		}
		groups[o.group] = append(groups[o.group], j)
		o.weight += j.expected
		last[j.record.Bucket] = o
	}
	return groups
}
