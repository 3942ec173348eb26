package upload

import "time"

const (
	lease  = 15 * time.Minute
	greedy = 5 * tick // longer than MaxLease
)

// next emits every world that one step of one actor leads to.
func (m *model) next(w *world) {
	if m.sc.pair {
		m.pair(w)
		m.passTime(w)
		return
	}
	for i := range w.writers[:m.sc.writers] {
		m.writer(w, i)
	}
	m.landings(w)
	m.application(w)
	m.scheduler(w)
	for i := range w.workers[:m.sc.workers] {
		m.worker(w, i)
	}
	m.bystanders(w)
	m.passTime(w)
}

func (m *model) passTime(w *world) {
	m.try(w, "time", "ten minutes pass", func(s *world) bool {
		if !m.sc.tenPast || s.late != 0 {
			return false
		}
		s.late = 10
		return true
	})
	if w.tick >= m.sc.ticks {
		return
	}
	m.try(w, "time", "an hour passes", func(s *world) bool { s.pass(); return true })
}

// pass moves time on. A put that has not landed by its deadline never does.
func (w *world) pass() {
	w.tick++
	w.late = 0
	for k := range w.flight {
		if w.flight[k] != 0 && w.flight[k] < w.tick {
			w.flight[k] = 0
		}
	}
}

// writer acts with the fence it was given, whether or not it still is one: a
// stale writer does all that a writer does.
func (m *model) writer(w *world, i int) {
	who, x := writerNames[i], w.writers[i]
	fence := int64(x.fence)
	if x.fence == 0 {
		m.acquire(w, i)
		return
	}
	send := func(what string, e Event, cost *int8) {
		m.try(w, who, what, func(s *world) bool {
			before := s.up[0]
			return m.do(s, 0, e) == nil && s.up[0] != before && pay(s, w, cost)
		})
	}
	send("heartbeat", Heartbeat{fence}, &w.left.beats)
	send("renew", Renew{fence, lease}, &w.left.beats)
	send("renew for five hours", Renew{fence, greedy}, &w.left.beats)
	if m.sc.assembly {
		send("begin assembly", BeginAssembly{fence}, nil)
	}
	m.try(w, who, "declare", func(s *world) bool {
		if x.declared {
			return false
		}
		if m.do(s, 0, Declare{Fence: fence, Declared: m.sc.declared, Expect: m.sc.stated(1)}) != nil {
			return false
		}
		s.writers[i].declared = true
		return true
	})
	send("declare again", Declare{Fence: fence, Declared: m.sc.declared, Expect: m.sc.stated(1)}, &w.left.beats)
	if m.sc.expects {
		send("state otherwise", Declare{Fence: fence, Declared: m.sc.declared, Expect: m.sc.stated(2)}, nil)
	}
	m.putAndRecord(w, i, send)
	m.complete(w, i)
	if m.sc.cancels {
		send("cancel", Cancel{fence, "given up"}, nil)
	}
	m.acquire(w, i)
}

// pay takes one of an allowance that the original world holds from the branch.
func pay(s, w *world, cost *int8) bool {
	if cost == nil {
		return true
	}
	if *cost == 0 {
		return false
	}
	switch cost {
	case &w.left.beats:
		s.left.beats--
	case &w.left.releases:
		s.left.releases--
	}
	return true
}

func (m *model) acquire(w *world, i int) {
	if w.left.acquires == 0 {
		return
	}
	for _, asked := range []time.Duration{lease, greedy} {
		m.try(w, writerNames[i], "acquire", func(s *world) bool {
			if m.do(s, 0, Acquire{writerNames[i], asked, m.sc.deadline}) != nil {
				return false
			}
			s.left.acquires--
			s.writers[i] = writer{fence: int8(m.rec(s.up[0]).Fence), deadline: s.now() + minutes(m.sc.deadline.Minutes())}
			return true
		})
	}
}

func (m *model) putAndRecord(w *world, i int, send func(string, Event, *int8)) {
	x := w.writers[i]
	for k, key := range keys {
		if key.Attempt != int64(x.fence) || !x.declared || key.Seq > m.sc.declared {
			continue
		}
		m.try(w, writerNames[i], "send a put", func(s *world) bool {
			if s.flight[k] != 0 || s.made[k] >= m.sc.versions || s.now() > x.deadline {
				return false
			}
			s.flight[k] = int8(x.deadline / hour)
			return true
		})
		if w.made[k] > 0 {
			came := RecordObject{Fence: int64(x.fence), Seq: key.Seq, VersionID: versionName(w.made[k]), Size: 1, Checksum: theSum}
			send("record", came, nil)
			if m.sc.expects {
				m.recordAnother(came, send)
			}
		}
	}
}

// recordAnother is whoever found under the key what its URL was not signed for.
func (m *model) recordAnother(came RecordObject, send func(string, Event, *int8)) {
	longer, other := came, came
	longer.Size, other.Checksum = 2, "another"
	send("record a longer object", longer, nil)
	send("record another object", other, nil)
}

// complete lists all that is recorded, only the writer's own, or (what no
// writer may) a key that is not.
func (m *model) complete(w *world, i int) {
	if m.sc.noComplete || w.up[0] == 0 {
		return
	}
	fence, man := int64(w.writers[i].fence), m.rec(w.up[0]).Manifest
	var all, own, torn []Key
	for _, k := range keys {
		switch known := man.Object(k).VersionID != ""; {
		case known && k.Attempt == fence:
			all, own = append(all, k), append(own, k)
		case known:
			all = append(all, k)
		case man.declares(k):
			torn = append(torn, k)
		}
	}
	lists := [][]Key{all, own}
	if len(all) == len(own) {
		lists = lists[:1]
	}
	if len(torn) > 0 {
		lists = append(lists, torn[:1])
	}
	for _, list := range lists {
		m.completeList(w, i, Complete{Fence: fence, List: list, HoldUntil: m.holdAhead(w)})
	}
}

func (m *model) holdAhead(w *world) time.Time {
	if m.sc.hold == 0 {
		return time.Time{}
	}
	return (w.now() + m.sc.hold).instant()
}

func (m *model) completeList(w *world, i int, e Complete) {
	if len(e.List) == 0 {
		return
	}
	m.try(w, writerNames[i], "complete", func(s *world) bool {
		if m.do(s, 0, e) != nil {
			return false
		}
		s.writers[i].fence = int8(m.rec(s.up[0]).Fence)
		return true
	})
	m.try(w, writerNames[i], "complete, answer lost", func(s *world) bool {
		if s.left.lost == 0 || m.do(s, 0, e) != nil {
			return false
		}
		s.left.lost--
		return true
	})
}

func (m *model) landings(w *world) {
	for k := range keys {
		if w.flight[k] != 0 {
			m.try(w, "store", "a put lands", func(s *world) bool { s.land(k); return true })
		}
		if w.left.rogue > 0 && w.stands[k] == 0 && w.owed[0].deadline < w.now() && w.up[0] != 0 && m.rec(w.up[0]).Manifest.declares(keys[k]) {
			m.try(w, "store", "a put lands that nobody should have sent", func(s *world) bool {
				s.left.rogue--
				s.made[k]++
				s.stands[k], s.books.rogueHit = s.made[k], true
				return true
			})
		}
	}
}

// land writes a version, unless one stands (If-None-Match: *).
func (w *world) land(k int) {
	if w.stands[k] == 0 {
		w.made[k]++
		w.stands[k] = w.made[k]
	}
	w.flight[k] = 0
}

func (m *model) application(w *world) {
	send := func(what string, e Event, cost func(s *world) *int8) {
		m.try(w, "application", what, func(s *world) bool {
			before := s.up[0]
			left := cost(s)
			if *left == 0 || m.do(s, 0, e) != nil || s.up[0] == before {
				return false
			}
			*left--
			return true
		})
	}
	releases := func(s *world) *int8 { return &s.left.releases }
	send("release", Release{owner, "not needed"}, releases)
	send("release of another owner's upload", Release{stranger, "mistaken"}, releases)
	for _, r := range references {
		send("add reference", AddReference{Reference: r}, func(s *world) *int8 { return &s.left.adds })
		send("drop reference", DropReference{r}, func(s *world) *int8 { return &s.left.drops })
	}
	m.extend(w)
}

func (m *model) extend(w *world) {
	for _, ahead := range []minutes{hour, 2 * hour} {
		m.try(w, "application", "extend hold", func(s *world) bool {
			if s.left.extends == 0 {
				return false
			}
			before := s.up[0]
			if err := m.do(s, 0, ExtendHold{(s.now() + ahead).instant()}); err != nil {
				return m.extendedWhileWaiting(s)
			}
			s.left.extends--
			return s.up[0] != before
		})
	}
}

// extendedWhileWaiting: a hold that is extended while the worker waits for its
// slot wins.
func (m *model) extendedWhileWaiting(s *world) bool {
	for i := range s.workers {
		if s.workers[i].pc == waiting && s.workers[i].claim != 0 && s.workers[i].claim == s.up[0] {
			m.breaks("12", "a hold could not be extended while the worker waited for its slot")
			return true
		}
	}
	return false
}

// bystanders are the reconciler, which looks for what should not stand, and
// the operator, who lets a parked purge go on.
func (m *model) bystanders(w *world) {
	if w.up[0] == 0 {
		return
	}
	m.try(w, "reconciler", "reports what stands and should not", func(s *world) bool { return m.reconcile(s) })
	m.try(w, "operator", "withdraws", func(s *world) bool {
		before := s.up[0]
		return m.do(s, 0, Withdraw{Reason: "mistaken"}) == nil && s.up[0] != before
	})
	m.try(w, "operator", "unpark", func(s *world) bool {
		return m.rec(s.up[0]).State == StateDeleting && !m.rec(s.up[0]).ParkedAt.IsZero() && m.do(s, 0, Unpark{}) == nil
	})
}

func (m *model) reconcile(s *world) bool {
	r := m.rec(s.up[0])
	if !s.books.rogueHit {
		return false
	}
	for k, key := range keys {
		if s.stands[k] == 0 || !r.Manifest.declares(key) {
			continue
		}
		var e Event
		switch {
		case r.State == StateDeleted:
			e = Reopen{Undead: true}
		case r.State == StateComplete && !r.Manifest.Listed(key):
			e = Resupersede{Key: key}
		default:
			continue
		}
		before := s.up[0]
		if m.do(s, 0, e) == nil && s.up[0] != before {
			s.books.rogueHit = false
			return true
		}
	}
	return false
}

// pair is the owner with two uploads and one place: reservations race, and
// everything that gives a place back is done at once.
func (m *model) pair(w *world) {
	for u, id := range checkedID {
		send := func(what string, e Event) {
			m.try(w, "owner", what+" of "+id.Upload, func(s *world) bool {
				before := s.up[u]
				return m.do(s, u, e) == nil && s.up[u] != before
			})
		}
		asked := reserveFor(id, m.sc)
		send("reserve", asked)
		asked.Lease = greedy
		send("reserve for five hours", asked)
		if w.up[u] == 0 {
			continue
		}
		r := m.rec(w.up[u])
		send("cancel", Cancel{r.Fence, "given up"})
		send("release", Release{owner, "not needed"})
		send("complete", Complete{Fence: r.Fence, HoldUntil: m.holdAhead(w)})
		if u == 0 && w.left.revivals > 0 {
			m.try(w, "owner", "revive", func(s *world) bool {
				s.left.revivals--
				return m.do(s, 0, AddReference{Reference: references[0], QuotaLimit: quotaLimit}) == nil
			})
			send("drop", DropReference{references[0]})
		}
		m.try(w, "pass", "decide and execute", func(s *world) bool { return m.passOver(s, u) })
	}
}

func reserveFor(id ID, sc *scenario) Reserve {
	e := Reserve{
		ID: id, Owner: owner, Holder: writerNames[0], Lease: lease, Deadline: sc.deadline,
		Bucket: "b", Declared: sc.declared, Expect: sc.stated(1),
	}
	if sc.pair {
		e.QuotaLimit, e.ContentHash = quotaLimit, "sha"
	}
	if sc.reserveHold != 0 {
		e.HoldUntil = (hour + sc.reserveHold).instant()
	}
	return e
}
