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
	p     *purge
	mu    turn
	grant gate.Grant
	left  int
}

// take takes slots for a delete call that begins now. Slots that are void, as
// those reserved before a pause soon are, or used up, are reserved anew.
func (s *slots) take(ctx context.Context, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p.Now().After(s.p.deleteUntil) {
		return errLate
	}
	if n > s.left || s.p.Now().After(s.grant.Void) {
		if err := s.reserve(ctx, n); err != nil {
			return err
		}
	}
	s.left -= n
	return nil
}

// fresh is for a call that takes no slot and cannot be undone, such as an abort:
// it may begin once no pause can be older than the slots. Many may ask at once.
func (s *slots) fresh(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.p.Now().After(s.grant.Void) {
		return nil
	}
	return s.reserve(ctx, 1)
}

// reserve waits for a block of slots; when it returns, they may be used.
func (s *slots) reserve(ctx context.Context, n int) error {
	for {
		grant, err := s.p.Gate.Reserve(ctx, n)
		var busy *gate.BusyError
		switch {
		case errors.As(err, &busy):
			err = s.p.wait(ctx, busy.Until)
		case err == nil:
			if err = s.p.wait(ctx, grant.Start); err == nil && !s.p.Now().After(grant.Void) {
				s.grant, s.left = grant, grant.Slots
				return nil
			}
		}
		if err != nil {
			return err
		}
		if s.p.Now().After(s.p.claimUntil) {
			return errLate
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
