package installation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Races with what the store tells of objects, of presigned puts above all.
var racesOfNotices = []race{
	{
		// What is recorded already is not recorded, not counted as activity, and
		// completes nothing twice. Without it a notice that comes a day late keeps
		// an upload alive that nobody works on.
		name: "notices come twice, in the wrong order and a day late: each object once, complete once",
		run: func(t *testing.T, w *world) {
			s, notices := w.browserPuts(t, 3)
			w.wantRecorded(t, "recorded 1", notices[2])
			w.wantRecorded(t, "recorded 1, recorded already 1", notices[2], notices[0])
			w.wantState(t, s, upload.StateReceiving)
			w.wantRecorded(t, "recorded 1, completed 1, recorded already 2", notices[0], notices[1], notices[1])
			r := w.wantState(t, s, upload.StateComplete)
			w.Clock.Advance(day)
			w.wantRecorded(t, "recorded already 3", notices...)
			if again := w.load(t, s.ID()); again.Version != r.Version || !again.DueAt.IsZero() {
				t.Errorf("the record was written again: version %d, then %d; due %v", r.Version, again.Version, again.DueAt)
			}
			w.wantTrail(t, s, "record-object", "record-object", "record-object", "complete")
			w.wantStanding(t, s, 3)
		},
	},
	{
		// A key's first version wins, and its second record is a repetition; also
		// when the event has completed the upload before. Without that the
		// application is told that it has lost an upload which is as it wanted it.
		name: "the notice comes before the application's own record: both are told that it is done",
		run: func(t *testing.T, w *world) {
			s, notices := w.browserPuts(t, 2)
			w.wantRecorded(t, "recorded 1", notices[0])
			must(t, s.RecordObject(t.Context(), objectOf(s, 1, notices[0])))
			w.wantRecorded(t, "recorded 1, completed 1", notices[1])
			must(t, s.RecordObject(t.Context(), objectOf(s, 2, notices[1])))
			must(t, s.Complete(t.Context(), []upload.Key{s.Key(1), s.Key(2)}, time.Time{}))
			r := w.wantState(t, s, upload.StateComplete)
			for n, o := range r.Manifest.Objects {
				if o.VersionID != notices[n].VersionID || o.Checksum != o.Expected.Checksum {
					t.Errorf("object %d is recorded as %+v", n+1, o)
				}
			}
			w.wantStanding(t, s, 2)
		},
	},
	{
		// The application records the last object and dies: what it would have
		// completed, the notice does.
		name: "the application records its objects and stops: the notice of one completes the upload",
		run: func(t *testing.T, w *world) {
			s, notices := w.browserPuts(t, 2)
			for n, c := range notices {
				must(t, s.RecordObject(t.Context(), objectOf(s, n+1, c)))
			}
			w.wantState(t, s, upload.StateReceiving)
			w.wantRecorded(t, "completed 1, recorded already 1", notices...)
			w.wantState(t, s, upload.StateComplete)
		},
	},
	{
		// A cancelled upload takes nothing any more; what comes late is found by
		// its declared key. Without the declaration before the URL it would stand
		// for ever, without the state it would be published.
		name: "a notice of a cancelled upload, and of a purged one: counted, and the object goes with the rest",
		run: func(t *testing.T, w *world) {
			s, notices := w.browserPuts(t, 2)
			w.wantRecorded(t, "recorded 1", notices[0])
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.wantRecorded(t, "given up 1, recorded already 1", notices...)
			w.wantState(t, s, upload.StateCancelled)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
			w.wantRecorded(t, "being deleted 1, recorded already 1", notices...)
			w.wantState(t, s, upload.StateDeleted)
		},
	},
	{
		// What was stated before the put is compared with what stands. Without it
		// somebody else's object is published under the upload's name.
		name: "something else stands under a presigned key: cancelled with the reason, and purged",
		run: func(t *testing.T, w *world) {
			for _, c := range []struct{ body, reason string }{
				{"chunk one, and more", confirm.ReasonSize},
				{"CHUNK 1", confirm.ReasonChecksum},
			} {
				s := w.reserve(t, chunks(2), byEvents)
				said, _ := chunkOf(1)
				_, err := s.Presign(t.Context(), said, 0)
				must(t, err)
				key := s.Record().ObjectKey(s.Key(1))
				w.wantRecorded(t, "cancelled 1", w.notice(t, key, w.hands.write(t, key, c.body)))
				if r := w.wantState(t, s, upload.StateCancelled); r.Reason != c.reason {
					t.Errorf("it is cancelled for %q, want %q", r.Reason, c.reason)
				}
				want(t, upload.ErrRefused, s.Heartbeat(t.Context()))
				w.Clock.Advance(afterDeadline)
				w.wantPass(t, "published 1")
				w.drain(t)
				w.wantOutcomes(t, "deleted: cancelled")
				w.wantStanding(t, s, 0)
			}
		},
	},
	{
		// Whoever recorded the last object may not have completed. Without the
		// look at what is recorded, the notice that comes again finds nothing to
		// do, and the upload is given up although everything is there.
		name: "the recorder stops after it has recorded the last object: the notice that comes again completes",
		run: func(t *testing.T, w *world) {
			s, notices := w.browserPuts(t, 2)
			w.wantRecorded(t, "recorded 1", notices[0])
			w.script.afterWrite = on(upload.KindRecordObject, w.script.die)
			if _, err := w.Recorded(t.Context(), notices[1]); err == nil {
				t.Error("a recorder that has died says that it is done")
			}
			w.script.clear()
			w.wantState(t, s, upload.StateReceiving)
			w.wantRecorded(t, "completed 1", notices[1])
			w.wantState(t, s, upload.StateComplete)
			w.wantTrail(t, s, "record-object", "record-object", "complete")
		},
	},
	{
		// The recorder's fence is that of the key's attempt. Without it the old
		// browser's object is published under the new one's hands.
		name: "a browser's put comes after another device took over: its notice is stale, and its object goes",
		run: func(t *testing.T, w *world) {
			old := w.reserve(t, chunks(1), byEvents)
			c, body := chunkOf(1)
			signed, err := old.Presign(t.Context(), c, 0)
			must(t, err)
			w.Clock.Advance(11 * time.Minute)
			s, err := w.app.Acquire(t.Context(), old.ID(), "writer-2", lease)
			must(t, err)
			w.hands.redeem(t, signed, body)
			w.wantRecorded(t, "stale attempt 1", w.standing(t, old, 1))
			again, err := s.Presign(t.Context(), c, 0)
			must(t, err)
			w.hands.redeem(t, again, body)
			w.wantRecorded(t, "recorded 1, completed 1", w.standing(t, s, 1))
			w.wantStanding(t, s, 2)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "trimmed: superseded")
			w.wantStanding(t, s, 1)
			w.wantRecorded(t, "completed before 1", storageevent.Created{
				Bucket: w.Bucket, Key: s.Record().ObjectKey(old.Key(1)), VersionID: "trimmed-away", At: w.Clock.Now(),
			})
		},
	},
	{
		// Nobody's key is nobody's business here.
		name: "a notice of an object that no upload has: counted, and not touched",
		run: func(t *testing.T, w *world) {
			w.putStranger(t, "imports/the logo+1.png")
			w.putStranger(t, "in/acme/u-999/1/1")
			var notices []storageevent.Created
			for key, version := range w.strangers {
				notices = append(notices, w.notice(t, key, version))
			}
			w.wantRecorded(t, "unknown key 2", notices...)
		},
	},
}

func byEvents(r *intake.Request) { r.ByEvents = true }

// browserPuts is an upload of n chunks that were put by presigned URLs, and what
// the store tells of each.
func (w *world) browserPuts(t *testing.T, n int) (*intake.Session, []storageevent.Created) {
	t.Helper()
	s := w.reserve(t, chunks(n), byEvents)
	var notices []storageevent.Created
	for seq := 1; seq <= n; seq++ {
		c, body := chunkOf(seq)
		signed, err := s.Presign(t.Context(), c, 0)
		must(t, err)
		w.hands.redeem(t, signed, body)
		notices = append(notices, w.standing(t, s, seq))
	}
	return s, notices
}

// standing is what the store tells of the one version of a chunk.
func (w *world) standing(t *testing.T, s *intake.Session, seq int) storageevent.Created {
	t.Helper()
	key := s.Record().ObjectKey(s.Key(seq))
	for v, err := range objects.VersionsOf(t.Context(), w.Stores.Objects, w.Bucket, key) {
		must(t, err)
		return w.notice(t, key, v.VersionID)
	}
	t.Fatalf("chunk %d of upload %s does not stand", seq, s.ID().Upload)
	return storageevent.Created{}
}

func (w *world) notice(t *testing.T, key, version string) storageevent.Created {
	t.Helper()
	c, err := w.Notice(t.Context(), key, version)
	must(t, err)
	return c
}

// objectOf is what the application knows of a chunk that a browser has put.
func objectOf(s *intake.Session, seq int, c storageevent.Created) upload.Object {
	chunk, _ := chunkOf(seq)
	return upload.Object{
		Key: s.Key(seq), VersionID: c.VersionID, Size: chunk.Size, ETag: c.ETag, Checksum: objects.Checksum(chunk.SHA256),
	}
}

// wantRecorded tells the recorder of objects in one event, and compares what
// became of them: "recorded 1, given up 2". What is not named must be none.
func (w *world) wantRecorded(t *testing.T, want string, all ...storageevent.Created) {
	t.Helper()
	tally, err := w.Recorded(t.Context(), all...)
	must(t, err)
	counts := map[string]int{"recorded": tally.Recorded, "completed": tally.Completed, "cancelled": tally.Cancelled, "failed": tally.Failed}
	for reason, n := range tally.Skipped {
		counts[reason] = n
	}
	var got []string
	for what, n := range counts {
		if n > 0 {
			got = append(got, fmt.Sprintf("%s %d", what, n))
		}
	}
	wantSame(t, "the recorder's tally", got, strings.Split(want, ", "))
}
