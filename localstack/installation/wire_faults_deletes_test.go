package installation_test

import (
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/upload"
)

func wireFaults() []wireFault { return slices.Concat(faultsOfDeletes, faultsOfRecords, faultsOfPasses) }

const deleting = "S3.DeleteObjects"

var faultsOfDeletes = []wireFault{
	{
		// The result of each key counts, not the 200. Taken for done, two objects
		// stand for ever under a record that says they are gone; as an attempt, a
		// busy store parks healthy uploads.
		name:   "SlowDown inside a 200 for half of the keys: no attempt, and only those are asked for again",
		faults: striking(byWorker, deleting, 1, fault.During, fault.PartThrottled),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 4)
			wantSaid(t, s.handOver(t, u), "throttled: delete: throttled")
			s.wantStanding(t, u, 2)
			r := s.goesOn(t, u, "claim", "delete 4", "continue", "reclaim", "delete 2", "finish")
			if r.Attempts != 0 {
				t.Errorf("%d attempts were counted", r.Attempts)
			}
		},
	},
	{
		// The same guard; a denial is an attempt, since waiting does not end it.
		name:   "access denied inside a 200 for half of the keys: an attempt, and the rest goes when it is granted",
		faults: striking(byWorker, deleting, 1, fault.During, fault.PartDenied),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 4)
			wantSaid(t, s.handOver(t, u), "retrying: delete: access denied (AccessDenied)")
			s.wantStanding(t, u, 2)
			if r := s.load(t, u.ID()); r.Attempts != 1 || r.State != upload.StateDeleting {
				t.Errorf("%s after %d attempts", r.State, r.Attempts)
			}
			s.goesOn(t, u, "claim", "delete 4", "retry", "reclaim", "delete 4", "finish")
		},
	},
	{
		name:   "the whole delete is denied: an attempt, nothing is gone, and it goes when it is granted",
		faults: striking(byWorker, deleting, 1, fault.Before, fault.Denied),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 3)
			wantSaid(t, s.handOver(t, u), "retrying: delete: access denied (AccessDenied)")
			s.wantStanding(t, u, 3)
			s.goesOn(t, u, "claim", "delete 3", "retry", "reclaim", "delete 3", "finish")
		},
	},
	{
		// Nobody knows how far it came: noted, listed, and what still stands is
		// deleted. Repeated blindly, the counts lie; believed, two objects stand.
		name:   "half is removed, then a timeout: noted, listed, and the other half goes",
		faults: striking(byWorker, deleting, 1, fault.During, fault.PartTimeout),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 4)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantTrail(t, u, "claim", "delete 4", "unclear", "list", "delete 2", "finish")
			s.wantStanding(t, u, 0)
			if r := s.load(t, u.ID()); r.UncertainAt.IsZero() || r.Attempts != 0 {
				t.Errorf("uncertain at %v, %d attempts", r.UncertainAt, r.Attempts)
			}
		},
	},
	{
		name:   "a 200 names half of the keys: the others are unclear, listed, and found gone",
		faults: striking(byWorker, deleting, 1, fault.During, fault.PartUnnamed),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 4)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantTrail(t, u, "claim", "delete 4", "unclear", "list", "finish")
		},
	},
	{
		name:   "a delete is done and its connection breaks: listed, not repeated, and noted on the record",
		faults: striking(byWorker, deleting, 1, fault.After, fault.Reset),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 3)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantTrail(t, u, "claim", "delete 3", "unclear", "list", "finish")
		},
	},
	{
		name:   "a delete is not done and its connection breaks: listed, and done then",
		faults: striking(byWorker, deleting, 1, fault.Before, fault.Reset),
		run: func(t *testing.T, s *scene) {
			u := s.published(t, 3)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantTrail(t, u, "claim", "delete 3", "unclear", "list", "delete 3", "finish")
		},
	},
	{
		name:   "a trim's delete is done and answered with a 500: listed, not repeated, and noted",
		faults: striking(byWorker, deleting, 1, fault.After, fault.ServerError),
		run: func(t *testing.T, s *scene) {
			u := s.reserve(t, chunks(2))
			s.put(t, u, 1, 2)
			must(t, u.Complete(t.Context(), []upload.Key{u.Key(1)}, s.Clock.Now().Add(60*day)))
			s.Clock.Advance(afterDeadline)
			s.wantPass(t, "published 1")
			wantSaid(t, s.handOver(t, u), "trimmed: superseded")
			s.wantTrail(t, u, "complete", "delete 1", "unclear", "list", "trim")
			s.wantStanding(t, u, 1)
		},
	},
	{
		// A listing that breaks off names nothing for deletion (invariant 10).
		name:   "the listing of an unrecorded object is cut off: nothing is deleted, and it goes later",
		faults: striking(byWorker, "S3.ListObjectVersions", 1, fault.During, fault.Cut),
		run: func(t *testing.T, s *scene) {
			u := s.reserve(t, chunks(2))
			s.putUnrecorded(t, u, 1, 2)
			must(t, u.Cancel(t.Context(), "user left the page"))
			s.Clock.Advance(afterDeadline)
			s.wantPass(t, "published 1")
			s.handOver(t, u)
			s.wantStanding(t, u, 2)
			if n := len(s.recorder.deleted()); n != 0 {
				t.Errorf("%d versions were deleted", n)
			}
			s.later(150 * time.Minute)
			wantSaid(t, s.handOver(t, u), "deleted: cancelled")
			s.wantStanding(t, u, 0)
		},
	},
}
