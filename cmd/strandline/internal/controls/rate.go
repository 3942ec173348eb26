package controls

import (
	"cmp"
	"context"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
)

// SetRate sets the rate in object versions per second, and the burst in object
// versions; a burst of 0 is the gate's own, or the policy's where it has none.
func (c Controls) SetRate(ctx context.Context, rate, burst int) error {
	v, err := c.look(ctx)
	if err != nil {
		return err
	}
	if rate < 1 {
		return fmt.Errorf("gate rate is %d: expected 1 to %d", rate, gate.MaxRate)
	}
	next, err := c.rated(v.State, rate, burst)
	if err != nil {
		return err
	}
	if same(next, v.State) {
		return c.done(ctx, "the rate is that already; nothing was done")
	}
	what := []string{fmt.Sprintf("The rate becomes %s, so at most %s in any one second; it was: %s.",
		rateOf(next.Rate, next.Burst), versions(next.Rate+next.Burst), rateOf(v.Rate, v.Burst))}
	if slowed := c.slowed(v.State); slowed != "" {
		what = append(what, "It is slowed "+slowed+". Setting it ends that at once.")
	}
	if err := c.confirm(v, what, "Set it?"); err != nil {
		return err
	}
	if _, err := c.setRate(ctx, v.State, next); err != nil {
		return err
	}
	return c.done(ctx, "the rate is set")
}

// setRate sets the rate of next in the state that was seen, and returns the
// state after it.
func (c Controls) setRate(ctx context.Context, s, next gate.State) (gate.State, error) {
	err := c.By(gate.Decision{By: c.Who, Saw: s.Revision}).SetRate(ctx, next.Rate, next.Burst)
	return next, c.note(ctx, audit.GateRate, c.stands(s), c.stands(next), err)
}

// same reports whether there is no rate to set in s for next.
func same(next, s gate.State) bool {
	return next.Rate == s.Rate && next.Burst == s.Burst && next.SlowedTo == s.SlowedTo
}

// rated is the state with another rate or burst; 0 is what the gate has, or
// else the policy. Whoever names the rate that is slowed for now wants it whole.
// It refuses what no gate may have, and to reckon by a clock that is wrong.
func (c Controls) rated(s gate.State, rate, burst int) (gate.State, error) {
	whole := rate == 0 || !s.Slowed(c.Now())
	rate, burst = cmp.Or(rate, s.Rate, c.Rate), cmp.Or(burst, s.Burst, c.Burst)
	if rate == s.Rate && burst == s.Burst && whole {
		return s, nil
	}
	next, err := s.WithRate(rate, burst, c.Now())
	if err != nil {
		return s, err
	}
	if ahead, known := c.ahead(s); known && ahead.Abs() > c.MaxSkew {
		return s, fmt.Errorf("this machine's clock is %s off the store's: set it right before a rate is set", ahead.Abs())
	}
	return next, nil
}
