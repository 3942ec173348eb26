package upload

// worker follows a command to its end, or stops anywhere.
func (m *model) worker(w *world, i int) {
	x := &w.workers[i]
	who := workerNames[i]
	switch x.pc {
	case idle:
		for c := range w.queue {
			if w.queue[c].op != 0 {
				m.receive(w, i, c)
				m.unchecked(w, i, c)
			}
		}
		return
	case waiting:
		m.try(w, who, "gets its slot and goes on", func(s *world) bool { return m.slot(s, i, false) })
		m.try(w, who, "gets its slot and goes on, answer lost", func(s *world) bool {
			if s.left.lost == 0 || x.verdict == DoTrim || x.claim != 0 {
				return false
			}
			s.left.lost--
			return m.slot(s, i, true)
		})
	case unsure:
		m.try(w, who, "looks whether its claim was written", func(s *world) bool {
			s.workers[i].hold(m, s, i)
			return true
		})
	case deleting, trimming:
		m.purge(w, i)
	}
	m.try(w, who, "stops", func(s *world) bool { s.workers[i] = worker{}; return true })
}

func (m *model) receive(w *world, i, c int) {
	from := w.queue[c]
	check := m.recheck(w, from)
	m.try(w, workerNames[i], "receives "+string(operations[from.op]), func(s *world) bool {
		switch check.Verdict {
		case DoClaim, DoReclaim, DoTrim, DoReopen:
			s.workers[i] = worker{pc: waiting, verdict: check.Verdict, from: from, snap: s.up[0]}
			if m.quirks.claimsFirst && (check.Verdict == DoClaim || check.Verdict == DoReclaim) {
				m.slot(s, i, false)
				s.workers[i].pc = waiting
			}
			return true
		case Drop, Reject:
			s.acknowledge(c)
			return true
		}
		return false
	})
}

// unchecked is a worker that acts on a command without checking it: the rows
// refuse whatever the check would not have let pass.
func (m *model) unchecked(w *world, i, c int) {
	switch m.recheck(w, w.queue[c]).Verdict {
	case DoClaim, DoReclaim, DoTrim, DoReopen:
		return
	}
	from, r := w.queue[c], m.record(w, 0)
	cutoff := cutoffOf(from.cutoff)
	for _, e := range []Event{
		Claim{from.version, cutoff, workerNames[i], "hasty"},
		Reclaim{workerNames[i], "hasty"},
		Trim{from.version, cutoff, r.Manifest.superseded(), Retained{}},
	} {
		m.try(w, workerNames[i], "acts without checking", func(s *world) bool { return m.do(s, 0, e) == nil })
	}
}

// token is new for every attempt to claim: no two attempts of one worker see
// one fence and both succeed.
func (m *model) token(x *worker, i int) string {
	return workerNames[i] + string('0'+rune(m.rec(x.snap).Fence))
}

// slot is what follows the wait: the claim, from the read before the wait.
func (m *model) slot(s *world, i int, answerLost bool) bool {
	x := &s.workers[i]
	if x.claim != 0 { // claimed first
		x.pc = deleting
		return true
	}
	if x.verdict == DoTrim {
		return m.beginTrim(s, i)
	}
	if x.verdict == DoReopen {
		if m.doFrom(s, 0, x.snap, Reopen{}) != nil {
			*x = worker{}
			return true
		}
		x.verdict, x.snap = DoReclaim, s.up[0]
		return true
	}
	var e Event = Reclaim{workerNames[i], m.token(x, i)}
	if x.verdict == DoClaim {
		e = Claim{x.from.version, cutoffOf(x.from.cutoff), workerNames[i], m.token(x, i)}
	}
	err := m.doFrom(s, 0, x.snap, e)
	switch {
	case answerLost:
		x.pc = unsure
	case err != nil:
		*x = worker{}
	default:
		x.hold(m, s, i)
	}
	return true
}

// hold takes up the claim if the record shows the worker's own token.
func (x *worker) hold(m *model, s *world, i int) {
	if _, err := m.rec(s.up[0]).ClaimedBy(m.policy, m.token(x, i)); err != nil {
		*x = worker{}
		return
	}
	*x = worker{pc: deleting, claim: s.up[0]}
}

func (m *model) beginTrim(s *world, i int) bool {
	x := &s.workers[i]
	_, err := m.table.trimming(m.policy, m.record(s, 0), x.from.version, cutoffOf(x.from.cutoff), s.now().instant())
	if err != nil {
		*x = worker{}
		return true
	}
	*x = worker{pc: trimming, from: x.from, claim: s.up[0]}
	return true
}

// warrant is the one that ClaimedBy or Trimming gave when the worker began.
func (m *model) warrant(x *worker) Warrant {
	return Warrant{record: *m.rec(x.claim), superseded: x.pc == trimming && !m.quirks.trimsAll}
}

func (m *model) purge(w *world, i int) {
	x := &w.workers[i]
	wr := m.warrant(x)
	targets := wr.Targets()
	done := int(x.gone + x.kept)
	who := workerNames[i]
	if done < len(targets) {
		m.target(w, i, wr, targets[done])
		m.try(w, who, "reports the end too early", func(s *world) bool {
			before := s.up[0]
			return m.finish(s, i) == nil && s.up[0] != before
		})
	} else {
		m.try(w, who, "finishes", func(s *world) bool {
			_ = m.finish(s, i)
			s.workers[i] = worker{}
			return true
		})
		m.try(w, who, "finishes, answer lost", func(s *world) bool {
			if s.left.lost == 0 || m.finish(s, i) != nil {
				return false
			}
			s.left.lost--
			return true
		})
	}
	if x.pc == deleting {
		m.interrupted(w, i, done)
	}
}

func (m *model) finish(s *world, i int) error {
	x := &s.workers[i]
	kept := m.retained(x)
	if x.pc == trimming {
		return m.do(s, 0, Trim{x.from.version, cutoffOf(x.from.cutoff), int64(x.gone), kept})
	}
	return m.do(s, 0, Finish{m.rec(x.claim).Fence, int64(x.gone), kept})
}

func (m *model) retained(x *worker) Retained {
	if x.kept == 0 {
		return Retained{}
	}
	r := Retained{Count: int64(x.kept), Reason: "locked"}
	for k := range keys {
		if until := m.sc.locked[k]; until != 0 && until != forEver {
			r.Until = earlier(r.Until, (minutes(until) * hour).instant())
		}
	}
	return r
}

// interrupted is a purge that needs another invocation, or failed.
func (m *model) interrupted(w *world, i, done int) {
	who, x := workerNames[i], &w.workers[i]
	progress := Continue{m.rec(x.claim).Fence, m.rec(x.claim).PurgedThrough + int64(done), m.retained(x)}
	m.try(w, who, "goes on another time", func(s *world) bool {
		if s.left.continues == 0 || m.do(s, 0, progress) != nil {
			return false
		}
		s.left.continues--
		s.workers[i] = worker{}
		return true
	})
	m.try(w, who, "goes on another time, answer lost", func(s *world) bool {
		before := s.up[0]
		if s.left.continues == 0 || s.left.lost == 0 || m.do(s, 0, progress) != nil || s.up[0] == before {
			return false
		}
		s.left.continues--
		s.left.lost--
		return true
	})
	m.try(w, who, "gives back after a failure", func(s *world) bool {
		before := s.up[0]
		if s.left.retries == 0 || m.do(s, 0, Retry{m.rec(x.claim).Fence, "failed", 0}) != nil || s.up[0] == before {
			return false
		}
		s.left.retries--
		s.workers[i] = worker{}
		return true
	})
}

// target deals with one key: exact version where it is known, else what a
// listing of that very key shows.
func (m *model) target(w *world, i int, wr Warrant, t Target) {
	x, who := &w.workers[i], workerNames[i]
	k, _ := wr.record.parseKey(t.ObjectKey)
	key := keyIndex(k)
	if (t.VersionID == "" || wr.Uncertain()) && !x.listing {
		m.try(w, who, "lists a key", func(s *world) bool {
			s.workers[i].listing, s.workers[i].saw = true, s.stands[key]
			m.misreads(s, wr, t)
			return true
		})
		m.try(w, who, "takes a failed listing for an empty one", func(s *world) bool {
			s.workers[i].listing = true
			return m.quirks.emptyOnError
		})
		return
	}
	version := t.VersionID
	if x.listing {
		version = versionName(x.saw)
	}
	if version == "" {
		m.dealt(w, i, "finds nothing there", func(s *world) { s.workers[i].gone++ })
		return
	}
	c, err := wr.Condemn(t.ObjectKey, version)
	switch {
	case err != nil:
		m.try(w, who, "has no warrant for its own target", func(*world) bool { m.breaks("13", "%v", err); return true })
	case m.sc.locked[key] > w.tick && versionName(w.stands[key]) == version:
		m.dealt(w, i, "finds it locked", func(s *world) { s.workers[i].kept++ })
	default:
		m.dealt(w, i, "deletes a version", func(s *world) {
			m.erase(s, c.Key(), c.VersionID())
			s.workers[i].gone++
		})
		m.unclear(w, i, c)
	}
}

func (m *model) dealt(w *world, i int, what string, act func(s *world)) {
	m.try(w, workerNames[i], what, func(s *world) bool {
		act(s)
		s.workers[i].listing, s.workers[i].saw = false, 0
		return true
	})
}

// misreads are mistakes with a listing: what else S3 shows for a prefix.
func (m *model) misreads(s *world, wr Warrant, t Target) {
	if m.quirks.prefix {
		m.erase(s, wr.Folder()+"notes.txt", "v1")
	}
	if m.quirks.unchecked {
		m.erase(s, t.ObjectKey+"0", "v1") // 1/1 is a prefix of 1/10
	}
}

// unclear is a delete whose answer did not come: noted, then listed.
func (m *model) unclear(w *world, i int, c Condemned) {
	for _, done := range []bool{true, false} {
		m.try(w, workerNames[i], "deletes a version, outcome unclear", func(s *world) bool {
			if s.left.unclear == 0 {
				return false
			}
			s.left.unclear--
			if done {
				m.erase(s, c.Key(), c.VersionID())
			}
			x := &s.workers[i]
			if m.do(s, 0, Unclear{m.rec(x.claim).Fence}) != nil {
				*x = worker{}
				return true
			}
			x.claim, x.listing, x.saw = s.up[0], false, 0
			if x.pc == trimming {
				x.from.version = m.rec(s.up[0]).Version
			}
			return true
		})
	}
}
