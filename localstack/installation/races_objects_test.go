package installation_test

import (
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

// Races with what others did in the bucket.
var racesAboutObjects = []race{
	{
		// One answer for each version: what is kept is counted, with its reason,
		// and the rest goes. Taken together, nine stand for the sake of one, or
		// one that stands is called deleted.
		name: "one version of ten is under legal hold: nine go, one is retained with its reason",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 10)
			o := s.Record().Manifest.Object(s.Key(5))
			w.hands.hold(t, s.Record().ObjectKey(o.Key), o.VersionID)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			done := w.wantOutcomes(t, "retained: legal hold")[0]
			if done.gone != 9 || done.retained != 1 {
				t.Errorf("%d gone, %d retained", done.gone, done.retained)
			}
			r := w.wantState(t, s, upload.StateDeleted)
			if r.Retained.Count != 1 || r.Retained.Reason != objects.ReasonLegalHold || r.DueAt.IsZero() {
				t.Errorf("retained %+v, due at %v", r.Retained, r.DueAt)
			}
			w.wantStanding(t, s, 1)
		},
	},
	{
		// A retention has a date, and the tombstone is due then (Reopen). Without
		// the due the object stands for ever after its lock is over.
		name: "an object is locked until a date: retained until then, purged after it",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 2)
			o := s.Record().Manifest.Object(s.Key(2))
			key := s.Record().ObjectKey(o.Key)
			until := w.Clock.Now().Add(48 * time.Hour).Truncate(time.Second)
			w.hands.lock(t, key, o.VersionID, until)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "retained: object lock")
			if r := w.wantState(t, s, upload.StateDeleted); !r.DueAt.Equal(until) || r.Retained.Count != 1 {
				t.Errorf("retained %+v, due at %v, locked until %v", r.Retained, r.DueAt, until)
			}
			w.Clock.Advance(24 * time.Hour)
			w.wantPass(t) // not before its date
			w.wantStanding(t, s, 1)
			w.Clock.Advance(24 * time.Hour)
			if w.wire { // the emulator's own clock does not move: the lock is lifted when it would be over
				w.hands.lock(t, key, o.VersionID, time.Now().Add(time.Second))
				time.Sleep(1200 * time.Millisecond)
			}
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: retention over")
			w.wantAbsent(t, key, o.VersionID)
		},
	},
	{
		// A version that is absent already is a success. As a failure it would be
		// tried until it is parked, with nothing left to do.
		name: "a version is absent already: as good as deleted",
		run: func(t *testing.T, w *world) {
			s := w.published(t, 3)
			o := s.Record().Manifest.Object(s.Key(2))
			version := uploadtest.Version{Bucket: w.Bucket, Key: s.Record().ObjectKey(o.Key), VersionID: o.VersionID}
			w.Stores.Objects.Delete(t.Context(), w.Bucket, uploadtest.Condemned(t, version))
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantTrail(t, s, "claim", "delete 3", "finish")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// Multipart uploads are looked for on every key without a version, and
		// aborted by id, before anything is deleted. Without that their parts are
		// paid for, invisibly, and one may still be completed after the purge.
		name: "two multipart uploads are open on one key: both are aborted, another upload's is not",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1))
			_, err := s.BeginMultipart(t.Context(), 1, "")
			must(t, err)
			_, err = w.Stores.Objects.BeginMultipart(t.Context(), w.Bucket, s.Record().ObjectKey(s.Key(1)), "") // of which nobody was told
			must(t, err)
			must(t, s.Cancel(t.Context(), "user left the page"))
			other := w.completed(t, 1, 0)
			neighbour := other.Record().Folder() + "parts"
			id, err := w.Stores.Objects.BeginMultipart(t.Context(), w.Bucket, neighbour, "")
			must(t, err)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			var open []objects.Multipart
			for m, err := range w.Stores.Objects.Multiparts(t.Context(), w.Bucket, "") {
				must(t, err)
				open = append(open, m)
			}
			if len(open) != 1 || open[0].Key != neighbour || open[0].UploadID != id {
				t.Errorf("%d multipart uploads are open, want the neighbour's", len(open))
			}
			must(t, w.Stores.Objects.Abort(t.Context(), w.Bucket, neighbour, id))
		},
	},
	{
		// A listing is read to its end, and a key's versions are deleted in calls
		// of a thousand. Cut at a page, the rest stands and the record says gone.
		name:  "one key has more than a thousand versions: all go",
		large: true,
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(1))
			key := s.Record().ObjectKey(s.Key(1))
			var writers errgroup.Group
			writers.SetLimit(8)
			for range 1_050 { // a client that leaves the condition out
				writers.Go(func() error {
					w.hands.write(t, key, "again")
					return nil
				})
			}
			must(t, writers.Wait())
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.wantStanding(t, s, 1_050)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// Different tenants' uploads may have one id: tenant is part of the name.
		name: "two tenants' uploads have one id: one is purged, the other stays",
		run: func(t *testing.T, w *world) {
			s := w.cancelled(t, 2)
			w.named--
			other := w.reserve(t, func(r *intake.Request) { r.Tenant = "zeta" }, chunks(2))
			if other.ID().Upload != s.ID().Upload {
				t.Fatalf("%s and %s", other.ID(), s.ID())
			}
			must(t, other.Complete(t.Context(), w.put(t, other, 1, 2), time.Time{}))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantState(t, other, upload.StateComplete)
			w.wantStanding(t, other, 2)
		},
	},
}
