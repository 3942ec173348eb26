package upload

import (
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

const (
	owner      = "o1"
	stranger   = "o2"
	quotaLimit = 1
	forEver    = 99 // a lock without a date
)

var (
	writerNames = [...]string{"w1", "w2"}
	workerNames = [...]string{"A", "B"}
	references  = [...]Reference{{Source: "page", Entity: "p1", Generation: 1}, {Source: "page", Entity: "p1", Generation: 2}}
)

// quirks are mistakes of an engine, each of which the checker must notice.
type quirks struct {
	prefix       bool // deletes whatever lies below a key
	unchecked    bool // deletes what a listing shows without asking the warrant
	trimsAll     bool // a trim goes by the warrant of a claim
	believes     bool // a worker believes any cutoff
	claimsFirst  bool // claims, then waits for its slot
	blind        bool // writes without the condition on the version
	emptyOnError bool // takes a listing that failed for an empty one
}

// model is a scenario under a table: the protocol's own, or a mutant's.
type model struct {
	sc     *scenario
	table  table
	quirks quirks
	policy policy.Policy
	unsafe bool // the acting policy is the zero one
	bad    *broken
	branch world
	emit   func(who, what string, w *world)
	buf    []byte
	// entries are the records that worlds refer to; places finds them again.
	entries []entry
	places  map[[2]uint64]ref
	// answers, decisions and checks are what the core said before: it is pure.
	answers   map[asked]answer
	decisions map[decided]Decision
	checks    map[checked]Recheck
	rested    map[uint64]struct{}
	note      func(e Event, err error, w *world, u int) // set while a trace is told
	notes     []string
}

func newModel(sc *scenario, t table, q quirks) *model {
	return &model{
		sc: sc, table: t, quirks: q, policy: checkedPolicy(),
		places: map[[2]uint64]ref{}, answers: map[asked]answer{}, decisions: map[decided]Decision{}, checks: map[checked]Recheck{}, rested: map[uint64]struct{}{},
	}
}

// try takes a branch; the world after it is emitted if something happened.
func (m *model) try(w *world, who, what string, act func(s *world) bool) {
	m.branch = *w
	m.bad, m.notes = nil, m.notes[:0]
	if act(&m.branch) || m.bad != nil {
		if m.bad == nil {
			m.standing(&m.branch)
		}
		m.emit(who, what, &m.branch)
	}
	m.bad = nil
}

// do is load, step and commit in one: an actor that reads before it acts.
func (m *model) do(w *world, u int, e Event) error {
	return m.doFrom(w, u, w.up[u], e)
}

// doFrom steps from an earlier read; the commit then shows whether it still
// holds.
func (m *model) doFrom(w *world, u int, read ref, e Event) error {
	out := m.stepped(w, read, e)
	err := out.err
	if err == nil {
		err = m.commit(w, u, read, out, e)
	}
	if m.note != nil {
		m.note(e, err, w, u)
	}
	return err
}

// asked is one question to the table; the same one comes from many worlds.
type asked struct {
	from   ref
	event  Event
	now    minutes
	unsafe bool
}

type answer struct {
	to      ref
	nothing bool
	effects []Effect
	wrong   *broken // whatever the world
	err     error
}

func (m *model) stepped(w *world, from ref, e Event) answer {
	q := asked{from, e, w.now(), m.unsafe}
	switch e.(type) {
	case Reserve, Complete, Declare, Adopt: // hold slices, and are rare
		return m.stepNow(w, q)
	}
	out, known := m.answers[q]
	if !known {
		out = m.stepNow(w, q)
		m.answers[q] = out
	}
	return out
}

func (m *model) stepNow(w *world, q asked) answer {
	now := m.clock(w, q.event)
	c, err := m.table.step(m.policy, *m.rec(q.from), q.event, now)
	if err != nil {
		return answer{err: err}
	}
	if c.Nothing() {
		return answer{to: q.from, nothing: true}
	}
	wrong := m.deferred(c.Before, c.After, q.event, now)
	if wrong == nil {
		wrong = m.again(c.After, q.event, now)
	}
	return answer{to: m.intern(c.After), effects: c.Effects, wrong: wrong}
}

type decided struct {
	from  ref
	clock minutes
}

// decide is the pass's decision at a clock; nothing if the clock is refused.
func (m *model) decide(from ref, clock minutes) Decision {
	q := decided{from, clock}
	d, known := m.decisions[q]
	if !known {
		d, _ = m.table.decide(m.policy, *m.rec(from), cutoffOf(clock), clock.instant())
		m.decisions[q] = d
	}
	return d
}

type checked struct {
	from ref
	c    command
	now  minutes
}

// recheck is a worker's decision about a command, from what it reads now.
func (m *model) recheck(w *world, from command) Recheck {
	q := checked{w.up[0], from, w.now()}
	out, known := m.checks[q]
	if !known {
		now := w.now().instant()
		if m.quirks.believes {
			now = later(now, cutoffOf(from.cutoff).Add(m.policy.SafetyMargin))
		}
		c := Command{Operation: operations[from.op], ID: checkedID[0], Version: from.version, Cutoff: cutoffOf(from.cutoff)}
		out = m.table.check(m.policy, m.record(w, 0), c, now)
		m.checks[q] = out
	}
	return out
}

// clock is the instant that an actor takes for now.
func (m *model) clock(w *world, e Event) time.Time {
	now := w.now().instant()
	if _, cutoff := versionOf(e); m.quirks.believes && e.Kind() == KindClaim {
		return later(now, cutoff.Add(m.policy.SafetyMargin))
	}
	return now
}

// commit writes as a ledger does: all of the change or nothing, and only onto
// the version it was decided from.
func (m *model) commit(w *world, u int, read ref, out answer, e Event) error {
	if out.nothing {
		return nil
	}
	stored := m.rec(w.up[u])
	if stored.Version != m.rec(read).Version && !m.quirks.blind {
		return ErrChanged
	}
	books := w.books
	for _, x := range out.effects {
		if err := books.apply(x); err != nil {
			return err
		}
	}
	w.books = books
	m.observe(w, u, taken{e.Kind(), stored, m.rec(out.to)}, e)
	if out.wrong != nil && m.bad == nil {
		m.bad = out.wrong
	}
	w.up[u] = out.to
	return nil
}

func (b *books) apply(x Effect) error {
	switch x := x.(type) {
	case TakeQuota:
		if int64(b.quota) >= x.Limit {
			return ErrQuota
		}
		b.quota++
	case GiveQuota:
		b.quota--
	case TakeHash:
		if b.hash != 0 {
			return ErrDuplicate
		}
		b.hash = uploadNumber(x.Upload)
	case FreeHash:
		if b.hash == uploadNumber(x.Upload) {
			b.hash = 0
		}
	case PutReference:
		bit := uint8(1) << slices.Index(references[:], x.Reference)
		if b.refLive&bit != 0 {
			return ErrReferenceLive
		}
		if b.refEver&bit != 0 {
			return ErrReferenceUsed
		}
		b.refLive, b.refEver = b.refLive|bit, b.refEver|bit
	case BuryReference:
		bit := uint8(1) << slices.Index(references[:], x.Reference)
		if b.refLive&bit == 0 {
			return ErrReferenceUsed
		}
		b.refLive &^= bit
	}
	return nil
}

func uploadNumber(id string) int8 { return int8(id[1] - '0') }

func minutesOf(t time.Time) minutes {
	if t.IsZero() {
		return 0
	}
	return minutes(t.Sub(origin) / time.Minute)
}
