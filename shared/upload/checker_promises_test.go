package upload

// owed is what the owner of an upload was promised, kept from the events that
// were accepted, not from the record: the checker's own memory. Instants are
// zero where there is none.
type owed struct {
	lease, hold, deadline, activity minutes
	marked, givenUp, completed      minutes
	claimLease                      minutes
	ended                           int8 // highest fence whose generation is over
	listed                          uint8
	version                         [len(keys)]int8 // of each listed key
	stated                          [len(keys)]int8 // the size that was stated first of each key
	permanent, quota, began         bool
}

func (o *owed) encode(b []byte) []byte {
	for _, m := range []minutes{o.lease, o.hold, o.deadline, o.activity, o.marked, o.givenUp, o.completed, o.claimLease} {
		b = append(b, byte(m), byte(m>>8))
	}
	b = append(b, byte(o.ended), o.listed, bit(o.permanent), bit(o.quota), bit(o.began))
	for k := range keys {
		b = append(b, byte(o.version[k]), byte(o.stated[k]))
	}
	return b
}

// grace is what the protocol promises beyond an instant, in whole minutes.
const (
	activityGrace = hour
	secondGrace   = hour
	releaseGrace  = minutes(1)
)

// promised is invariant 12, and the promise of the zero policy.
func (m *model) promised(w *world, u int, c taken, e Event) {
	o, now := &w.owed[u], w.now()
	live := w.books.refLive != 0 && u == 0
	early := func(what string) { m.breaks("12", "%s before its %s was over", c.Event, what) }
	switch c.Event {
	case KindExpire, KindRepair:
		switch {
		case o.permanent:
			m.breaks("12", "%s of a permanent upload", c.Event)
		case o.hold != 0 && o.hold >= now:
			early("hold")
		case o.hold == 0 && o.deadline >= now:
			early("deadline")
		case o.activity+activityGrace >= now:
			early("activity grace")
		case o.lease > now:
			early("lease")
		case live:
			m.breaks("4", "%s under a live reference", c.Event)
		}
	case KindClaim:
		m.condemned(w, u, c)
	case KindReclaim:
		if o.claimLease > now {
			early("claim's lease")
		}
	case KindAcquire:
		if c.Before.Holder != e.(Acquire).Holder && o.lease > now {
			early("lease")
		}
	case KindTrim:
		m.mayTrim(w, u)
	case KindRelease:
		if e.(Release).Owner != owner {
			m.breaks("12", "somebody else's release condemned it")
		}
	}
	switch c.Event {
	case KindExpire, KindRepair, KindClaim, KindReclaim, KindTrim:
		if m.unsafe {
			m.breaks("§8", "%s under the zero policy", c.Event)
		}
	}
}

func (m *model) condemned(w *world, u int, c taken) {
	o, now := &w.owed[u], w.now()
	early := func(what string) { m.breaks("12", "claim before its %s was over", what) }
	switch {
	case u == 0 && w.books.refLive != 0:
		m.breaks("4", "claim under a live reference")
	case o.lease > now:
		early("lease")
	case o.deadline+releaseGrace >= now:
		early("deadline and release grace")
	case o.givenUp != 0 && o.givenUp+releaseGrace >= now:
		early("release grace")
	case o.givenUp != 0:
	case o.marked == 0:
		m.breaks("12", "claim of an upload that is not marked since its last activity")
	case o.marked+secondGrace > now:
		early("second grace")
	case o.hold >= now:
		early("hold")
	case o.activity+activityGrace >= now:
		early("activity grace")
	}
}

func (m *model) mayTrim(w *world, u int) {
	o := &w.owed[u]
	if o.completed == 0 || max(o.completed, o.deadline)+releaseGrace >= w.now() {
		m.breaks("12", "superseded objects condemned before the deadline and its grace were over")
	}
}

// published is invariant 15: what is published is what was stated of it, first,
// before anybody had a URL to put it by.
func (m *model) published(o *owed, c taken, e Complete) {
	for _, k := range e.List {
		got, stated := c.Before.Manifest.Object(k), o.stated[keyIndex(k)]
		if stated != 0 && (got.Size != int64(stated) || got.Checksum != theSum) {
			m.breaks("15", "%d/%d was published, %d bytes of %q where %d of %q were stated", k.Attempt, k.Seq, got.Size, got.Checksum, stated, theSum)
		}
	}
}

// expect notes what was stated of an attempt's keys; the first word counts.
func (o *owed) expect(attempt int64, all []ExpectedObject) {
	for _, e := range all {
		if k := keyIndex(Key{attempt, e.Seq}); o.stated[k] == 0 {
			o.stated[k] = int8(e.Size)
		}
	}
}

// remember notes what an accepted event promised, or ended.
func (o *owed) remember(w *world, c taken, e Event) {
	now := w.now()
	alive := func() { o.activity, o.marked = now, 0 }
	switch e := e.(type) {
	case Reserve:
		alive()
		o.began, o.lease = true, now+minutes(e.Lease.Minutes())
		o.expect(1, e.Expect)
		o.hold, o.deadline, o.quota = minutesOf(c.After.HoldExpiresAt), now+minutes(e.Deadline.Minutes()), e.QuotaLimit > 0
	case Acquire:
		alive()
		o.lease, o.ended = now+minutes(e.Lease.Minutes()), int8(c.Before.Fence)
		o.deadline = max(o.deadline, now+minutes(e.Deadline.Minutes()))
	case Renew:
		alive()
		o.lease = now + minutes(e.Lease.Minutes())
	case Declare:
		alive()
		o.expect(e.Fence, e.Expect)
	case Heartbeat, RecordObject, BeginAssembly:
		alive()
	case Complete:
		alive()
		o.lease, o.ended, o.completed = 0, int8(c.Before.Fence), now
		o.hold, o.permanent = minutesOf(instant(e.HoldUntil)), e.HoldUntil.IsZero()
		for _, k := range e.List {
			i := keyIndex(k)
			o.listed |= 1 << i
			o.version[i] = versionNumber(*c.Before, k)
		}
	case ExtendHold:
		o.hold, o.marked = max(o.hold, minutesOf(e.HoldUntil)), 0
	case Cancel, Release, Repair:
		o.givenUp, o.marked = now, 0
	case DropReference:
		if w.books.refLive == 0 {
			o.givenUp, o.marked = now, 0
		}
	case AddReference:
		if c.Before.State == StateCancelled {
			o.givenUp, o.hold, o.permanent = 0, 0, true
		}
	case Expire:
		o.marked = now
	case Claim, Reclaim:
		o.ended, o.claimLease = int8(c.Before.Fence), now+15
	case Continue, Retry, Finish:
		o.ended, o.claimLease = int8(c.Before.Fence), 0
	}
}
