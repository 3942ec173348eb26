package upload

import (
	"strings"
	"time"
)

// spoiler makes an example one that a single guard refuses.
type spoiler func(x *example)

// spoilersOf finds a guard's examples: those of the row, else those that every
// row with the guard shares.
func spoilersOf(row, guard string) []spoiler {
	if own, ok := spoilers[row+": "+guard]; ok {
		return own
	}
	return spoilers[guard]
}

func record(change func(r *Record)) spoiler { return func(x *example) { change(&x.r) } }

func event[E Event](change func(e *E)) spoiler {
	return func(x *example) {
		e := x.e.(E)
		change(&e)
		x.e = e
	}
}

const millisecond = time.Millisecond

// spoilers are written as "the least that is wrong": a bound is missed by the
// smallest step, in the direction that would delete too early.
var spoilers = map[string][]spoiler{
	"the fence is the record's": {
		record(func(r *Record) { r.Fence++ }),
		record(func(r *Record) { r.Fence-- }),
	},
	"the version is the one the command saw": {
		record(func(r *Record) { r.Version++ }),
		record(func(r *Record) { r.Version-- }),
	},
	"the cutoff is a safety margin ago": {
		cutoffAt(ripe.Add(millisecond)),
		cutoffAt(noon.Add(24 * time.Hour)),
	},
	"the policy is at or above its floors": {
		func(x *example) { x.p.SecondGrace = time.Hour - 1 },
		func(x *example) { x.p.ReleaseGrace = time.Minute - 1 },
	},
	"the lease is over":          {record(func(r *Record) { r.LeaseUntil = noon.Add(millisecond) })},
	"there is no live reference": {record(func(r *Record) { r.Refs = 1 })},
	"it was receiving or is not marked": {
		record(func(r *Record) { *r = marked(*r, StateComplete) }),
	},
	"there is a hold":                 {record(func(r *Record) { r.HoldExpiresAt = time.Time{} })},
	"there is no hold":                {record(func(r *Record) { r.HoldExpiresAt = old })},
	"the hold was over at the cutoff": {record(func(r *Record) { r.HoldExpiresAt = ripe })},
	"the activity grace was over at the cutoff": {
		func(x *example) { x.r.LastActivityAt = ripe.Add(-x.p.ActivityGrace) },
	},
	"the deadline was over at the cutoff": {record(func(r *Record) { r.DeadlineAt = ripe })},
	"the deadline and the release grace were over at the cutoff": {
		func(x *example) { x.r.DeadlineAt = ripe.Add(-x.p.ReleaseGrace) },
	},
	"the second grace was over at the cutoff": {
		func(x *example) { x.r.ExpiredAt = ripe.Add(-x.p.SecondGrace + millisecond) },
	},
	"it was due at the cutoff": {
		record(func(r *Record) { r.DueAt = ripe.Add(millisecond) }),
		record(func(r *Record) { r.DueAt = time.Time{} }),
	},
	"superseded objects were due at the cutoff": {
		record(func(r *Record) { r.SupersededDueAt = ripe.Add(millisecond) }),
		record(func(r *Record) { r.SupersededDueAt = time.Time{} }),
	},
	"it is not parked":                           {record(func(r *Record) { r.ParkedAt = old })},
	"it has a due":                               {record(func(r *Record) { r.DueAt = time.Time{} })},
	"it is not eligible yet":                     {record(func(r *Record) { r.LastActivityAt, r.DueAt = old, old.Add(-time.Hour) })},
	"it can only be eligible later than its due": {record(func(r *Record) { r.DueAt = noon.Add(90 * 24 * time.Hour) })},
	"it was complete before":                     {record(func(r *Record) { r.CompletedAt = time.Time{} })},
	"there is a live reference":                  {record(func(r *Record) { r.Refs = 0 })},
	"the claim was not given back":               {record(func(r *Record) { r.Holder = "" })},
	"superseded objects are due some day":        {record(func(r *Record) { r.SupersededDueAt = time.Time{} })},

	"the lease is positive and at most MaxLease": {lease1(0), lease1(-1), lease1(15*time.Minute + 1)},
	"the deadline is positive":                   {deadline1(-1)},
	"the lease is over, or the holder the same": {
		record(func(r *Record) { *r = leased(*r) }),
		event(func(e *Acquire) { e.Holder = "" }),
	},
	"ids, bucket and counts are valid": {
		event(func(e *Reserve) { e.ID.Tenant = "" }),
		event(func(e *Reserve) { e.ID.Upload = strings.Repeat("u", MaxIDBytes+1) }),
		event(func(e *Reserve) { e.Owner = "a\x00b" }),
		event(func(e *Reserve) { e.Holder = "" }),
		event(func(e *Reserve) { e.Bucket = "" }),
		event(func(e *Reserve) { e.Declared = -1 }),
		event(func(e *Reserve) { e.Declared = MaxDeclared + 1 }),
		event(func(e *Reserve) { e.QuotaLimit = -1 }),
		event(func(e *Reserve) { e.HoldUntil = noon }),
		event(func(e *Reserve) { e.HoldUntil = tooFar }),
	},
	"it has a source and 1 to 1,000 exact versions of one bucket": {
		event(func(e *Adopt) { e.ID.Upload = "" }),
		event(func(e *Adopt) { e.Source = "" }),
		event(func(e *Adopt) { e.Objects = tooMany() }),
		event(func(e *Adopt) { e.Objects = []Explicit{{Bucket: "", Key: "k", VersionID: "v"}} }),
		event(func(e *Adopt) { e.Objects = append(e.Objects[:1:1], Explicit{Bucket: "c", Key: "k", VersionID: "v"}) }),
		event(func(e *Adopt) { e.Objects = []Explicit{{Bucket: "b", VersionID: "v"}} }),
		event(func(e *Adopt) { e.Objects = []Explicit{{Bucket: "b", Key: "k"}} }),
	},
	"at most 10,000 keys in each of 100 attempts are declared": {
		event(func(e *Declare) { e.Declared = MaxDeclared + 1 }),
		event(func(e *Declare) { e.Declared, e.Multiparts = -1, nil }),
		func(x *example) {
			x.r.Manifest = Manifest{}
			for n := int64(1000); n < 1000+MaxAttempts; n++ {
				x.r.Manifest.Attempts = append(x.r.Manifest.Attempts, Attempt{Number: n, Declared: 1})
			}
		},
	},
	"every multipart upload is of a declared key of this attempt": {
		event(func(e *Declare) { e.Multiparts = []Multipart{{Key{3, 5}, "m"}} }),
		event(func(e *Declare) { e.Multiparts = []Multipart{{Key{2, 1}, "m"}} }),
		event(func(e *Declare) { e.Multiparts = []Multipart{{Key{3, 1}, ""}} }),
	},
	"what is expected is of a declared key of this attempt, and neither stated nor recorded otherwise": {
		event(func(e *Declare) { e.Expect = []ExpectedObject{{5, Expected{true, 1, ""}}} }),
		event(func(e *Declare) { e.Expect = []ExpectedObject{{0, Expected{true, 1, ""}}} }),
		event(func(e *Declare) { e.Expect = []ExpectedObject{{4, Expected{true, -1, ""}}} }),
		event(func(e *Declare) { e.Expect = []ExpectedObject{{4, Expected{false, 1, ""}}} }),
		func(x *example) {
			x.r.Manifest = x.r.Manifest.declaring(3, 4).expecting(3, []ExpectedObject{{4, Expected{true, 1, "a"}}})
			x.e = Declare{Fence: 3, Declared: 4, Expect: []ExpectedObject{{4, Expected{true, 1, "b"}}}}
		},
		event(func(e *Declare) {
			e.Expect = []ExpectedObject{{4, Expected{true, 1, "a"}}, {4, Expected{true, 1, "b"}}}
		}),
		func(x *example) {
			x.r.Manifest = x.r.Manifest.with(Object{Key: Key{3, 4}, VersionID: "v", Size: 1, Checksum: "a"})
			x.e = Declare{Fence: 3, Declared: 4, Expect: []ExpectedObject{{4, Expected{true, 1, "b"}}}}
		},
	},
	"the object is what was expected": {
		func(x *example) {
			x.r.Manifest = x.r.Manifest.expecting(3, []ExpectedObject{{2, Expected{true, 1, ""}}})
		},
		func(x *example) {
			x.r.Manifest = x.r.Manifest.expecting(3, []ExpectedObject{{2, Expected{true, 0, "a"}}})
		},
	},
	"the key was declared by this attempt, and the object has a version id": {
		event(func(e *RecordObject) { e.Seq = 3 }),
		event(func(e *RecordObject) { e.Seq = 0 }),
		event(func(e *RecordObject) { e.VersionID = "" }),
		event(func(e *RecordObject) { e.Size = -1 }),
	},
	"every listed object has a version id": {
		event(func(e *Complete) { e.List = []Key{{3, 1}, {3, 2}} }),
	},
	"the hold lies ahead, or there is none": {
		event(func(e *Complete) { e.HoldUntil = noon }),
		event(func(e *Complete) { e.HoldUntil = tooFar }),
	},
	"the owner is the record's": {event(func(e *Release) { e.Owner = "p" })},
	"the reference has a source and an entity": {
		event(func(e *AddReference) { e.Reference.Source = "" }),
		event(func(e *AddReference) { e.Reference.Entity = "" }),
	},
	"the new hold is later than the old, and lies ahead": {
		record(func(r *Record) { r.HoldExpiresAt = noon.Add(2 * time.Hour) }),
		event(func(e *ExtendHold) { e.HoldUntil = noon }),
		event(func(e *ExtendHold) { e.HoldUntil = tooFar }),
	},
	"every superseded object is gone, or retained for a reason": {
		event(func(e *Trim) { e.Gone = 0 }),
		event(func(e *Trim) { e.Gone, e.Retained = 0, Retained{Count: 1} }),
		event(func(e *Trim) { e.Gone, e.Retained = 2, Retained{Count: -1, Reason: "r"} }),
	},
	"the key was declared, not listed, and already trimmed": {
		event(func(e *Resupersede) { e.Key = Key{3, 1} }),
		event(func(e *Resupersede) { e.Key = Key{3, 3} }),
		record(func(r *Record) { r.Trimmed = false }),
	},
	"progress was made, within what was declared": {
		record(func(r *Record) { r.PurgedThrough = 1 }),
		event(func(e *Continue) { e.Through = 3 }),
	},
	"every declared object is gone, or retained for a reason": {
		event(func(e *Finish) { e.Gone = 1 }),
		event(func(e *Finish) { e.Gone, e.Retained = 1, Retained{Count: 1} }),
		record(func(r *Record) { r.PurgedThrough = 1 }),
	},
	"it was adopted": {
		record(func(r *Record) { r.Source = "" }),
	},
	"a retention is over, or an object of it was seen": {
		record(func(r *Record) { r.Retained.Until = noon.Add(millisecond) }),
		record(func(r *Record) { r.Retained.Until = time.Time{} }),
		record(func(r *Record) { r.Retained = Retained{} }),
	},
}

func cutoffAt(at time.Time) spoiler {
	return func(x *example) {
		switch e := x.e.(type) {
		case Repair:
			e.Cutoff = at
			x.e = e
		case Expire:
			e.Cutoff = at
			x.e = e
		case Claim:
			e.Cutoff = at
			x.e = e
		case Trim:
			e.Cutoff = at
			x.e = e
		}
	}
}

func lease1(d time.Duration) spoiler {
	return func(x *example) {
		switch e := x.e.(type) {
		case Reserve:
			e.Lease = d
			x.e = e
		case Acquire:
			e.Lease = d
			x.e = e
		case Renew:
			e.Lease = d
			x.e = e
		}
	}
}

func deadline1(d time.Duration) spoiler {
	return func(x *example) {
		switch e := x.e.(type) {
		case Reserve:
			e.Deadline = d
			x.e = e
		case Acquire:
			e.Deadline = d
			x.e = e
		}
	}
}

func tooMany() []Explicit {
	all := make([]Explicit, MaxExplicit+1)
	for i := range all {
		all[i] = Explicit{Bucket: "b", Key: "k", VersionID: "v"}
	}
	return all
}
