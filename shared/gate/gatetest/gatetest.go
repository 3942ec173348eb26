package gatetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
)

// Gate is what an adapter offers.
type Gate interface {
	Read(ctx context.Context) (gate.State, error)
	Reserve(ctx context.Context, slots int) (gate.Grant, error)
	Throttled(ctx context.Context) (gate.State, error)
	SetMode(ctx context.Context, mode gate.Mode) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	SetRate(ctx context.Context, rate, burst int) error
}

// Open makes a gate that nobody has used, on the clock now, and returns what
// opens handles on it: each is another process's, and its calls are the
// decision's.
type Open func(t *testing.T, now func() time.Time) func(gate.Decision) Gate

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *stage)
	}{
		{"a new gate is report-only and gives nothing", newGate},
		{"a new gate that is paused stays report-only when resumed", pausedFirst},
		{"an open gate without a rate gives nothing and says so", noRate},
		{"an open gate gives a block", block},
		{"a paused gate gives nothing until it is resumed", pause},
		{"a gate set to report-only gives nothing", reportOnly},
		{"a pause wins over what a worker remembers", pauseOverMemory},
		{"report-only wins over what a worker remembers", reportOnlyOverMemory},
		{"a resume wins over what a worker remembers", resumeOverMemory},
		{"after a pause nobody of eight workers gets a slot", pauseUnderLoad},
		{"two workers that remember the same state get different slots", sameMemory},
		{"eight workers at once never get more than one could", eightWorkers},
		{"a busy gate says until when, and gives then", busy},
		{"blocks of an impossible size are refused", impossibleBlocks},
		{"a new burst wins over what a worker remembers", burstOverMemory},
		{"a higher rate frees a worker that remembers a busy gate", rateOverMemory},
		{"a rate out of bounds changes nothing", badRate},
		{"an unknown mode changes nothing", badMode},
		{"the rate can be set while eight workers reserve", rateUnderLoad},
		{"a throttle wins over what a worker remembers", slowOverMemory},
		{"eight workers that meet one throttle lower the rate once", slowOnce},
		{"what was given ahead stays given when the rate is lowered, and quiet raises it", slowGives},
		{"an operator's rate ends a slowdown, and nothing else that they do", slowEnds},
		{"a throttle opens nothing and decides nothing", slowDecidesNothing},
		{"a gate without a rate is not slowed", slowNothing},
		{"the gate is slowed while eight workers reserve", slowUnderLoad},
		{"the revision counts what operators do", revision},
		{"who decided last, and when, is kept with the gate", signed},
		{"what opens is refused when another has decided since it was looked at", lookedAt},
		{"what closes is never refused, whoever has decided since", closedBlindly},
		{"a cancelled call changes nothing", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &stage{clock: &clock{now: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}}
			s.by = open(t, s.clock.Now)
			s.handle = func() Gate { return s.by(gate.Decision{Saw: gate.AnyRevision}) }
			s.operator = s.handle()
			c.test(t, s)
		})
	}
}

// stage is a gate that nobody has used, its operator and its clock.
type stage struct {
	clock    *clock
	by       func(gate.Decision) Gate
	handle   func() Gate // of one who says nothing
	operator Gate
}

// opened is a stage whose gate is open.
func (s *stage) opened(t *testing.T, rate, burst int) {
	t.Helper()
	must(t, s.operator.SetRate(t.Context(), rate, burst))
	must(t, s.operator.SetMode(t.Context(), gate.Delete))
}

func (s *stage) read(t *testing.T) gate.State {
	t.Helper()
	state, err := s.handle().Read(t.Context())
	must(t, err)
	return state
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func reserve(t *testing.T, g Gate, slots int) gate.Grant {
	t.Helper()
	grant, err := g.Reserve(t.Context(), slots)
	must(t, err)
	return grant
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
