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
	if !isOver(s.until, s.p.Now()) {
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

// hold has n slots that may be used now: the group's own, or what groups before
// it left, or those and a new block.
func (s *slots) hold(ctx context.Context, n int) error {
	now := s.p.Now()
	s.held = usable(s.held, now)
	if count(s.held) >= n {
		return nil
	}
	spare, in := &s.p.spare, s.held
	ahead := spare.next(s.p.block, now)
	for {
		own, missing := spare.trade(n, s.p.Now(), in...)
		if missing == 0 {
			s.have(own)
			return nil
		}
		s.held, in = nil, nil
		b, err := s.p.reserve(ctx, max(missing, ahead))
		var busy *gate.BusyError
		switch {
		case err == nil:
			in = []block{b}
		case errors.As(err, &busy):
			err = s.p.wait(ctx, busy.Until)
		}
		if err != nil {
			return err
		}
		if s.p.Now().After(s.p.claimUntil) {
			spare.put(in...)
			return errLate
		}
	}
}

func (s *slots) have(blocks []block) {
	s.held = blocks
	for _, b := range blocks {
		if b.void.After(s.until) {
			s.until = b.void
		}
	}
}

// reserve reserves a block and waits for its start. One that the invocation does
// not wait for is for the next.
func (p *purge) reserve(ctx context.Context, n int) (block, error) {
	grant, err := p.Gate.Reserve(ctx, n)
	if err != nil {
		return block{}, err
	}
	b := block{left: grant.Slots, start: grant.Start, void: grant.Void}
	p.spare.begun(b, p.Now())
	if err := p.wait(ctx, b.start); err != nil {
		p.spare.put(b)
		return block{}, err
	}
	return b, nil
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
