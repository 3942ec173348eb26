package sim

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
)

// dice draw everything that a run leaves open. Each kind of question has a
// stream of its own, by name, so that what is drawn for one actor does not
// change what is drawn for another. 0 is always the dull answer: no fault, no
// crash, the clock stands, the actor does the next plain thing. A cut turns
// draws into 0, and so takes trouble out of a run.
type dice struct {
	seed    uint64
	cut     Cut
	streams map[string]*stream
}

type stream struct {
	random *rand.Rand
	drawn  int
	cut    []Span
}

// Cut says which draws of which stream are dull, whatever the seed says.
type Cut map[string][]Span

// Span is the draws from From up to, without, To.
type Span struct{ From, To int }

// with is the cut with one more span.
func (c Cut) with(stream string, s Span) Cut {
	next := maps.Clone(c)
	if next == nil {
		next = Cut{}
	}
	next[stream] = append(slices.Clip(next[stream]), s)
	return next
}

func newDice(seed uint64, cut Cut) *dice {
	return &dice{seed: seed, cut: cut, streams: map[string]*stream{}}
}

func (d *dice) stream(name string) *stream {
	s, ok := d.streams[name]
	if !ok {
		h := fnv.New64a()
		_, _ = h.Write([]byte(name))
		s = &stream{random: rand.New(rand.NewPCG(d.seed, h.Sum64())), cut: d.cut[name]} //nolint:gosec // to be repeated, not secret
		d.streams[name] = s
	}
	return s
}

// draw returns 0 to n-1.
func (d *dice) draw(name string, n int) int {
	s := d.stream(name)
	value, at := s.random.IntN(n), s.drawn
	s.drawn++
	for _, c := range s.cut {
		if c.From <= at && at < c.To {
			return 0
		}
	}
	return value
}

// in1000 reports true so many times in a thousand.
func (d *dice) in1000(name string, times int) bool { return d.draw(name, 1000) >= 1000-times }

// drawn is how often each stream was asked.
func (d *dice) drawn() map[string]int {
	all := map[string]int{}
	for name, s := range d.streams {
		all[name] = s.drawn
	}
	return all
}
