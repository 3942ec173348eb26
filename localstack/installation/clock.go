package installation

import (
	"context"
	"sync"
	"time"
)

// Clock is a clock that can be moved forward: a story of days is told in
// minutes. It runs with the real clock from where it was set, or, when it is
// still, moves only when it is told to or when somebody sleeps on it.
type Clock struct {
	real func() time.Time

	mu     sync.Mutex
	offset time.Duration
	moved  []move
	still  time.Time // not zero: does not run
}

// move is a real instant from which on the clock was ahead by so much more.
type move struct {
	at time.Time
	by time.Duration
}

// NewClock returns a clock that shows start now and runs with real.
func NewClock(real func() time.Time, start time.Time) *Clock {
	return &Clock{real: real, offset: start.Sub(real())}
}

// NewStillClock returns a clock that shows start until it is moved.
func NewStillClock(start time.Time) *Clock { return &Clock{still: start} }

// Now is the instant that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.still.IsZero() {
		return c.still
	}
	return c.real().Add(c.offset)
}

// Offset is how far the clock is ahead of the real one; zero for a still one.
func (c *Clock) Offset() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.still.IsZero() {
		c.still = c.still.Add(d)
		return
	}
	c.offset += d
	c.moved = append(c.moved, move{c.real(), d})
}

// Shown is what the clock showed at a real instant: when something was written
// on a store that has a clock of its own. A still clock is its store's too.
func (c *Clock) Shown(real time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.still.IsZero() {
		return real
	}
	shown := real.Add(c.offset)
	for _, m := range c.moved {
		if m.at.After(real) {
			shown = shown.Add(-m.by)
		}
	}
	return shown
}

// Sleep waits until the clock has moved by d, or the context ends. A still
// clock moves at once: whoever sleeps on it is the one who makes time pass.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	c.mu.Lock()
	still := !c.still.IsZero()
	c.mu.Unlock()
	if still {
		c.Advance(d)
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
