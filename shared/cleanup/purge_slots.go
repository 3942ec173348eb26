package cleanup

import (
	"context"
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
)

// errLate: the invocation ends too soon for what was to be begun.
var errLate = errors.New("invocation ends")

// slots is a group's share of the rate.
type slots struct {
	p    *purge
	mu   turn
	held []block
	// until is when the last of its blocks is void, used up or not.
	until time.Time
}

// take takes slots for a delete call that begins now. Slots that are void, as
// those reserved before a pause soon are, or used up, are reserved anew.
func (s *slots) take(ctx context.Context, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p.Now().After(s.p.deleteUntil) {
		return errLate
	}
	if err := s.hold(ctx, n); err != nil {
		return err
	}
	_, s.held = split(s.held, n)
	return nil
}

// fresh is for a call that takes no slot and cannot be undone, such as an abort:
// it may begin once no pause can be older than the slots. Many may ask at once.
func (s *slots) fresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.p.Now().After(s.until) {
		return nil
	}
	return s.hold(ctx, 1)
}

// reserve waits for slots; when it returns, they may be used.
func (s *slots) reserve(ctx context.Context, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hold(ctx, n)
}

// giveBack leaves what the group did not use to those after it.
func (s *slots) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p.spare.put(s.held...)
	s.held = nil
}

// hold has n slots that may be used now: the group's own, those that groups
// before it left, and for what is missing a new block.
func (s *slots) hold(ctx context.Context, n int) error {
	size := 0
	for {
		missing := s.missing(n)
		if missing <= 0 {
			return nil
		}
		if size == 0 {
			size = s.p.spare.next(missing, s.p.block, s.p.Now())
		}
		err := s.reserveBlock(ctx, missing, size)
		var busy *gate.BusyError
		if errors.As(err, &busy) {
			err = s.p.wait(ctx, busy.Until)
		}
		if err != nil {
			return err
		}
		if s.missing(n) > 0 && s.p.Now().After(s.p.claimUntil) {
			return errLate
		}
	}
}

// missing is how many of n slots neither the group nor the worker has.
func (s *slots) missing(n int) int {
	now := s.p.Now()
	s.held = usable(s.held, now)
	n -= count(s.held)
	if n <= 0 {
		return 0
	}
	left := s.p.spare.get(n, now)
	s.add(left...)
	return n - count(left)
}

// reserveBlock reserves a block and waits for its start. What is more than is
// missing is for whoever comes next.
func (s *slots) reserveBlock(ctx context.Context, missing, size int) error {
	grant, err := s.p.Gate.Reserve(ctx, max(missing, size))
	if err != nil {
		return err
	}
	b := block{left: grant.Slots, start: grant.Start, void: grant.Void}
	s.p.spare.begun(b)
	if err := s.p.wait(ctx, b.start); err != nil {
		s.p.spare.put(b)
		return err
	}
	own, rest := split([]block{b}, missing)
	s.add(own...)
	s.p.spare.put(rest...)
	return nil
}

func (s *slots) add(blocks ...block) {
	for _, b := range blocks {
		s.held = append(s.held, b)
		if b.void.After(s.until) {
			s.until = b.void
		}
	}
}

// wait sleeps until the instant; a *gate.BusyError if the invocation ends
// before it.
func (p *purge) wait(ctx context.Context, until time.Time) error {
	d := until.Sub(p.Now())
	if d <= 0 {
		return nil
	}
	if until.After(p.claimUntil) {
		return &gate.BusyError{Until: until}
	}
	return p.Sleep(ctx, d)
}
