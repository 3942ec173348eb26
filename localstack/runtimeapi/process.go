package runtimeapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/localstack"
)

// longest is how long Lambda lets a function run at most; an invocation
// whose context has no deadline has this one.
const longest = 15 * time.Minute

var (
	// ErrEnded: the process ended, or was killed, before it answered.
	ErrEnded = errors.New("the process has ended")
	// ErrTimedOut: it did not answer in time, and was killed for it.
	ErrTimedOut = errors.New("the invocation took longer than it may")
)

// FunctionError is what a function answers instead of a result.
type FunctionError struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

func (e *FunctionError) Error() string { return e.Message }

// Process is one execution environment: a function's binary at work. Its methods
// may be called by many at once; it has one invocation at a time.
type Process struct {
	child  *localstack.Process
	cmd    *exec.Cmd
	server *http.Server

	turn  sync.Mutex // of invocations
	next  chan *invocation
	ready chan struct{} // closed at its first question for work
	asked sync.Once

	mu      sync.Mutex
	count   int
	current *invocation // handed over and not answered
	killed  bool        // nothing that it says from now on is heard
	refused error       // why it could not begin
}

// invocation is one event on its way.
type invocation struct {
	id       string
	event    []byte
	deadline time.Time
	answered chan struct{} // closed when body and err are set
	body     []byte
	err      error
}

// Start starts the binary with these variables, "NAME=value", as its whole
// environment. What it writes goes to out, from a goroutine of its own.
func Start(binary string, variables []string, out io.Writer) (*Process, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("runtime interface: %w", err)
	}
	p := &Process{cmd: exec.Command(binary), next: make(chan *invocation), ready: make(chan struct{})}
	p.server = &http.Server{Handler: p.routes(), ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }() // until Close
	p.cmd.Env = append([]string{"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(), "AWS_EC2_METADATA_DISABLED=true"}, variables...)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	if p.child, err = localstack.StartProcess(p.cmd); err != nil {
		_ = p.server.Close()
		return nil, fmt.Errorf("start function: %w", err)
	}
	return p, nil
}

// Ready waits until the process asks for its first event.
func (p *Process) Ready(ctx context.Context) error {
	select {
	case <-p.ready:
		return nil
	case <-p.child.Done():
		return p.whyEnded()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Invoke hands the process an event and returns what it answers: a
// *FunctionError, if the function failed. When the context ends first, the
// process is killed: ErrTimedOut. ErrEnded otherwise says that it is gone.
func (p *Process) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	p.turn.Lock()
	defer p.turn.Unlock()
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(longest)
	}
	i := p.begin(event, deadline)
	select {
	case p.next <- i:
	case <-p.child.Done():
		return nil, p.whyEnded()
	case <-ctx.Done():
		p.Kill()
		return nil, fmt.Errorf("%w: %w", ErrTimedOut, ctx.Err())
	}
	select {
	case <-i.answered:
		return i.body, i.err
	case <-p.child.Done():
		return p.lastWord(i)
	case <-ctx.Done():
		p.Kill()
		return nil, fmt.Errorf("%w: %w", ErrTimedOut, ctx.Err())
	}
}

func (p *Process) begin(event []byte, deadline time.Time) *invocation {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	return &invocation{id: fmt.Sprintf("invocation-%d", p.count), event: event, deadline: deadline, answered: make(chan struct{})}
}

// lastWord is the answer of a process that has ended: it may have given one just
// before.
func (p *Process) lastWord(i *invocation) ([]byte, error) {
	select {
	case <-i.answered:
		return i.body, i.err
	default:
		return nil, p.whyEnded()
	}
}

func (p *Process) whyEnded() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused != nil {
		return fmt.Errorf("%w: %w", ErrEnded, p.refused)
	}
	return ErrEnded
}

// Busy reports whether an event was handed over and is not answered.
func (p *Process) Busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current != nil
}

// Kill ends the process at once, by SIGKILL, and returns when it is gone. busy:
// it was at an event, which it has not answered and never will, and the signal
// is what ended it. A process that was gone before is not busy.
func (p *Process) Kill() (busy bool) {
	p.mu.Lock()
	busy = p.current != nil && !p.killed
	p.killed = true
	p.mu.Unlock()
	select {
	case <-p.child.Done():
		busy = false
	default:
		_ = p.cmd.Process.Kill() // it may have ended meanwhile
	}
	<-p.child.Done()
	_ = p.server.Close()
	return busy && p.cmd.ProcessState.ExitCode() == -1 // by a signal
}
