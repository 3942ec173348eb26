package invariant

import (
	"context"
	"fmt"
	"slices"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Standing is the version ids that stand under each key.
type Standing map[string][]string

// Intent is invariant 6: whoever needs cleanup has a due, or is parked.
func Intent(r upload.Record) error {
	needs := true
	switch r.State {
	case upload.StateComplete:
		needs = !r.SupersededDueAt.IsZero() || !r.HoldExpiresAt.IsZero() && r.Refs == 0
	case upload.StateDeleting:
		needs = r.ParkedAt.IsZero()
	case upload.StateDeleted:
		needs = r.Retained.Count > 0 && !r.Retained.Until.IsZero()
	}
	if needs == r.DueAt.IsZero() && (needs || r.State != upload.StateComplete) {
		return fmt.Errorf("upload %s is %s, due at %v; needs cleanup: %v", r.Upload, r.State, r.DueAt, needs)
	}
	return nil
}

// Gone is invariant 13: nothing of what a purge or a trim covered stands, but
// what is retained.
func Gone(r upload.Record, stand Standing) error {
	left := int64(0)
	for _, a := range r.Manifest.Attempts {
		for seq := 1; seq <= a.Declared; seq++ {
			covered := r.State == upload.StateDeleted || r.State == upload.StateComplete && r.Trimmed && !a.Listed.Has(seq)
			if covered && len(stand[r.ObjectKey(upload.Key{Attempt: a.Number, Seq: seq})]) > 0 {
				left++
			}
		}
	}
	for _, e := range r.Manifest.Explicit {
		if r.State == upload.StateDeleted && slices.Contains(stand[e.Key], e.VersionID) {
			left++
		}
	}
	if left > r.Retained.Count {
		return fmt.Errorf("upload %s is %s: %d of its keys stand, %d are retained", r.Upload, r.State, left, r.Retained.Count)
	}
	return nil
}

// Quota is the part of invariant 9 that is about quotas: an owner's is what its
// uploads hold, and only the live ones hold any. used is what the ledger counts.
func Quota(ctx context.Context, records []upload.Record, used func(ctx context.Context, tenant, owner string) (int64, error)) (broken []error) {
	type account struct{ tenant, owner string }
	held := map[account]int64{}
	for _, r := range records {
		if r.Source != "" {
			continue // adopted: it is nobody's
		}
		who := account{r.Tenant, r.Owner}
		held[who] += 0 // who holds nothing must use nothing
		if !r.QuotaHeld {
			continue
		}
		held[who]++
		switch r.State {
		case upload.StateReceiving, upload.StateAssembling, upload.StateExpired, upload.StateComplete:
		default:
			broken = append(broken, fmt.Errorf("upload %s is %s and holds a place of the quota", r.Upload, r.State))
		}
	}
	for who, places := range held {
		switch n, err := used(ctx, who.tenant, who.owner); {
		case err != nil:
			broken = append(broken, fmt.Errorf("owner %s: %w", who.owner, err))
		case n != places:
			broken = append(broken, fmt.Errorf("owner %s uses %d places of the quota, its uploads hold %d", who.owner, n, places))
		}
	}
	return broken
}
