package sim

import (
	"maps"
	"slices"
)

// Shrink takes trouble out of a run that fails, for as long as the same
// invariant falls, and returns what is left of it. Each try is a run; there are
// at most so many. Whole streams go first, then parts of them. A try that fails
// later than twice as late is none: what is broken may never come to rest.
func Shrink(failing Outcome, tries int, run func(seed uint64, cut Cut, steps int) Outcome) Outcome {
	s := shrinking{best: failing, tries: tries, run: run}
	for parts := 1; parts <= maxParts && s.tries > 0; {
		if !s.streams(parts) {
			parts *= 4
		}
	}
	return s.best
}

// maxParts is into how many parts a stream is cut at most.
const maxParts = 256

type shrinking struct {
	best  Outcome
	cut   Cut
	tries int
	run   func(seed uint64, cut Cut, steps int) Outcome
}

// streams tries each of so many parts of every stream of draws, and reports
// whether anything was taken out.
func (s *shrinking) streams(parts int) bool {
	better := false
	for _, name := range slices.Sorted(maps.Keys(s.best.drawn)) {
		drawn := s.best.drawn[name]
		size := (drawn + parts - 1) / parts
		for from := 0; from < drawn && (parts == 1 || size < drawn); from += size {
			better = s.try(name, Span{from, min(from+size, drawn)}) || better
		}
	}
	return better
}

// covered: that span is cut already.
func (s *shrinking) covered(name string, at Span) bool {
	return slices.ContainsFunc(s.cut[name], func(c Span) bool { return c.From <= at.From && at.To <= c.To })
}

// try runs without the span, and keeps that if the same invariant still falls.
func (s *shrinking) try(name string, at Span) bool {
	if s.tries == 0 || s.covered(name, at) {
		return false
	}
	s.tries--
	cut := s.cut.with(name, at)
	o := s.run(s.best.Seed, cut, min(2*s.best.Steps, MaxSteps))
	if o.number() != s.best.number() || o.told() > s.best.told() {
		return false
	}
	s.best, s.cut = o, cut
	return true
}
