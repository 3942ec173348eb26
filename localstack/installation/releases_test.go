package installation_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// TestReleases plays what an application's database gives up, from the row to
// the bucket: on the memory adapters and over the wire, through the functions'
// own handlers.
func TestReleases(t *testing.T) {
	for _, p := range places() {
		for _, s := range []struct {
			name string
			run  func(t *testing.T, w *world, a *application)
		}{
			{"a row is deleted and comes back within the grace: its object stays, and goes when the row does", rowComesBack},
			{"a row comes back under the key of its old object: that goes, the new one stays", keyIsWrittenAgain},
			{"a row's object is replaced twice and the first comes back, told of twice and in the wrong order: that stays", replacedTwice},
			{"a cascade with poison in its midst: everything goes, and the poison is parked", cascade},
			{"messages of an outbox come twice: collected in report-only, deleted when the gate says so", messagesTwice},
			{"a late record of a row that came back: its new reference keeps the upload", lateRecord},
		} {
			t.Run(p.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				table := "photos-" + strings.ToLower(rand.Text()[:12])
				w := p.make(t, usual(), photosIn(table), source.Source{Name: "orders"})
				s.run(t, w, newApplication(t, w, table))
			})
		}
	}
}

// The worker asks the rows before it claims. Without that the row that came back
// names an object that is gone.
func rowComesBack(t *testing.T, w *world, a *application) {
	v := w.hands.write(t, "pics/1.jpg", "one")
	a.tell(t, a.put(t, "row-1", "pics/1.jpg", v))
	a.tell(t, a.remove(t, "row-1"))
	a.tell(t, a.put(t, "row-1", "pics/1.jpg", v))
	w.purged(t, 1)
	w.wantOutcomes(t, "skipped: release dropped")
	w.wantStands(t, "pics/1.jpg", v)
	w.purged(t, 0)
	a.tell(t, a.remove(t, "row-1"))
	w.purged(t, 1)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantAbsent(t, "pics/1.jpg", v)
}

// The row names no version: what was written after it went is not meant.
func keyIsWrittenAgain(t *testing.T, w *world, a *application) {
	old := w.hands.write(t, "pics/1.jpg", "one")
	a.tell(t, a.put(t, "row-1", "pics/1.jpg", ""))
	w.passes(t)
	gone := a.remove(t, "row-1")
	w.passes(t)
	anew := w.hands.write(t, "pics/1.jpg", "another")
	a.tell(t, gone)
	w.purged(t, 1)
	w.wantOutcomes(t, "deleted: cancelled")
	w.wantAbsent(t, "pics/1.jpg", old)
	w.wantStands(t, "pics/1.jpg", anew)
}

// And the first comes back: that it was released once, the worker finds out.
func replacedTwice(t *testing.T, w *world, a *application) {
	var versions [3]string
	var changes []release.Change
	for i := range versions {
		versions[i] = w.hands.write(t, fmt.Sprintf("pics/%d.jpg", i), "a picture")
		changes = append(changes, a.put(t, "row-1", fmt.Sprintf("pics/%d.jpg", i), versions[i]))
	}
	changes = append(changes, a.put(t, "row-1", "pics/0.jpg", versions[0]))
	a.tell(t, changes[2])
	a.tell(t, changes[3], changes[1], changes[2], changes[0])
	w.purged(t, 3)
	w.wantOutcomes(t, "deleted: cancelled", "deleted: cancelled", "skipped: release dropped")
	w.wantStands(t, "pics/0.jpg", versions[0])
	w.wantAbsent(t, "pics/1.jpg", versions[1])
	w.wantAbsent(t, "pics/2.jpg", versions[2])
	w.purged(t, 0)
}

func cascade(t *testing.T, w *world, a *application) {
	const rows = 40
	var versions []string
	var changes []release.Change
	for i := range rows {
		key := fmt.Sprintf("pics/%d.jpg", i)
		versions = append(versions, w.hands.write(t, key, key))
		a.put(t, key, key, versions[i])
		changes = append(changes, a.remove(t, key))
	}
	poison, last := changes[0], changes[rows-1].At // before the slice is written in
	poison.ID, poison.Old = "poison", source.Row{"photo": true}
	a.tell(t, slices.Insert(changes, rows/2, poison)...)
	w.purged(t, rows)
	for i, v := range versions {
		w.wantAbsent(t, fmt.Sprintf("pics/%d.jpg", i), v)
	}
	letters, err := w.Stores.ReleasesDead.Receive(t.Context(), command.MaxBatch, 2*time.Second, time.Minute)
	must(t, err)
	if len(letters) != 1 || letters[0].Source != "photos" || letters[0].Reason != "photo: expected a string" {
		t.Errorf("the dead letters are %+v", letters)
	}
	state, err := release.ReadState(t.Context(), w.Stores.Ledger, "photos")
	must(t, err)
	if state.ParkedWhy != "photo: expected a string" || !state.LastEvent.Equal(last.Truncate(time.Second)) {
		t.Errorf("the source's state is %+v", state)
	}
}

// Releases are collected whatever the gate says: when deletion is turned on,
// nothing has been forgotten; and until then nothing goes.
func messagesTwice(t *testing.T, w *world, _ *application) {
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.ReportOnly))
	v := w.hands.write(t, "pics/1.jpg", "one")
	s := w.completed(t, 2, 0)
	own := s.Record().ObjectKey(s.Key(1))
	w.Clock.Advance(time.Minute)
	for range 2 {
		w.release(t, release.Message{ID: "1", Bucket: w.Bucket, Key: "pics/1.jpg", VersionID: v})
		w.release(t, release.Message{ID: "2", Bucket: w.Bucket, Key: own})
		w.relays(t, 2)
	}
	w.Clock.Advance(afterDeadline) // the upload's own, before which a put may still end
	w.wantPass(t, "skipped: report-only 2")
	w.wantStands(t, "pics/1.jpg", v)
	w.wantStanding(t, s, 2)
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.Delete))
	w.purged(t, 2)
	w.wantAbsent(t, "pics/1.jpg", v)
	w.wantStanding(t, s, 0)
}

// release sends a message as an outbox does.
func (w *world) release(t *testing.T, m release.Message) {
	t.Helper()
	m.Schema, m.Source, m.Tenant, m.At = release.Schema, "orders", tenant, w.Clock.Now()
	body, err := json.Marshal(m)
	must(t, err)
	switch h := w.hands.(type) {
	case memoryHands:
		h.Releases.Put(string(body))
	case wireHands:
		_, err := awsconf.SQS(h.Config).SendMessage(t.Context(), &sqs.SendMessageInput{
			QueueUrl: aws.String(h.ReleasesURL), MessageBody: aws.String(string(body)),
		})
		must(t, err)
	}
}

// relays lets the relay take so many messages, all of which are done.
func (w *world) relays(t *testing.T, want int) {
	t.Helper()
	for done := 0; done < want; {
		taken, acknowledged, err := w.Relay(t.Context())
		must(t, err)
		if done += acknowledged; acknowledged != taken {
			t.Fatalf("of %d messages %d are done", taken, acknowledged)
		}
	}
}

// An application that keeps references in the ledger adds the new row's before
// the record of the old one's end has come. Without the comparison of instants
// the new reference is dropped, and the upload goes under it.
func lateRecord(t *testing.T, w *world, a *application) {
	s := w.completed(t, 1, 0)
	key := s.Record().ObjectKey(s.Key(1))
	add := func(generation int64) {
		t.Helper()
		ref := upload.Reference{Source: "photos", Entity: "row-1", Generation: generation}
		must(t, w.app.AddReference(t.Context(), s.ID(), ref, 0))
	}
	add(1)
	a.put(t, "row-1", key, "")
	w.Clock.Advance(time.Minute)
	ended := a.remove(t, "row-1")
	w.Clock.Advance(time.Minute)
	add(2)
	a.put(t, "row-1", key, "")
	a.tell(t, ended)
	a.tell(t, ended)
	if r := w.wantState(t, s, upload.StateComplete); r.Refs != 1 {
		t.Errorf("%d references are left", r.Refs)
	}
	w.purged(t, 0)
	w.Clock.Advance(time.Minute)
	a.tell(t, a.remove(t, "row-1"))
	w.wantState(t, s, upload.StateCancelled)
	w.Clock.Advance(afterDeadline)
	w.purged(t, 1)
	w.wantStanding(t, s, 0)
}
