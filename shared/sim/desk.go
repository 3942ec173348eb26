package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// desk decides what happens next. Every call of every actor waits here until
// it is let go; while one is let go, nobody else does anything.
type desk struct {
	dice  *dice
	clock Clock

	mu      sync.Mutex
	waiting []*call
	hosts   []*host
	trace   []entry
	last    string // the host that went last
	trouble int    // 0 to 3
	quiet   bool   // nothing goes wrong any more
	closed  bool   // whoever enters is sent away
	steps   int
	counts  map[string]int // what happened how often
}

// Clock is a virtual clock, that of the bubble which a run is in: Sleep moves
// it, and Settle returns when all others in the bubble wait.
type Clock struct {
	Now    func() time.Time
	Sleep  func(d time.Duration)
	Settle func()
}

// now is the true time.
func (d *desk) now() time.Time { return d.clock.Now().UTC() }

// call is one that waits.
type call struct {
	process *process
	what    string
	wake    time.Time // of a sleep: when it is over
	ways    []way     // what else may become of it
	since   time.Time
	answer  chan way
}

// callTimeout is how long a call is under way at most: a client gives it up
// then (package awsconf). What it says is by then so much older than it looks.
const callTimeout = time.Minute

// way is what becomes of a call.
type way uint8

const (
	asked     way = iota // it is done, and answered
	throttled            // not done, and the service says: slow down
	timeout              // not done, and nobody knows
	lost                 // done, and nobody knows
	part                 // half of it is done, or seen
	echo                 // done; the client asked again by itself, and is told that it is done already
	slow                 // done, and the answer comes later
	denied               // not done: a right is missing
	dead                 // the process has died: not done, and nobody is there
)

func (w way) String() string {
	return [...]string{"", "throttled", "timed out", "done, answer lost", "in part", "done, repeated by the client", "answer late", "denied", "dead"}[w]
}

// calmed reports whether nothing goes wrong any more.
func (d *desk) calmed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.quiet
}

// entry is one line of a trace.
type entry struct {
	at   time.Time
	who  string
	what string
	way  way
}

func (e entry) String() string {
	line := fmt.Sprintf("%s  %-12s %s", e.at.Format("02 15:04:05.000"), e.who, e.what)
	if e.way != asked {
		line += "  [" + e.way.String() + "]"
	}
	return line
}

func (d *desk) note(who, what string, w way) {
	if d.closed {
		return
	}
	d.trace = append(d.trace, entry{d.now(), who, what, w})
}

// run lets calls go until nobody waits any more, or after says stop.
func (d *desk) run(after func() bool) {
	for {
		d.clock.Settle()
		if after() {
			return
		}
		if !d.step() {
			return
		}
	}
}

// step lets one call go, or moves the clock; false if nobody waits.
func (d *desk) step() bool {
	d.mu.Lock()
	d.steps++
	if d.killLate() { // whoever called it goes on, and nobody else now
		d.mu.Unlock()
		return true
	}
	if len(d.waiting) == 0 {
		d.mu.Unlock()
		return false
	}
	slices.SortStableFunc(d.waiting, func(a, b *call) int {
		return cmp.Or(strings.Compare(a.process.host.name, b.process.host.name), a.wake.Compare(b.wake), strings.Compare(a.what, b.what))
	})
	now := d.now()
	ready := slices.DeleteFunc(slices.Clone(d.waiting), func(c *call) bool { return c.wake.After(now) })
	if move := d.move(ready); move > 0 {
		d.mu.Unlock()
		d.clock.Sleep(move)
		return true
	}
	defer d.mu.Unlock()
	d.letGo(d.choose(ready))
	return true
}

// move is how far the clock moves now: to the next who wakes, where nobody can
// go on, and sometimes while calls are under way.
func (d *desk) move(ready []*call) time.Duration {
	if len(ready) == 0 {
		next := slices.MinFunc(d.waiting, func(a, b *call) int { return a.wake.Compare(b.wake) })
		return next.wake.Sub(d.now())
	}
	if d.quiet || d.trouble == 0 || !d.dice.in1000("clock", 2*d.trouble) {
		return 0
	}
	moves := [...]time.Duration{
		time.Millisecond, time.Second, 11 * time.Second, time.Minute, 3 * time.Minute, 13 * time.Minute, 16 * time.Minute, 40 * time.Minute, 3 * time.Hour,
	}
	by := moves[d.dice.draw("clock by", len(moves))]
	d.note("clock", "moves by "+by.String()+" while calls are under way", asked)
	d.counts["clock moved"]++
	return by
}

// choose takes the next call: dull is to go on with the host that went last.
func (d *desk) choose(ready []*call) *call {
	if d.dice.draw("order", 4) == 3 {
		return ready[d.dice.draw("order, which", len(ready))]
	}
	for _, c := range ready {
		if c.process.host.name >= d.last {
			return c
		}
	}
	return ready[0]
}

func (d *desk) letGo(c *call) {
	h := c.process.host
	d.last = h.name
	w := asked
	if c.wake.IsZero() && !d.quiet {
		w = d.fate(c)
	}
	if w == dead {
		d.kill(c.process, "dies at: "+c.what)
		return
	}
	if len(c.ways) > 0 && d.now().Sub(c.since) > callTimeout {
		w = timeout
	}
	if c.wake.IsZero() {
		d.note(h.name, c.what, w)
	}
	if w != asked {
		d.counts[w.String()]++
	}
	d.waiting = slices.DeleteFunc(d.waiting, func(other *call) bool { return other == c })
	c.process.since = c.since
	c.answer <- w
}

// fate is what becomes of a call that may go wrong.
func (d *desk) fate(c *call) way {
	h := c.process.host
	if h.mortal && d.dice.in1000("death of "+h.name, 2*d.trouble) {
		return dead
	}
	often := 12
	switch {
	case strings.HasPrefix(c.what, "deletes"), strings.HasPrefix(c.what, "lists versions"): // what is dangerous goes wrong most
		often = 120
	case strings.HasPrefix(h.name, "worker"):
		often = 40
	}
	if len(c.ways) > 0 && d.dice.in1000("fault of "+h.name, often*d.trouble) {
		return c.ways[d.dice.draw("which fault of "+h.name, len(c.ways))]
	}
	return asked
}

// kill ends a process: from now on nothing that it does reaches anything.
func (d *desk) kill(p *process, why string) {
	p.dead = true
	d.note(p.host.name, why, dead)
	d.counts["died"]++
	d.waiting = slices.DeleteFunc(d.waiting, func(c *call) bool {
		if c.process == p {
			c.answer <- dead
		}
		return c.process == p
	})
}

// killLate ends an invocation whose time is over, as Lambda does; false if there
// is none.
func (d *desk) killLate() bool {
	now := d.now()
	for _, h := range d.hosts {
		if p := h.now; p != nil && !p.dead && !p.until.IsZero() && now.After(p.until) {
			d.counts["time over"]++
			d.kill(p, "is killed: its time is over")
			return true
		}
	}
	return false
}

// close sends everybody away, so that all goroutines end.
func (d *desk) close() {
	d.mu.Lock()
	d.closed = true
	for _, c := range d.waiting {
		c.answer <- dead
	}
	d.waiting = nil
	d.mu.Unlock()
}
