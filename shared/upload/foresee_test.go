package upload

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/policy"
)

// passesFrom plays passes one after another, each a period after the one
// before, until one takes the record or leaves it to a person; as the
// scheduler does, it looks only at what is due.
func passesFrom(p policy.Policy, r Record, now time.Time) (at time.Time, d Decision, looks int) {
	for range 10_000 {
		cutoff := now.Add(-p.SafetyMargin)
		if r.DueAt.IsZero() {
			return at, Decision{}, looks
		}
		if !r.DueAt.After(cutoff) {
			looks++
			d, _ = Decide(p, r, cutoff, now)
			if d.Event == nil || d.Action == Stuck {
				return now, d, looks
			}
			c, err := Step(p, r, d.Event, now)
			if err != nil {
				return now, d, looks
			}
			r = c.After
		}
		now = now.Add(p.PassEvery)
	}
	return at, d, looks
}

// What an operator is told to come must be what comes: a foreseen "kept" that
// is purged would be believed until it is too late.
func TestWhatIsForeseenIsWhatThePassesDo(t *testing.T) {
	ends := map[Action]int{}
	rapid.Check(t, func(t *rapid.T) {
		p, now := policy.Default(), noon
		r := rapid.SampledFrom(records()).Draw(t, "beginning")
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, 16 * time.Minute, 7 * time.Hour}).Draw(t, "wait"))
			if c, err := Step(p, r, anyEvent(t, r, now), now); err == nil {
				r = c.After
			}
		}
		seen, err := Foresee(p, r, now)
		if err != nil {
			t.Skip("activity in the future")
		}
		if !r.SupersededDueAt.IsZero() && !r.HoldExpiresAt.IsZero() {
			return // which of the two comes first depends on when a pass runs
		}
		at, d, looks := passesFrom(p, r, now)
		if len(seen) == 0 {
			if looks != 0 {
				t.Fatalf("nothing was foreseen, and passes %s it", d.Action)
			}
			return
		}
		last := seen[len(seen)-1]
		for _, s := range seen[:len(seen)-1] {
			if s.Decision.Operation == OpTrim {
				return // the passes played above do not trim
			}
		}
		if last.After.DueAt.IsZero() && d.Action == Keep {
			return
		}
		ends[last.Decision.Action]++
		if last.Decision.Action != d.Action || last.Decision.Operation != d.Operation || last.Decision.Reason != d.Reason {
			t.Fatalf("foreseen: %+v\npasses: %+v", last.Decision, d)
		}
		if late := at.Sub(last.At); late < 0 || late > time.Duration(looks)*p.PassEvery {
			t.Fatalf("foreseen for %v, and done %v", last.At, at)
		}
	})
	for _, a := range []Action{Purge, Stuck} { // a mark is followed by a purge
		if ends[a] == 0 {
			t.Errorf("no record ended in %s", a)
		}
	}
}

// A person who is told a later instant than the earliest has counted on days
// that there are not.
func TestNoPassTakesARecordEarlierThanForeseen(t *testing.T) {
	p, taken := policy.Default(), 0
	records := records()
	// Its grace ends a moment after its hold.
	r := held(settled(StateReceiving))
	r.LastActivityAt = noon
	r.HoldExpiresAt = noon.Add(p.ActivityGrace - time.Minute)
	r.DueAt = r.HoldExpiresAt
	for _, r := range append(records, r) {
		seen, err := Foresee(p, r, noon)
		if err != nil {
			t.Fatal(err)
		}
		before := r // as no pass has looked since
		for i, s := range seen {
			now := s.At.Add(-time.Millisecond)
			cutoff := now.Add(-p.SafetyMargin)
			d, err := Decide(p, before, cutoff, now)
			if now.After(noon) && err == nil && !before.DueAt.After(cutoff) && d.Action != Keep {
				t.Errorf("%s, look %d: a pass a millisecond before %v does: %s", r.State, i, s.At, d.Action)
			}
			if s.Decision.Action != Keep {
				before = s.After
				taken++
			}
		}
	}
	if taken == 0 {
		t.Error("nothing was taken")
	}
}

func TestNothingIsForeseenOfARecordFromTheFuture(t *testing.T) {
	p, r := policy.Default(), settled(StateReceiving)
	r.LastActivityAt = noon.Add(p.MaxClockSkew + time.Second)
	r.DueAt = noon.Add(48 * time.Hour) // when a clock has come to it long ago
	if seen, err := Foresee(p, r, noon); !errors.Is(err, ErrFuture) || seen != nil {
		t.Errorf("%v, %v", seen, err)
	}
}

// An obstacle that is not named is a question that explain cannot answer; one
// that is named and does not stand lets a person wait for nothing.
func TestObstaclesStandExactlyAgainstWhatIsRefused(t *testing.T) {
	p, named := policy.Default(), 0
	known := map[Obstacle]bool{}
	for _, o := range AllObstacles() {
		known[o] = true
	}
	for _, r := range records() {
		for _, ahead := range []time.Duration{0, time.Hour, 30 * 24 * time.Hour} {
			now := noon.Add(ahead)
			cutoff := now.Add(-p.SafetyMargin)
			against := map[Kind]int{}
			for _, o := range Obstacles(p, r, cutoff, now) {
				against[o.Event]++
				named++
				if !known[o] {
					t.Errorf("%v is not in the list of all", o)
				}
			}
			for _, e := range leading(r, cutoff) {
				if _, there := protocol.find(r.State, e.Kind()); !there {
					continue
				}
				_, err := Step(p, r, e, now)
				if (err == nil) != (against[e.Kind()] == 0) && !repeated(r, e) {
					t.Errorf("%s while %s after %v: %v, and %d obstacles", e.Kind(), r.State, ahead, err, against[e.Kind()])
				}
			}
		}
	}
	if named == 0 {
		t.Error("no obstacle was found")
	}
}
