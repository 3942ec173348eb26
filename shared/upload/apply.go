package upload

import (
	"slices"
	"time"
)

// active notes the writer's activity: it clears a mark. It never moves back,
// whatever the clock of this writer's server shows. DueAt stays; the pass moves
// it.
func (s *step) active() {
	s.record.LastActivityAt = later(s.record.LastActivityAt, s.now)
	s.unmark()
}

func (s *step) unmark() {
	if s.record.State == StateExpired {
		s.record.State = s.record.MarkedFrom
	}
	s.record.MarkedFrom = StateNone
	s.record.ExpiredAt = time.Time{}
}

// recount derives what the upload holds from its manifest.
func (s *step) recount() {
	m := s.record.Manifest
	s.record.Objects, s.record.Bytes = m.declared(), 0
	if s.record.Trimmed {
		s.record.Objects -= m.superseded()
	}
	for _, o := range m.Objects {
		if !s.record.Trimmed || m.Listed(o.Key) {
			s.record.Bytes += o.Size
		}
	}
	for _, o := range m.Explicit {
		s.record.Bytes += o.Size
	}
}

func applyReserve(s *step) {
	e := s.event.(Reserve)
	*s.record = Record{
		ID: e.ID, State: StateReceiving, Fence: 1,
		Holder: e.Holder, LeaseUntil: s.now.Add(e.Lease),
		HoldExpiresAt: instant(e.HoldUntil), DeadlineAt: s.now.Add(deadlineAsked(s)), LastActivityAt: s.now,
		Bucket: e.Bucket, Prefix: e.Prefix, Owner: e.Owner, ContentHash: e.ContentHash, ByEvents: e.ByEvents,
	}
	s.record.DueAt = s.record.HoldExpiresAt
	if s.record.DueAt.IsZero() {
		s.record.DueAt = s.record.DeadlineAt.Add(s.policy.ActivityGrace)
	}
	if e.Declared > 0 {
		s.record.Manifest = s.record.Manifest.declaring(1, e.Declared).expecting(1, e.Expect)
	}
	s.recount()
	s.takeBack(e.QuotaLimit)
	if e.IdempotencyKey != "" {
		s.effects = append(s.effects, TakeKey{
			Tenant: e.ID.Tenant, Owner: e.Owner, Key: e.IdempotencyKey,
			RequestDigest: e.RequestDigest, Upload: e.ID.Upload, Expires: instant(e.KeyExpires),
		})
	}
}

// takeBack takes quota, if one is kept, and the content hash, if there is one.
func (s *step) takeBack(limit int64) {
	r := s.record
	if limit > 0 {
		r.QuotaHeld = true
		s.effects = append(s.effects, TakeQuota{Tenant: r.Tenant, Owner: r.Owner, Limit: limit})
	}
	if r.ContentHash != "" {
		r.HashHeld = true
		s.effects = append(s.effects, TakeHash{Tenant: r.Tenant, Owner: r.Owner, Hash: r.ContentHash, Upload: r.Upload})
	}
}

// giveBack gives back what is held, exactly once.
func (s *step) giveBack() {
	r := s.record
	if r.QuotaHeld {
		r.QuotaHeld = false
		s.effects = append(s.effects, GiveQuota{Tenant: r.Tenant, Owner: r.Owner})
	}
	if r.HashHeld {
		r.HashHeld = false
		s.effects = append(s.effects, FreeHash{Tenant: r.Tenant, Owner: r.Owner, Hash: r.ContentHash, Upload: r.Upload})
	}
}

func applyAdopt(s *step) {
	e := s.event.(Adopt)
	grace := s.policy.ReleaseGrace
	if e.Orphan {
		grace = s.policy.QuarantineFor
	}
	*s.record = Record{
		ID: e.ID, State: StateCancelled, Source: e.Source, Reason: "adopted",
		Bucket: e.Objects[0].Bucket, DueAt: s.now.Add(grace),
		Manifest: Manifest{Explicit: slices.Clone(e.Objects)},
	}
	s.recount()
}

func applyAcquire(s *step) {
	e := s.event.(Acquire)
	s.active()
	s.record.Fence++
	s.record.Holder = e.Holder
	s.record.LeaseUntil = s.now.Add(e.Lease)
	s.record.DeadlineAt = later(s.record.DeadlineAt, s.now.Add(deadlineAsked(s)))
}

func applyRenew(s *step) {
	s.active()
	s.record.LeaseUntil = s.now.Add(s.event.(Renew).Lease)
}

func applyDeclare(s *step) {
	e := s.event.(Declare)
	s.active()
	m := s.record.Manifest.declaring(e.Fence, e.Declared).expecting(e.Fence, e.Expect)
	for _, part := range e.Multiparts {
		o := m.Object(part.Key)
		if !slices.Contains(o.Multiparts, part.UploadID) {
			o.Multiparts = append(slices.Clone(o.Multiparts), part.UploadID)
			m = m.with(o)
		}
	}
	s.record.Manifest = m
	s.recount()
}

func applyRecordObject(s *step) {
	e := s.event.(RecordObject)
	s.active()
	o := s.record.Manifest.Object(Key{e.Fence, e.Seq})
	if o.VersionID != "" {
		return // a key's first version wins
	}
	o.VersionID, o.Size, o.ETag, o.Checksum = e.VersionID, e.Size, e.ETag, e.Checksum
	s.record.Manifest = s.record.Manifest.with(o)
	s.recount()
}

func applyComplete(s *step) {
	e := s.event.(Complete)
	r := s.record
	s.active()
	r.State = StateComplete
	r.Fence++
	r.Holder, r.LeaseUntil = "", time.Time{}
	r.CompletedAt = s.now
	r.HoldExpiresAt = instant(e.HoldUntil)
	r.Manifest = r.Manifest.listing(e.List)
	r.SupersededDueAt = time.Time{}
	if r.Manifest.superseded() > 0 {
		r.SupersededDueAt = s.releaseDue()
	}
	r.DueAt = earlier(r.SupersededDueAt, r.HoldExpiresAt)
	s.recount()
}

// releaseDue is when what is given up now may go: no put that was allowed can
// land after it.
func (s *step) releaseDue() time.Time {
	return later(s.now, s.record.DeadlineAt).Add(s.policy.ReleaseGrace)
}

func (s *step) cancel(reason string) {
	s.record.State = StateCancelled
	s.record.Reason = reason
	s.record.MarkedFrom, s.record.ExpiredAt = StateNone, time.Time{}
	s.record.DueAt = s.releaseDue()
	s.giveBack()
}

func (s *step) addReference(ref Reference) {
	s.record.Refs++
	s.effects = append(s.effects, PutReference{ID: s.record.ID, Reference: ref, At: s.now})
}

func applyRevive(s *step) {
	e := s.event.(AddReference)
	r := s.record
	r.State, r.Reason = StateComplete, ""
	r.HoldExpiresAt = time.Time{}
	r.DueAt = time.Time{}
	if !r.SupersededDueAt.IsZero() {
		r.DueAt = later(r.SupersededDueAt, s.now)
	}
	s.takeBack(e.QuotaLimit)
	s.addReference(e.Reference)
}

func applyDropReference(s *step) {
	s.record.Refs--
	s.effects = append(s.effects, BuryReference{ID: s.record.ID, Reference: s.event.(DropReference).Reference})
	if s.record.Refs == 0 {
		s.cancel("last reference dropped")
	}
}

func applyExtendHold(s *step) {
	s.unmark()
	s.record.HoldExpiresAt = instant(s.event.(ExtendHold).HoldUntil)
}
