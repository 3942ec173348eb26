package controls

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
)

// Switch is what an operator does to a gate.
type Switch interface {
	SetMode(ctx context.Context, mode gate.Mode) error
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	SetRate(ctx context.Context, rate, burst int) error
}

// Reader reads a gate, consistently, with its store's clock.
type Reader interface {
	Read(ctx context.Context) (gate.State, error)
}

// Queue says how many commands wait.
type Queue interface {
	Depth(ctx context.Context) (int64, error)
}

// Controls are those of one installation.
type Controls struct {
	Gate Reader
	// By is the gate for one decision.
	By func(gate.Decision) Switch
	// Queue is the queue of commands; nil where nobody named it.
	Queue Queue
	// Name and Table say which gate it is.
	Name, Table string
	// Rate and Burst are the policy's: what a gate without a rate gets when
	// deletion is turned on.
	Rate, Burst int
	// MaxSkew is how far the own clock may be from the store's for a rate to be
	// set: the gate reckons what was given ahead by it.
	MaxSkew time.Duration
	Now     func() time.Time
	// Who decides; kept with the gate.
	Who string
	// Audit takes what was decided; nil for nobody.
	Audit audit.To
	Ask   consent.Ask
	Out   io.Writer
	JSON  bool
}

// view is the gate as an operator sees it.
type view struct {
	gate.State
	// queued is how many commands wait; -1 where nobody knows.
	queued int64
	// unknown is why nobody knows, where the queue was asked.
	unknown error
	// note is what somebody who has just stopped must know; mostly empty.
	note string
}

// look reads the gate. A queue that cannot be read keeps nobody from looking at
// the gate, nor from stopping.
func (c Controls) look(ctx context.Context) (view, error) {
	state, err := c.Gate.Read(ctx)
	if err != nil {
		return view{}, err
	}
	v := view{State: state, queued: -1}
	if c.Queue == nil {
		return v, nil
	}
	if v.queued, v.unknown = c.Queue.Depth(ctx); v.unknown != nil {
		v.queued = -1
	}
	return v, nil
}

// Show writes how the gate stands.
func (c Controls) Show(ctx context.Context) error {
	v, err := c.look(ctx)
	if err != nil {
		return err
	}
	return c.write(v)
}

// confirm shows how the gate stands and what would be done, and asks.
func (c Controls) confirm(v view, what []string, question string) error {
	if c.Ask == nil {
		return nil
	}
	if err := c.table(v); err != nil {
		return err
	}
	fmt.Fprintln(c.Out)
	for _, line := range what {
		fmt.Fprintln(c.Out, line)
	}
	return c.Ask.Confirm(question)
}

// unseen is the error of a decision that was written, and not looked at
// afterwards: it says so also to whoever has interrupted the look.
type unseen struct{ error }

func (e unseen) Unwrap() []error { return []error{e.error, ErrUnsettled} }

// done says what was done and how the gate stands now.
func (c Controls) done(ctx context.Context, what string) error {
	v, err := c.look(ctx)
	if err != nil {
		return notSeen(what, err)
	}
	return c.tell(v, what)
}

func notSeen(what string, err error) error {
	return unseen{fmt.Errorf("%s; but how the gate stands now cannot be read: %w", what, err)}
}

func (c Controls) tell(v view, what string) error {
	if c.JSON {
		return c.write(v)
	}
	fmt.Fprintln(c.Out, what)
	if v.note != "" {
		fmt.Fprintln(c.Out, v.note)
	}
	fmt.Fprintln(c.Out)
	return c.write(v)
}
