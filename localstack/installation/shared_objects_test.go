package installation_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// TestSharedObjects plays what becomes of an object that several rows name, or
// that is referred to again while its release waits: on the memory adapters and
// over the wire, from the row to the bucket.
func TestSharedObjects(t *testing.T) {
	for _, p := range places() {
		for _, s := range []struct {
			name string
			run  func(t *testing.T, w *world, a *application)
		}{
			{"two rows have one object and one is deleted: it stays; the second is deleted: it goes", twoRowsOneObject},
			{"two rows have one object and both are deleted at once: it goes, and the second release finds it gone", bothRowsAtOnce},
			{"two rows have one upload and one is deleted: it stays; the second is deleted: it goes", twoRowsOneUpload},
			{"another row names an upload while its release waits: it is complete again, and goes with that row", rowNamesAReleasedUpload},
			{"a reference is added while the release waits: it lives", referenceWhileTheReleaseWaits},
			{"a reference is added between the look at the rows and the claim: it lives", referenceAfterTheLook},
			{"rows cannot be asked: kept, however often it is tried, and gone when they can", rowsCannotBeAsked},
			{"the table of the rows is gone: kept", tableIsGone},
			{"the gate is in report-only: releases are collected, and nothing goes until it says delete", gateInProduction},
		} {
			t.Run(p.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				table := "shared-" + strings.ToLower(rand.Text()[:12])
				w := p.make(t, usual(), photosIn(table), source.Source{Name: "orders"})
				s.run(t, w, newApplication(t, w, table))
				assertTrail(t, w.witness, w.records(t))
				assertQuota(t, w, w.records(t))
				w.log.assertFields(t)
				if w.log.mentions("pics/") || w.log.mentions("row-") {
					t.Error("a log line holds the key of an object or of a row")
				}
			})
		}
	}
}

const picture = "pics/shared.jpg"

// The worker asks the rows before it claims. Without the look the object goes
// with the first row, and the second shows nothing. If what a row names were
// kept for good, it would stay when both are gone.
func twoRowsOneObject(t *testing.T, w *world, a *application) {
	v := w.hands.write(t, picture, "one")
	beside := w.hands.write(t, "pics/other.jpg", "another")
	a.tell(t, a.put(t, "row-1", picture, v), a.put(t, "row-2", picture, v))
	a.tell(t, a.remove(t, "row-1"))
	w.purged(t, 1)
	w.wantOutcomes(t, "skipped: release dropped")
	w.wantStands(t, picture, v)
	w.purged(t, 0)
	a.tell(t, a.remove(t, "row-2"))
	w.purged(t, 1)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantAbsent(t, picture, v)
	w.wantStands(t, "pics/other.jpg", beside)
	w.wantEmptyQueue(t)
}

// Each row's end is a release of its own, and the second finds the object gone.
// Taken for a failure, it would be tried until it is parked, with an alarm.
func bothRowsAtOnce(t *testing.T, w *world, a *application) {
	v := w.hands.write(t, picture, "one")
	a.tell(t, a.put(t, "row-1", picture, v), a.put(t, "row-2", picture, v))
	a.tell(t, a.remove(t, "row-1"), a.remove(t, "row-2"))
	w.purged(t, 2)
	w.wantOutcomes(t, "deleted: cancelled", "deleted: cancelled")
	w.wantAbsent(t, picture, v)
	w.wantEmptyQueue(t)
}

// An upload that rows name by its own key is not released while one does.
// Without the relay's look it is cancelled, and gives its quota back, under the
// second row.
func twoRowsOneUpload(t *testing.T, w *world, a *application) {
	s := w.completed(t, 1, 0)
	key := s.Record().ObjectKey(s.Key(1))
	a.tell(t, a.put(t, "row-1", key, ""), a.put(t, "row-2", key, ""))
	w.Clock.Advance(time.Minute)
	a.tell(t, a.remove(t, "row-1"))
	w.wantState(t, s, upload.StateComplete)
	w.Clock.Advance(afterDeadline)
	w.purged(t, 0)
	w.wantStanding(t, s, 1)
	a.tell(t, a.remove(t, "row-2"))
	w.wantState(t, s, upload.StateCancelled)
	w.Clock.Advance(afterDeadline)
	w.purged(t, 1)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantStanding(t, s, 0)
}

// The only row of an upload is deleted, and within the wait another names it.
// Without the look before the claim its object goes under the row; if it were
// only kept, it would be due, and asked for, for as long as the row lives, and
// nobody would give it up when the row goes.
func rowNamesAReleasedUpload(t *testing.T, w *world, a *application) {
	s := w.completed(t, 1, 0)
	key := s.Record().ObjectKey(s.Key(1))
	a.tell(t, a.put(t, "row-1", key, ""))
	w.Clock.Advance(time.Minute)
	a.tell(t, a.remove(t, "row-1"))
	w.wantState(t, s, upload.StateCancelled)
	a.tell(t, a.put(t, "row-2", key, ""))
	w.Clock.Advance(afterDeadline)
	w.purged(t, 1)
	w.wantOutcomes(t, "skipped: reference added")
	if r := w.wantState(t, s, upload.StateComplete); r.Refs != 1 || !r.DueAt.IsZero() {
		t.Errorf("%d references, due %v", r.Refs, r.DueAt)
	}
	w.wantStanding(t, s, 1)
	w.Clock.Advance(day)
	w.purged(t, 0)
	a.tell(t, a.remove(t, "row-2"))
	w.wantState(t, s, upload.StateCancelled)
	w.Clock.Advance(afterDeadline)
	w.purged(t, 1)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantStanding(t, s, 0)
}

// An application that counts references in the ledger says so before the claim:
// the message is of an older version then.
func referenceWhileTheReleaseWaits(t *testing.T, w *world, a *application) {
	s := w.releasedByItsRow(t, a)
	must(t, w.app.AddReference(t.Context(), s.ID(), upload.Reference{Source: "pages", Entity: "p-7", Generation: 1}, quota))
	w.drain(t)
	w.wantOutcomes(t, "skipped: newer version")
	w.wantState(t, s, upload.StateComplete)
	w.wantStanding(t, s, 1)
}

// The claim is a write on the version of the record that the rows were asked
// about. Without its condition an answer that is true of a moment ago deletes
// what was referred to since.
func referenceAfterTheLook(t *testing.T, w *world, a *application) {
	s := w.releasedByItsRow(t, a)
	w.script.beforeWrite = on(upload.KindClaim, func() error {
		return w.app.AddReference(t.Context(), s.ID(), upload.Reference{Source: "pages", Entity: "p-7", Generation: 1}, quota)
	})
	w.drain(t)
	w.wantOutcomes(t, "skipped: newer version")
	w.wantState(t, s, upload.StateComplete)
	w.wantStanding(t, s, 1)
}

// A look that failed says nothing about rows. Taken for "no row", a throttled
// table loses what two rows have; counted as an attempt, a bad hour of it parks
// everything.
func rowsCannotBeAsked(t *testing.T, w *world, a *application) {
	v := w.hands.write(t, picture, "one")
	a.tell(t, a.put(t, "row-1", picture, v), a.remove(t, "row-1"))
	w.Clock.Advance(time.Hour)
	w.wantPass(t, "published 1")
	w.script.rows = func() error { return upload.ErrThrottled }
	batch := w.take(t, 1)
	for range w.Policy.MaxAttempts + 1 {
		if left := w.work(t, w.Installation, batch); left != 1 {
			t.Fatalf("%d messages are left", left)
		}
		w.wantStands(t, picture, v)
		batch = w.again(t, batch, 5*time.Minute)
	}
	for _, l := range w.log.take() {
		if l.outcome != "throttled" || l.hide <= 0 {
			t.Errorf("outcome %v, hidden %v", l, l.hide)
		}
	}
	w.script.clear()
	w.work(t, w.Installation, batch)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantAbsent(t, picture, v)
}

// Nobody knows what the rows of a table said that is not there any more, or is
// spelled wrong in the configuration.
func tableIsGone(t *testing.T, w *world, a *application) {
	v := w.hands.write(t, picture, "one")
	a.tell(t, a.put(t, "row-1", picture, v), a.remove(t, "row-1"))
	a.drop(t)
	w.purged(t, 1)
	for _, l := range w.log.take() {
		if l.outcome != "waiting" || !strings.HasPrefix(l.reason, "look up rows: ") {
			t.Errorf("outcome %v", l)
		}
	}
	w.wantStands(t, picture, v)
}

// Where nothing may be deleted yet, what rows give up is collected all the same:
// turned on, nothing was forgotten. Without the gate in the worker's slots, the
// message that waits in the queue deletes in report-only.
func gateInProduction(t *testing.T, w *world, a *application) {
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.ReportOnly))
	v := w.hands.write(t, picture, "one")
	s := w.completed(t, 1, 0)
	own := s.Record().ObjectKey(s.Key(1))
	a.tell(t, a.put(t, "row-1", picture, v), a.put(t, "row-2", own, ""))
	w.Clock.Advance(time.Minute)
	a.tell(t, a.remove(t, "row-1"), a.remove(t, "row-2"))
	w.wantState(t, s, upload.StateCancelled)
	w.Clock.Advance(afterDeadline)
	w.wantPass(t, "skipped: report-only 2")

	// Both were published before somebody turned it off.
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.Delete))
	w.wantPass(t, "published 2")
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.ReportOnly))
	batch := w.take(t, 2)
	if left := w.work(t, w.Installation, batch); left != 2 {
		t.Errorf("%d messages are left", left)
	}
	w.wantOutcomes(t, "closed: gate is closed", "closed: gate is closed")
	w.wantStands(t, picture, v)
	w.wantStanding(t, s, 1)

	must(t, w.Stores.Gate.SetMode(t.Context(), gate.Delete))
	w.work(t, w.Installation, w.again(t, batch, 20*time.Minute))
	w.wantOutcomes(t, "deleted: cancelled", "deleted: cancelled")
	w.wantAbsent(t, picture, v)
	w.wantStanding(t, s, 0)
}

// releasedByItsRow is an upload whose only row is deleted, and of which a pass
// has published the purge.
func (w *world) releasedByItsRow(t *testing.T, a *application) *intake.Session {
	t.Helper()
	s := w.completed(t, 1, 0)
	a.tell(t, a.put(t, "row-1", s.Record().ObjectKey(s.Key(1)), ""))
	w.Clock.Advance(time.Minute)
	a.tell(t, a.remove(t, "row-1"))
	w.Clock.Advance(afterDeadline)
	w.wantPass(t, "published 1")
	return s
}

// drop takes the whole table away.
func (a *application) drop(t *testing.T) {
	t.Helper()
	if a.client == nil {
		a.w.hands.(memoryHands).Tables.Drop(a.table)
		return
	}
	_, err := a.client.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String(a.table)})
	must(t, err)
}
