package sim

import (
	"context"
	"errors"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

var errDead = errors.New("the process has died")

// host runs one process after another.
type host struct {
	desk  *desk
	name  string
	drift time.Duration // of its clock
	// mortal: it may be killed.
	mortal bool
	now    *process
	lives  int
}

// process is one life of a host.
type process struct {
	host *host
	dead bool
	// until is when its invocation is killed; zero outside of one. began is when
	// the last one did.
	until, began time.Time
	// approved: a person lets a plan go.
	approved bool
	// latency is how long each of its calls is on its way, before it is one that
	// may be let go.
	latency time.Duration
	// since is when the call began that is carried out just now.
	since time.Time
	// slots are those that it was given and has not used.
	slots int
	// writes is the fence that it shows just now as a writer; zero for none.
	// claims are those of the claims that it was given, by upload.
	writes int64
	claims map[upload.ID]claim
}

func (d *desk) host(name string, drift time.Duration, mortal bool) *host {
	h := &host{desk: d, name: name, drift: drift, mortal: mortal}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hosts = append(d.hosts, h)
	return h
}

// boot begins another life of the host.
func (h *host) boot() *process {
	h.desk.mu.Lock()
	defer h.desk.mu.Unlock()
	h.lives++
	h.now = &process{host: h, claims: map[upload.ID]claim{}}
	if h.mortal && h.desk.trouble > 0 && h.desk.dice.in1000("slow "+h.name, 120) {
		slowly := [...]time.Duration{time.Second, 4 * time.Second, 15 * time.Second, 40 * time.Second}
		h.now.latency = slowly[h.desk.dice.draw("how slow", len(slowly))]
		h.desk.counts["slow process"]++
	}
	return h.now
}

// claim is one that a worker was given: its fence, and until when, by the
// worker's own clock.
type claim struct {
	fence int64
	until time.Time
}

// Now is what the host's clock shows.
func (h *host) Now() time.Time { return h.desk.now().Add(h.drift) }

// enter waits until the call is let go.
func (p *process) enter(what string, ways ...way) way {
	d, now := p.host.desk, p.host.desk.now()
	if p.latency > 0 && !d.calmed() {
		onItsWay := call{process: p, what: "is on its way: " + what, wake: now.Add(p.latency)}
		if p.wait(&onItsWay) == dead {
			return dead
		}
	}
	return p.wait(&call{process: p, what: what, ways: ways, since: now})
}

func (p *process) wait(c *call) way {
	d := p.host.desk
	d.mu.Lock()
	if p.dead || d.closed {
		d.mu.Unlock()
		return dead
	}
	c.answer = make(chan way, 1)
	d.waiting = append(d.waiting, c)
	d.mu.Unlock()
	return <-c.answer
}

// sleep waits until the clock has moved by at least so much; false if the
// process has died.
func (p *process) sleep(d time.Duration) bool {
	return p.wait(&call{process: p, what: "sleeps", wake: p.host.desk.now().Add(d)}) != dead
}

// Sleep is what a function is given to wait by.
func (p *process) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	if !p.sleep(d) {
		return errDead
	}
	return ctx.Err()
}

// alive reports whether anything that the process says reaches anybody.
func (p *process) alive() bool {
	p.host.desk.mu.Lock()
	defer p.host.desk.mu.Unlock()
	return !p.dead
}
