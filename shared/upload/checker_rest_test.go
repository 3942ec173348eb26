package upload

import "hash/maphash"

// restWithin is how many hours everything has to come to rest in.
const restWithin = 60

// rest is invariant 14: from here on no faults, no writers and no owner; puts
// on their way land, time passes, the pass runs and its worker follows it.
// Everything condemned must go, everything live must stay.
func (m *model) rest(w *world) {
	s := *w
	s.workers, s.writers, s.queue, s.plan, s.left = [2]worker{}, [2]writer{}, [2]command{}, plan{}, allowance{}
	for k := range s.flight {
		if s.flight[k] != 0 {
			s.land(k)
		}
	}
	var path []uint64
	for range restWithin {
		m.buf = m.encode(m.buf[:0], &s)
		here := maphash.Bytes(seed, m.buf)
		if _, known := m.rested[here]; known || m.bad != nil {
			break
		}
		path = append(path, here)
		m.cleanUp(&s)
		m.standing(&s)
		if m.bad == nil && m.atRest(&s) {
			m.remains(&s)
			break
		}
		if s.pass(); int(s.tick) > int(w.tick)+restWithin-2 {
			m.breaks("14", "%s after %d hours in which nothing disturbed it", m.record(&s, 0).State, restWithin)
		}
	}
	if m.bad == nil {
		for _, h := range path {
			m.rested[h] = struct{}{}
		}
	}
}

// cleanUp is one hour of reconciler, operator, pass and worker.
func (m *model) cleanUp(s *world) {
	for u := range s.up {
		if s.up[u] == 0 {
			continue
		}
		if u == 0 {
			m.reconcile(s)
		}
		if r := m.rec(s.up[u]); r.State == StateDeleting && !r.ParkedAt.IsZero() {
			_ = m.do(s, u, Unpark{})
		}
		for visits := 0; m.bad == nil && m.due(s, u) && m.passOver(s, u); visits++ {
			if visits > 8 {
				m.breaks("14", "the pass does not come to rest within the hour")
			}
		}
	}
}

// due is what the due index shows a pass.
func (m *model) due(w *world, u int) bool {
	due := m.rec(w.up[u]).DueAt
	return !due.IsZero() && !due.After(w.now().instant())
}

// passOver decides about one upload and executes at once; it reports whether
// the record changed.
func (m *model) passOver(s *world, u int) bool {
	before := s.up[u]
	switch d := m.decide(before, s.now()); {
	case d.Event != nil:
		_ = m.do(s, u, d.Event)
	case d.Action == Purge:
		m.purgeAtOnce(s, u, command{operationNumber(d.Operation), m.rec(before).Version, s.now()})
	}
	return s.up[u] != before
}

func (m *model) purgeAtOnce(s *world, u int, from command) {
	r := m.record(s, u)
	c := Command{Operation: operations[from.op], ID: checkedID[u], Version: from.version, Cutoff: cutoffOf(from.cutoff)}
	token := "Z" + string('0'+rune(r.Fence))
	x := &s.workers[0]
	*x = worker{pc: deleting, from: from}
	var err error
	switch m.table.check(m.policy, r, c, s.now().instant()).Verdict {
	case DoClaim:
		err = m.do(s, u, Claim{c.Version, c.Cutoff, "Z", token})
	case DoReopen:
		if err = m.do(s, u, Reopen{}); err == nil {
			err = m.do(s, u, Reclaim{"Z", token})
		}
	case DoReclaim:
		err = m.do(s, u, Reclaim{"Z", token})
	case DoTrim:
		x.pc = trimming
	default:
		*x = worker{}
		return
	}
	if err == nil {
		x.claim = s.up[u]
		m.deleteAll(s, x)
		if x.pc == trimming {
			_ = m.do(s, u, Trim{c.Version, c.Cutoff, int64(x.gone), m.retained(x)})
		} else {
			_ = m.do(s, u, Finish{m.rec(x.claim).Fence, int64(x.gone), m.retained(x)})
		}
	}
	*x = worker{}
}

func (m *model) deleteAll(s *world, x *worker) {
	wr := m.warrant(x)
	for _, t := range wr.Targets() {
		k, _ := wr.record.parseKey(t.ObjectKey)
		key := keyIndex(k)
		if m.sc.locked[key] > s.tick && s.stands[key] != 0 {
			x.kept++
			continue
		}
		version := t.VersionID
		if version == "" || wr.Uncertain() {
			version = versionName(s.stands[key])
		}
		if c, err := wr.Condemn(t.ObjectKey, version); err == nil {
			m.erase(s, c.Key(), c.VersionID())
		}
		x.gone++
	}
}

// atRest reports that nothing will happen any more by itself. What is
// assembling waits for a person; what is complete and never due stays.
func (m *model) atRest(s *world) bool {
	if s.books.rogueHit && m.unreported(s) {
		return false
	}
	for u, at := range s.up {
		if at == 0 {
			continue
		}
		switch r := m.record(s, u); r.State {
		case StateAssembling:
			if m.decide(at, s.now()).Action != Stuck {
				return false
			}
		case StateComplete, StateDeleted:
			if !r.DueAt.IsZero() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// unreported: the reconciler has still something to say.
func (m *model) unreported(s *world) bool {
	r := m.record(s, 0)
	for k, key := range keys {
		if s.stands[k] != 0 && r.Manifest.declares(key) && (r.State != StateComplete || !r.Manifest.Listed(key)) {
			return true
		}
	}
	return false
}

// remains compares what stands at the end with what should.
func (m *model) remains(s *world) {
	r := m.record(s, 0)
	for k, key := range keys {
		if s.stands[k] == 0 || !r.Manifest.declares(key) || m.sc.locked[k] == forEver {
			continue
		}
		if r.State == StateDeleted || r.State == StateComplete && !r.Manifest.Listed(key) {
			m.breaks("14", "%d/%d stands at the end, of an upload that is %s", key.Attempt, key.Seq, r.State)
		}
	}
}
