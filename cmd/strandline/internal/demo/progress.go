package demo

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows how far a long step is: one line that is written over on a
// terminal, a line at the end elsewhere.
type progress struct {
	out      io.Writer
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	title string
	total int
	done  int
	began time.Time
	shown time.Time
}

func newProgress(out io.Writer, terminal bool, now func() time.Time) *progress {
	return &progress{out: out, terminal: terminal, now: now}
}

// start begins a step of total pieces.
func (p *progress) start(title string, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.title, p.total, p.done, p.began, p.shown = title, total, 0, p.now(), time.Time{}
}

const redrawEvery = 200 * time.Millisecond

// step counts one piece.
func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	now := p.now()
	if !p.terminal || now.Sub(p.shown) < redrawEvery {
		return
	}
	p.shown = now
	fmt.Fprintf(p.out, "\r  %s %d of %d, %s ", p.title, p.done, p.total, now.Sub(p.began).Round(time.Second))
}

// stop ends the step with a line of its own.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	begin := "  "
	if p.terminal {
		begin = "\r  "
	}
	fmt.Fprintf(p.out, "%s%s: %d of %d in %s      \n", begin, p.title, p.done, p.total, p.now().Sub(p.began).Round(100*time.Millisecond))
}

// say prints a line of its own.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "  "+format+"\n", args...)
}
