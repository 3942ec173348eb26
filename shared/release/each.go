package release

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// atOnce is how many objects of one row are worked on at once. A row of 400 KB
// names many thousands, and its shard waits for all of them.
const atOnce = 16

// takeEach sees that each object of the list follows its row; objects of one
// upload one after the other, since each moves its record.
func (e *Engine) takeEach(ctx context.Context, g gone, list []source.Named) []Outcome {
	all := make([]Outcome, len(list))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, indices := range together(list) {
		group.Go(func() error {
			for _, i := range indices {
				one := g
				one.named = list[i]
				all[i] = e.take(ctx, one)
			}
			return nil
		})
	}
	_ = group.Wait() // what became of each is in all
	return all
}

// together are the indices of a list, those of one upload's keys in one group.
func together(list []source.Named) (groups [][]int) {
	of := map[upload.ID]int{}
	for i, n := range list {
		id, _, own := upload.ParseObjectKey(n.Key)
		at, known := of[id]
		if own && known {
			groups[at] = append(groups[at], i)
			continue
		}
		if own {
			of[id] = len(groups)
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// take sees that one object follows its row.
func (e *Engine) take(ctx context.Context, g gone) Outcome {
	n := g.named
	if err := upload.ValidID("tenant", n.Tenant); err != nil {
		return parked(err)
	}
	if !g.source.Findable(n) {
		return parked(errNotFindable)
	}
	claim, err := hold.Ask(ctx, e.Records, n.Bucket, n.Key)
	if err != nil {
		return failed(err)
	}
	if !claim.KeyKnown {
		return e.adopt(ctx, g)
	}
	if claim.Record.Tenant != n.Tenant {
		return skipped(SkipOtherTenant).of(claim.Record.ID) // no row gives up what lies under another tenant's key
	}
	own := n.VersionID == "" || claim.Owns(n.VersionID)
	if !own {
		// What the record promises is gone: this may be all that is left of it.
		if own, err = claim.Changed(ctx, e.Store, n.Key); err != nil {
			return unseen(err)
		}
	}
	if own {
		return e.giveUp(ctx, g, claim)
	}
	return e.adopt(ctx, g)
}
