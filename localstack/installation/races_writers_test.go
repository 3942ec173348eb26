package installation_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const lease = 10 * time.Minute

// Races in which a writer comes back, is late, or was never gone.
var racesWithWriters = []race{
	{
		// The worker reads the record again: only what is marked is claimed, and
		// only at the version that the command names. Without both it purges an
		// upload under its writer's hands.
		name: "a writer renews after pass two selected its upload: it lives",
		run: func(t *testing.T, w *world) {
			s := w.condemned(t, 2)
			must(t, s.Renew(t.Context(), lease))
			w.drain(t)
			w.wantOutcomes(t, "skipped: revived")
			w.wantState(t, s, upload.StateReceiving)
			w.wantStanding(t, s, 2)
		},
	},
	{
		// Activity clears the mark. Without that, pass two takes what came alive
		// between the passes.
		name: "a chunk comes between the passes: the mark is gone, and nothing is published",
		run: func(t *testing.T, w *world) {
			s := w.marked(t, 2)
			w.Clock.Advance(20 * time.Hour)
			back, err := w.app.Acquire(t.Context(), s.ID(), "writer-1", lease)
			must(t, err)
			w.put(t, back, 3)
			w.Clock.Advance(5 * time.Hour)
			w.wantPass(t, "kept 1")
			w.drain(t)
			w.wantOutcomes(t)
			if r := w.wantState(t, s, upload.StateReceiving); !r.ExpiredAt.IsZero() {
				t.Error("the mark is still there")
			}
			w.wantStanding(t, s, 3)
		},
	},
	{
		// Deleting has no row for a writer (invariant 5), and the claim has a fence
		// of its own. Without them what is being deleted is published, and read by
		// somebody.
		name: "a stale writer publishes, renews, records or acquires after the claim: refused, each",
		run: func(t *testing.T, w *world) {
			s := w.condemned(t, 3)
			refused := map[string]error{}
			w.script.delete = func(do store, versions []upload.Condemned) []objects.Result {
				list := []upload.Key{s.Key(1), s.Key(2), s.Key(3)}
				refused["complete"] = s.Complete(t.Context(), list, time.Time{})
				refused["renew"] = s.Renew(t.Context(), lease)
				refused["record"] = s.RecordObject(t.Context(), s.Record().Manifest.Object(s.Key(1)))
				refused["cancel"] = s.Cancel(t.Context(), "late")
				_, refused["acquire"] = w.app.Acquire(t.Context(), s.ID(), "writer-1", lease)
				refused["refer"] = w.app.AddReference(t.Context(), s.ID(), upload.Reference{Source: "page", Entity: "1"}, 0)
				refused["extend"] = w.app.ExtendHold(t.Context(), s.ID(), w.Clock.Now().Add(day))
				return do(versions)
			}
			w.drain(t)
			for what, err := range refused {
				if err == nil {
					t.Errorf("%s was accepted while deleting", what)
				}
			}
			want(t, upload.ErrFenceLost, refused["complete"])
			want(t, upload.ErrFenceLost, refused["renew"])
			w.wantOutcomes(t, "deleted: expired")
			w.wantTrail(t, s, "claim", "delete 3", "finish")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// Each attempt has keys of its own, and what is declared and not listed
		// is superseded. With shared keys the late put covers what readers see.
		name: "a stale writer's late put lands where nobody reads, and is trimmed",
		run: func(t *testing.T, w *world) {
			stale := w.reserve(t, chunks(2))
			w.put(t, stale, 1)
			w.Clock.Advance(11 * time.Minute)
			s, err := w.app.Acquire(t.Context(), stale.ID(), "writer-2", lease)
			must(t, err)
			must(t, s.Complete(t.Context(), w.put(t, s, 1, 2), time.Time{}))
			w.putUnrecorded(t, stale, 2)
			want(t, upload.ErrFenceLost, stale.RecordObject(t.Context(), upload.Object{Key: stale.Key(2), VersionID: "v", Size: 1}))
			w.wantStanding(t, s, 4)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "trimmed: superseded")
			if r := w.wantState(t, s, upload.StateComplete); !r.Trimmed || r.Objects != 2 {
				t.Errorf("trimmed %v, %d objects", r.Trimmed, r.Objects)
			}
			w.wantStanding(t, s, 2)
		},
	},
	{
		// Only an upload that was receiving comes back from a mark by its writer
		// (markedReceiving, fenceEqual). Without them a dead session keeps what
		// was published and is over alive for ever.
		name: "a stale writer records into a completed upload that was marked: refused, and it goes",
		run: func(t *testing.T, w *world) {
			s := w.completed(t, 2, time.Hour)
			w.Clock.Advance(30 * time.Hour)
			w.wantPass(t, "marked 1")
			want(t, upload.ErrRefused, s.RecordObject(t.Context(), s.Record().Manifest.Object(s.Key(1))))
			current, err := w.app.Attach(t.Context(), s.ID(), s.Record().Fence)
			must(t, err)
			want(t, upload.ErrRefused, current.Renew(t.Context(), lease))
			w.Clock.Advance(25 * time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: expired")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// The activity grace is judged beside the deadline. Without activityOver
		// a slow upload is cancelled under its writer's hands.
		name:   "a slow upload sends a chunk every ten minutes past its deadline: kept until it falls silent",
		policy: func(p *policy.Policy) { p.ActivityGrace = time.Hour },
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, func(r *intake.Request) { r.Deadline = 30 * time.Minute })
			for seq := 1; seq <= 18; seq++ { // three hours; the deadline is over after the third
				must(t, s.Declare(t.Context(), seq))
				version := w.hands.write(t, s.Record().ObjectKey(s.Key(seq)), "a chunk")
				must(t, s.RecordObject(t.Context(), upload.Object{Key: s.Key(seq), VersionID: version, Size: 7}))
				w.Clock.Advance(10 * time.Minute)
				if seq%6 == 0 {
					for what, n := range map[string]int64{"repaired": w.pass(t).Tally.Repaired.Uploads, "published": int64(len(w.log.take()))} {
						if n != 0 {
							t.Fatalf("%s while it was sending", what)
						}
					}
				}
			}
			w.wantState(t, s, upload.StateReceiving)
			w.wantStanding(t, s, 18)
			w.Clock.Advance(2 * time.Hour)
			w.wantPass(t, "repaired 1")
			w.Clock.Advance(time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
		},
	},
	{
		// Keys are declared before they are put, and what has no version id is
		// listed. Without that, what such a writer put stands for ever.
		name: "a writer dies before it records its version id: found by its key, and gone",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, hold(time.Hour), chunks(2))
			w.put(t, s, 1)
			w.putUnrecorded(t, s, 2)
			folder := s.Record().Folder()
			for _, neighbour := range []string{"1/20", "1/2x", "1/2/", "1/02", "11/2", "2"} { // share its key as a prefix, or nearly
				w.putStranger(t, folder+neighbour)
			}
			w.Clock.Advance(30 * time.Hour)
			w.wantPass(t, "marked 1")
			w.Clock.Advance(25 * time.Hour)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: expired")
			w.wantTrail(t, s, "claim", "list", "delete 2", "finish")
			w.wantStanding(t, s, len(w.strangers))
		},
	},
	{
		// A claim waits for the deadline that every signed URL ends by. Without
		// it the put lands after the purge, and stands for ever.
		name: "a presigned put comes after the cancel: it goes with the rest, once the deadline is over",
		run: func(t *testing.T, w *world) {
			s := w.reserve(t, chunks(2))
			w.put(t, s, 1)
			c, body := chunkOf(2)
			signed, err := s.Presign(t.Context(), c, 0)
			must(t, err)
			must(t, s.Cancel(t.Context(), "user left the page"))
			w.Clock.Advance(50 * time.Minute)
			w.wantPass(t) // past the release grace, not past the deadline
			w.send(t, w.Command(w.load(t, s.ID())))
			w.drain(t)
			w.wantOutcomes(t, "skipped: not eligible")
			w.hands.redeem(t, signed, body)
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "deleted: cancelled")
			w.wantStanding(t, s, 0)
		},
	},
	{
		// What is declared and not listed is due after the completion. Without
		// SupersededDueAt the first attempt's objects are paid for for ever.
		name: "an earlier attempt leaves objects behind: trimmed after the completion, the listed ones stay",
		run: func(t *testing.T, w *world) {
			first := w.reserve(t, chunks(3))
			w.put(t, first, 1, 2, 3)
			w.Clock.Advance(11 * time.Minute)
			s, err := w.app.Acquire(t.Context(), first.ID(), "writer-2", lease)
			must(t, err)
			list := append(w.put(t, s, 1, 2), first.Key(3))
			must(t, s.Complete(t.Context(), list, time.Time{}))
			w.Clock.Advance(afterDeadline)
			w.wantPass(t, "published 1")
			w.drain(t)
			w.wantOutcomes(t, "trimmed: superseded")
			w.wantTrail(t, s, "complete", "delete 2", "trim")
			w.wantStanding(t, s, 3)
		},
	},
}
