package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/policy"
)

// ruleset is the instants and facts that every judgement of one comparison is
// made with: the only thing that the judge knows besides the key before it.
// Instants are Unix milliseconds.
type ruleset struct {
	// Bucket is the one that the inventory lists; Prefix the scope within it.
	Bucket string
	Prefix string
	// Created is when the inventory began, ManifestAt when the owner's lists
	// were taken.
	Created    int64
	ManifestAt int64
	// OrphanBefore: an unowned version is old enough if it was modified before.
	// NoTime where none is: the lists were not taken after the inventory began.
	OrphanBefore int64
	// SettledBefore: an entry is settled if it was recorded before.
	SettledBefore int64
	// CurrentOnly: the inventory lists no versions, only what is current.
	CurrentOnly bool

	own func(key []byte) bool
}

// newRules derives them, and refuses what can be known to be wrong before a
// row is read.
func newRules(m inventory.Manifest, o Options) (ruleset, error) {
	if err := checkOptions(m, o); err != nil {
		return ruleset{}, err
	}
	r := ruleset{
		Bucket:        m.SourceBucket,
		Prefix:        o.Prefix,
		Created:       m.Created.UnixMilli(),
		ManifestAt:    o.ManifestAt.UnixMilli(),
		OrphanBefore:  manifest.NoTime,
		SettledBefore: m.Created.Add(-o.Settle).UnixMilli(),
		own:           m.Own,
	}
	// Older than the grace before both: what the owner wrote between the two
	// instants stands in neither list, so the later instant proves nothing.
	if o.ManifestAt.After(m.Created) {
		r.OrphanBefore = m.Created.Add(-o.OrphanGrace).UnixMilli()
	}
	return r, nil
}

func checkOptions(m inventory.Manifest, o Options) error {
	switch {
	case m.SourceBucket == "":
		return errors.New("the inventory does not say which bucket it lists")
	case m.Created.IsZero():
		return errors.New("the inventory does not say when it began")
	case o.ManifestAt.IsZero():
		return errors.New("when the manifest was taken is not given: without it nothing can be told to be an orphan")
	case o.OrphanGrace < policy.LeastOrphanGrace:
		return fmt.Errorf("orphan grace %v is below its floor %v", o.OrphanGrace, policy.LeastOrphanGrace)
	case o.Settle < 0:
		return fmt.Errorf("settle %v is negative", o.Settle)
	case o.MaxInventoryAge <= 0:
		return errors.New("the greatest age of an inventory is not given")
	}
	return checkAge(m.Created, o)
}

func checkAge(created time.Time, o Options) error {
	against := o.Against
	if against.IsZero() {
		against = o.ManifestAt
	}
	if age := against.Sub(created); age > o.MaxInventoryAge {
		return fmt.Errorf("the inventory began %v before what it is compared with, and %v is allowed: take a newer one",
			age.Round(time.Minute), o.MaxInventoryAge)
	}
	return nil
}

// outside reports whether the rules say nothing about a key: it is of another
// bucket, or out of scope. All it has is ignored.
func (r *ruleset) outside(bucket, key string) bool {
	return bucket != r.Bucket || !strings.HasPrefix(key, r.Prefix)
}

// settled reports whether something that was recorded, or modified, at an
// instant was early enough to be judged. Exactly on the edge it was not; what
// has no instant is old.
func (r *ruleset) settled(at int64) bool { return at < r.SettledBefore }

// oldEnough reports whether an unowned version that was modified at an instant
// may be called an orphan. Exactly on the edge it may not.
func (r *ruleset) oldEnough(modified int64) bool {
	return modified != inventory.NoTime && modified < r.OrphanBefore
}

// ownFile reports whether a key is a file of the inventory itself, which was
// delivered into the bucket that it lists.
func (r *ruleset) ownFile(key string) bool { return r.own != nil && r.own([]byte(key)) }
