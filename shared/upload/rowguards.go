package upload

import "time"

// Guards of one row each.
var (
	reserveValid = guard{"ids, bucket and counts are valid", ErrRefused, func(s *step) bool {
		e := s.event.(Reserve)
		return e.ID.Validate() == nil && ValidID("owner", e.Owner) == nil && ValidID("holder", e.Holder) == nil &&
			e.Bucket != "" && e.Declared >= 0 && e.Declared <= MaxDeclared && e.QuotaLimit >= 0 &&
			expectable(Manifest{}.declaring(1, e.Declared), 1, e.Expect) &&
			(e.HoldUntil.IsZero() || s.ahead(e.HoldUntil))
	}}
	adoptValid = guard{"it has a source and 1 to 1,000 exact versions of one bucket", ErrRefused, func(s *step) bool {
		e := s.event.(Adopt)
		if e.ID.Validate() != nil || e.Source == "" || len(e.Objects) == 0 || len(e.Objects) > MaxExplicit {
			return false
		}
		for _, o := range e.Objects {
			if o.Bucket == "" || o.Bucket != e.Objects[0].Bucket || o.Key == "" || o.VersionID == "" {
				return false
			}
		}
		return true
	}}
	leaseOverOrSameHolder = guard{"the lease is over, or the holder the same", ErrRefused, func(s *step) bool {
		e := s.event.(Acquire)
		return e.Holder != "" && (e.Holder == s.before.Holder || !s.before.LeaseUntil.After(s.now))
	}}
	declareBounded = guard{"at most 10,000 keys in each of 100 attempts are declared", ErrRefused, func(s *step) bool {
		e := s.event.(Declare)
		known := s.before.Manifest.attempt(e.Fence) != nil
		return e.Declared >= 0 && e.Declared <= MaxDeclared && (known || len(s.before.Manifest.Attempts) < MaxAttempts)
	}}
	multipartsDeclared = guard{"every multipart upload is of a declared key of this attempt", ErrRefused, func(s *step) bool {
		e := s.event.(Declare)
		declared := s.before.Manifest.declaring(e.Fence, e.Declared)
		for _, m := range e.Multiparts {
			if m.Attempt != e.Fence || m.UploadID == "" || !declared.declares(m.Key) {
				return false
			}
		}
		return true
	}}
	expectedOnce = guard{"what is expected is of a declared key of this attempt, and neither stated nor recorded otherwise", ErrRefused, func(s *step) bool {
		e := s.event.(Declare)
		return expectable(s.before.Manifest.declaring(e.Fence, e.Declared), e.Fence, e.Expect)
	}}
	objectExpected = guard{"the object is what was expected", ErrMismatch, func(s *step) bool {
		e := s.event.(RecordObject)
		o := s.before.Manifest.Object(Key{e.Fence, e.Seq})
		return o.VersionID != "" || o.Expected.Met(e.Size, e.Checksum)
	}}
	objectDeclared = guard{"the key was declared by this attempt, and the object has a version id", ErrRefused, func(s *step) bool {
		e := s.event.(RecordObject)
		return e.VersionID != "" && e.Size >= 0 && s.before.Manifest.declares(Key{e.Fence, e.Seq})
	}}
	everyListedKnown = guard{"every listed object has a version id", ErrRefused, func(s *step) bool {
		for _, k := range s.event.(Complete).List {
			if s.before.Manifest.Object(k).VersionID == "" {
				return false
			}
		}
		return true
	}}
	holdAhead = guard{"the hold lies ahead, or there is none", ErrRefused, func(s *step) bool {
		hold := s.event.(Complete).HoldUntil
		return hold.IsZero() || s.ahead(hold)
	}}
	ownerEqual = guard{"the owner is the record's", ErrRefused, func(s *step) bool {
		return s.event.(Release).Owner == s.before.Owner
	}}
	referenceValid = guard{"the reference has a source and an entity", ErrRefused, func(s *step) bool {
		ref := s.event.(AddReference).Reference
		return ValidID("source", ref.Source) == nil && ValidID("entity", ref.Entity) == nil
	}}
	hasReference = guard{"there is a live reference", ErrRefused, func(s *step) bool {
		return s.before.Refs > 0
	}}
	holdLater = guard{"the new hold is later than the old, and lies ahead", ErrRefused, func(s *step) bool {
		hold := s.event.(ExtendHold).HoldUntil
		return hold.After(s.before.HoldExpiresAt) && s.ahead(hold)
	}}
	everySupersededGone = guard{"every superseded object is gone, or retained for a reason", ErrRefused, func(s *step) bool {
		e := s.event.(Trim)
		return accounted(e.Gone, e.Retained, s.before.Manifest.superseded())
	}}
	trimmedKey = guard{"the key was declared, not listed, and already trimmed", ErrRefused, func(s *step) bool {
		k := s.event.(Resupersede).Key
		return s.before.Trimmed && s.before.Manifest.declares(k) && !s.before.Manifest.Listed(k)
	}}
	hasSuperseded = guard{"superseded objects are due some day", ErrRefused, func(s *step) bool {
		return !s.before.SupersededDueAt.IsZero()
	}}
	claimHeld = guard{"the claim was not given back", ErrFenceLost, func(s *step) bool {
		return s.before.Holder != ""
	}}
	progressMade = guard{"progress was made, within what was declared", ErrRefused, func(s *step) bool {
		e := s.event.(Continue)
		return e.Through > s.before.PurgedThrough && e.Through <= s.before.Manifest.declared()
	}}
	everyDeclaredGone = guard{"every declared object is gone, or retained for a reason", ErrRefused, func(s *step) bool {
		e := s.event.(Finish)
		return accounted(e.Gone, e.Retained, s.before.Manifest.declared()-s.before.PurgedThrough)
	}}
	wasAdopted = guard{"it was adopted", ErrRefused, func(s *step) bool {
		return s.before.Source != ""
	}}
	undeadOrReleased = guard{"a retention is over, or an object of it was seen", ErrRefused, func(s *step) bool {
		kept := s.before.Retained
		over := kept.Count > 0 && !kept.Until.IsZero() && !kept.Until.After(s.now)
		return over || s.event.(Reopen).Undead
	}}
)

// expectable reports whether the attempt may state these expectations: of keys
// that it declares, in one way only, and not otherwise than what is recorded.
func expectable(m Manifest, attempt int64, all []ExpectedObject) bool {
	said := make(map[int]Expected, len(all))
	for _, e := range all {
		k := Key{attempt, e.Seq}
		o := m.Object(k)
		before, known := said[e.Seq]
		if !known {
			before = o.Expected
		}
		recorded := o.VersionID != "" && !e.Met(o.Size, o.Checksum)
		if !m.declares(k) || !e.Stated || e.Size < 0 || recorded || before.Stated && before != e.Expected {
			return false
		}
		said[e.Seq] = e.Expected
	}
	return true
}

// tooFar is where instants end: what follows a hold must still be of four
// digits' years, and the largest time.Time is, in milliseconds, in the year 0.
var tooFar = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

// ahead reports whether a hold lies ahead, and where the ledger can keep it.
func (s *step) ahead(hold time.Time) bool { return hold.After(s.now) && hold.Before(tooFar) }

// accounted reports whether gone and retained make up the total, and what is
// retained has a reason.
func accounted(gone int64, kept Retained, total int64) bool {
	return gone >= 0 && kept.Count >= 0 && gone+kept.Count == total && (kept.Count == 0 || kept.Reason != "")
}
