package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Why a run closes a hold.
const (
	closedOwned  = "a matching upload appeared"
	closedAbsent = "it does not stand any more"
	closedPurged = "purged"
)

// closeHolds takes from the list what this run did not find unowned: what does
// not stand any more, and what has an owner by now. A run that is not to be
// believed closes nothing.
func (x *execution) closeHolds(ctx context.Context) error {
	if x.report.HoldsBlocked {
		return nil
	}
	return inBatches(ctx, x.book.All(ctx, x.report.Bucket), x.closeHold)
}

func (x *execution) closeHold(ctx context.Context, h hold.Hold) error {
	if h.Kind != hold.Version || h.State == hold.Closed || h.LastSeen.Run == x.id || h.Met.Run == x.id || h.LastSeen.Inventory.After(x.by.Inventory) {
		return nil
	}
	why, err := x.over(ctx, h)
	if err != nil {
		return fmt.Errorf("look whether hold %.12s is over: %w", h.ID(), err)
	}
	if why == "" {
		return nil
	}
	closed, err := x.book.Close(ctx, h, why, x.runner.Now())
	if err != nil {
		return err
	}
	x.runner.closedLine(ctx, h, closed, x.id, why)
	x.count(&x.report.Closed)
	return nil
}

// over says why a hold leaves the list; nothing if it stays.
func (x *execution) over(ctx context.Context, h hold.Hold) (string, error) {
	facts, err := x.runner.Store.Stat(ctx, h.Bucket, h.Key, h.VersionID)
	switch {
	case errors.Is(err, upload.ErrAbsent) && h.State == hold.Approved:
		return closedPurged, nil
	case errors.Is(err, upload.ErrAbsent):
		return closedAbsent, nil
	case err != nil:
		return "", err
	case h.NullVersion() && !facts.LastModified.Equal(h.LastModified) && h.State != hold.Approved:
		return closedAbsent, nil // overwritten
	case h.State != hold.Open || facts.Marker:
		return "", nil // a person's decision stays
	}
	claim, err := hold.Ask(ctx, x.runner.Records, h.Bucket, h.Key)
	if err != nil {
		return "", err
	}
	if claim.Owns(h.VersionID) || x.wouldBeOrphan(h) {
		return closedOwned, nil
	}
	return "", nil
}

// wouldBeOrphan reports whether the version, had it no owner, would have been
// an orphan of this run: it is in scope and old enough, and the inventory lists
// versions. It was not, and no other verdict was given, so it has an owner.
func (x *execution) wouldBeOrphan(h hold.Hold) bool {
	return !x.rules.outside(h.Bucket, h.Key) && !x.rules.ownFile(h.Key) &&
		x.rules.oldEnough(h.LastModified.UnixMilli()) && x.listsVersions()
}

// listsVersions reports whether the inventory has version ids.
func (x *execution) listsVersions() bool {
	columns := strings.ToLower(strings.ReplaceAll(x.task.Inventory.Manifest().Schema, "_", ""))
	return strings.Contains(columns, "versionid")
}
