package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/quarantine"
	"github.com/strandline-dev/strandline/shared/reconcile"
)

// row is one line of what the reconciler found, or what came of a decision.
type row struct{ what, found string }

// strangersFolder is where the objects are that no session knows.
const strangersFolder = "imports/S4/"

// aftermath goes on after pass two: an object of S2 is lost behind the ledger's
// back, an inventory comes, and a person decides what becomes of the strangers.
func (s *story) aftermath(ctx context.Context) error {
	if err := s.lose(ctx); err != nil {
		return err
	}
	if err := s.findOut(ctx); err != nil {
		return err
	}
	holds, err := s.holds(ctx)
	if err != nil {
		return err
	}
	if len(holds) != strangers {
		return nil // it has been said, and there is nothing to decide
	}
	desk := s.Desk(s.cloud.markers(s.Installation))
	if err := s.hideAndShow(ctx, desk, holds[0]); err != nil {
		return err
	}
	return s.letGo(ctx, desk, holds[1])
}

// lose removes one recorded object of S2.
func (s *story) lose(ctx context.Context) error {
	r, err := s.Stores.Ledger.Load(ctx, s.s2.ID())
	if err != nil {
		return err
	}
	o := r.Manifest.Object(s.s2.Key(1))
	return s.cloud.lose(ctx, s.Installation, r.ObjectKey(o.Key), o.VersionID)
}

// findOut reconciles, and compares the counts with what is known to be there.
func (s *story) findOut(ctx context.Context) error {
	report, err := s.reconcile(ctx)
	if err != nil {
		return err
	}
	count := func(v reconcile.Verdict) int64 { return report.Counts[v].Count }
	s.checks.equal("reconciler: ok", count(reconcile.OK), chunksS1+chunksS2-1)
	s.checks.equal("reconciler: orphans", count(reconcile.Orphan), strangers)
	s.checks.equal("reconciler: holds seen again", report.Again, strangers)
	s.checks.equal("reconciler: missing", count(reconcile.Missing), 1)
	s.checks.equal("reconciler: just deleted, not judged", count(reconcile.Unsettled), chunksS3)
	s.checks.equal("reconciler: versions listed", report.Rows, chunksS1+chunksS2-1+strangers)
	s.note("listed on the story's clock", "%d versions", report.Rows)
	s.note("ok: S1, and S2 but for one", "%d", count(reconcile.OK))
	s.note("orphan: S4, held since pass one", "%d, holds %d", count(reconcile.Orphan), report.Again)
	s.note("missing: S2's, removed behind the ledger", "%d", count(reconcile.Missing))
	s.note("unsettled: S3's, deleted just now", "%d", count(reconcile.Unsettled))
	return nil
}

func (s *story) note(what, format string, args ...any) {
	s.found.rows = append(s.found.rows, row{what, fmt.Sprintf(format, args...)})
}

func (s *story) book() hold.Book {
	return hold.Book{Documents: s.Stores.Ledger, Forget: s.Policy.TombstoneTTL}
}

// holds returns the open holds, in the order of their keys.
func (s *story) holds(ctx context.Context) (open []hold.Hold, err error) {
	for h, err := range s.book().All(ctx, s.Bucket) {
		if err != nil {
			return nil, err
		}
		if h.State == hold.Open {
			open = append(open, h)
		}
	}
	slices.SortFunc(open, func(a, b hold.Hold) int { return strings.Compare(a.Key, b.Key) })
	return open, nil
}

// standing lists the bucket afresh: the object versions and the delete markers
// under a stranger's key.
func (s *story) standing(ctx context.Context, key string) (versions, markers int64, err error) {
	for v, err := range s.Stores.Objects.Versions(ctx, s.Bucket, key) {
		switch {
		case err != nil:
			return 0, 0, err
		case v.Key != key:
		case v.Marker:
			markers++
		default:
			versions++
		}
	}
	return versions, markers, nil
}

// look compares what stands under a key with what must.
func (s *story) look(ctx context.Context, when, key string, wantVersions, wantMarkers int64) error {
	versions, markers, err := s.standing(ctx, key)
	if err != nil {
		return err
	}
	s.checks.equal(when+": versions under its key", versions, wantVersions)
	s.checks.equal(when+": delete markers under its key", markers, wantMarkers)
	s.note(when, "versions %d, delete markers %d", versions, markers)
	return nil
}

// operator decides in this story.
const operator = "operator"

func (s *story) approve(ctx context.Context, desk quarantine.Desk, h hold.Hold) (quarantine.Approval, error) {
	plan, err := desk.Plan(ctx, h.Bucket, h.ID())
	if err != nil {
		return plan, err
	}
	_, err = desk.Execute(ctx, plan, operator)
	return plan, err
}

// hideAndShow approves a hold and takes it back.
func (s *story) hideAndShow(ctx context.Context, desk quarantine.Desk, h hold.Hold) error {
	if _, err := s.approve(ctx, desk, h); err != nil {
		return err
	}
	if err := s.look(ctx, "S4/1 approved: hidden", h.Key, 1, 1); err != nil {
		return err
	}
	if _, err := desk.Restore(ctx, h.Bucket, h.ID(), operator); err != nil {
		return err
	}
	return s.look(ctx, "S4/1 restored: shown again", h.Key, 1, 0)
}

// letGo approves a hold and waits until a pass and a worker have purged it.
func (s *story) letGo(ctx context.Context, desk quarantine.Desk, h hold.Hold) error {
	plan, err := s.approve(ctx, desk, h)
	if err != nil {
		return err
	}
	before := s.Purged().Deleted.Objects
	s.Clock.Advance(plan.DueAt.Sub(s.Clock.Now()) + 2*s.Policy.SafetyMargin + time.Minute)
	if err := s.Census(ctx); err != nil {
		return err
	}
	report, err := s.Pass(ctx)
	if err != nil {
		return err
	}
	if err := drainAll(ctx, s.Installation); err != nil {
		return err
	}
	s.checks.same("pass three: the run", string(report.State), string(cleanup.RunDone))
	s.checks.equal("pass three: published", report.Tally.Published.Objects, 1)
	s.checks.equal("pass three: deleted", s.Purged().Deleted.Objects-before, 1)
	// The quarantine's marker stays: it has no bytes, and a key under which
	// nothing stands has no use for one.
	return s.look(ctx, fmt.Sprintf("S4/2 approved, purged %d days on", int(s.Policy.QuarantineFor.Hours()/24)), h.Key, 0, 1)
}
