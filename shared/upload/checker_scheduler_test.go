package upload

import (
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// scheduler plans from what it reads, publishes what it would have deleted,
// and executes the rest some time later, once or twice.
func (m *model) scheduler(w *world) {
	if w.up[0] == 0 {
		return
	}
	if w.plan.kind == 0 {
		m.try(w, "scheduler", "plan", func(s *world) bool { return m.planAt(s, s.now()) })
		m.try(w, "scheduler", "plan by a clock that is ahead", func(s *world) bool {
			if s.left.ahead == 0 || !m.planAt(s, s.now()+m.sc.aheadBy) {
				return false
			}
			s.left.ahead--
			return true
		})
		m.try(w, "scheduler", "defer without looking", func(s *world) bool {
			e := Defer{m.rec(s.up[0]).Version, s.now().instant().Add(-margin)}
			return m.do(s, 0, e) == nil
		})
	} else {
		e := w.plan.event()
		m.try(w, "scheduler", "execute its plan", func(s *world) bool {
			_ = m.do(s, 0, e)
			s.plan = plan{}
			return true
		})
		m.try(w, "scheduler", "execute its plan, answer lost", func(s *world) bool {
			if s.left.lost == 0 {
				return false
			}
			s.left.lost--
			return m.do(s, 0, e) == nil
		})
	}
	if m.sc.unsafe {
		m.unvalidated(w)
	}
}

func (p plan) event() Event {
	cutoff := cutoffOf(p.cutoff)
	switch planned[p.kind] {
	case KindDefer:
		return Defer{p.version, cutoff}
	case KindRepair:
		return Repair{p.version, cutoff}
	default:
		return Expire{p.version, cutoff}
	}
}

// cutoffOf is the cutoff of a pass that began at an instant.
func cutoffOf(began minutes) time.Time { return began.instant().Add(-margin) }

func (m *model) planAt(s *world, clock minutes) bool {
	r, d := m.rec(s.up[0]), m.decide(s.up[0], clock)
	switch {
	case d.Action == Purge:
		return s.publish(command{operationNumber(d.Operation), r.Version, clock}, m.sc.queue)
	case d.Event == nil || d.Event.Kind() == KindDefer && !m.sc.defers:
		return false // most scenarios try to defer without a plan
	}
	s.plan = plan{planNumber(d.Event.Kind()), r.Version, clock}
	return true
}

// publish adds a command, unless one like it is out already: a copy would do
// what the first does when it is delivered again.
func (w *world) publish(c command, room int) bool {
	for i := range w.queue[:max(room, 1)] {
		if w.queue[i].op == c.op && w.queue[i].version == c.version {
			return false
		}
		if w.queue[i].op == 0 {
			w.queue[i] = c
			return true
		}
	}
	return false
}

func (w *world) acknowledge(i int) {
	copy(w.queue[i:], w.queue[i+1:])
	w.queue[len(w.queue)-1] = command{}
}

func operationNumber(o Operation) int8 {
	for i, x := range operations {
		if x == o {
			return int8(i)
		}
	}
	return 0
}

func planNumber(k Kind) int8 {
	for i, x := range planned {
		if x == k {
			return int8(i)
		}
	}
	return 0
}

// unvalidated is a process whose policy nobody set: everything that condemns,
// under the zero policy.
func (m *model) unvalidated(w *world) {
	r := m.record(w, 0)
	now := w.now().instant()
	events := append(condemning(r, r.Version, now), Reclaim{Worker: "Z", Token: "Z"})
	for _, e := range events {
		m.try(w, "process without a policy", string(e.Kind()), func(s *world) bool {
			own := m.policy
			m.policy, m.unsafe = policy.Policy{}, true
			err := m.do(s, 0, e)
			m.policy, m.unsafe = own, false
			return err == nil
		})
	}
}
