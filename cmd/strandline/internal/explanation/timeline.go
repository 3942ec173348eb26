package explanation

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Moment is one instant of the upload's life: behind, or ahead.
type Moment struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// Timeline is what the record knows of the upload's life, in its order. What
// happened in between is in the audit trail.
func (f Facts) Timeline() []Moment {
	r := f.Record
	if r.Schema > upload.Schema {
		return nil
	}
	var all []Moment
	add := func(at time.Time, what string) {
		if !at.IsZero() {
			all = append(all, Moment{at.UTC(), what})
		}
	}
	add(reservedAt(r.ID), "reserved, by its id")
	add(r.LastActivityAt, "last activity of its writer")
	add(r.CompletedAt, "completed")
	add(r.ExpiredAt, "marked as expired")
	add(r.UncertainAt, "last outcome that was not known: what stands is listed again")
	add(r.ParkedAt, "parked")
	f.endings(add)
	if r.State == upload.StateDeleted && !r.TombstoneUntil.IsZero() {
		add(r.TombstoneUntil.Add(-f.Policy.TombstoneTTL), "deleted, by today's TombstoneTTL")
		add(r.TombstoneUntil, "its tombstone may be forgotten")
	}
	add(r.DueAt, "due: cleanup looks again")
	slices.SortStableFunc(all, func(a, b Moment) int { return cmp.Compare(a.At.UnixMilli(), b.At.UnixMilli()) })
	return all
}

// endings adds what ends or ended: leases, promises, delays.
func (f Facts) endings(add func(time.Time, string)) {
	r := f.Record
	if r.State == upload.StateDeleting {
		add(r.LeaseUntil, "the worker's claim ends")
	} else {
		add(r.LeaseUntil, "its writer's lease ends")
	}
	add(r.HoldExpiresAt, "its hold ends")
	add(r.DeadlineAt, "deadline: no put is allowed to land later")
	if !condemned(r.State) {
		add(r.SupersededDueAt, "what is superseded may go")
	}
	add(r.Retained.Until, "what is retained may go")
}

func condemned(s upload.State) bool { return s == upload.StateDeleting || s == upload.StateDeleted }

// reservedAt reads the instant out of an id that is a UUID of version 7, as
// intake's are; zero for any other.
func reservedAt(id upload.ID) time.Time {
	u, err := uuid.Parse(id.Upload)
	if err != nil || u.Version() != 7 {
		return time.Time{}
	}
	ms := int64(0)
	for _, b := range u[:6] {
		ms = ms<<8 | int64(b)
	}
	return time.UnixMilli(ms).UTC()
}
