package cleanup

import (
	"cmp"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Share is the part of a plan that one action, for one reason, has of one
// tenant's uploads in one bucket. It names no upload and no object.
type Share struct {
	Action    string           `json:"action"`
	Operation upload.Operation `json:"operation,omitempty"` // of purges
	Reason    string           `json:"reason"`
	Tenant    string           `json:"tenant"`
	Bucket    string           `json:"bucket,omitempty"` // empty where there is no record
	Amount
	// OldestDue is the earliest instant at which one of them was due.
	OldestDue time.Time `json:"oldest_due"`
}

// Takes reports whether the share is of purges, marks or repairs: not of what
// the plan leaves as it is.
func (s Share) Takes() bool {
	switch s.Action {
	case upload.Purge.String(), upload.Mark.String(), upload.Fix.String():
		return true
	}
	return false
}

// shareKey is what the candidates of a share have in common.
type shareKey struct {
	action                 upload.Action
	op                     uint8
	reason, tenant, bucket string
}

// shareSum is a share while it is summed up; oldest in milliseconds since 1970.
type shareSum struct {
	Amount
	oldest int64
}

// Shares divides the plan: each candidate is in exactly one share. Purges come
// first, then repairs and marks, then what stays as it is; those of one action
// by operation, reason, tenant and bucket.
func (p *Plan) Shares() []Share {
	sums := map[shareKey]shareSum{}
	for k, c := range p.all() {
		key := shareKey{c.action, c.op, k.word(c.reason), k.word(c.tenant), k.word(c.bucket)}
		sum, known := sums[key]
		if !known || c.due < sum.oldest {
			sum.oldest = c.due
		}
		sum.Amount = sum.Plus(c.count())
		sums[key] = sum
	}
	shares := make([]Share, 0, len(sums))
	for key, sum := range sums {
		shares = append(shares, Share{
			Action: key.action.String(), Operation: operations[key.op], Reason: key.reason, Tenant: key.tenant, Bucket: key.bucket,
			Amount: sum.Amount, OldestDue: time.UnixMilli(sum.oldest).UTC(),
		})
	}
	slices.SortFunc(shares, compareShares)
	return shares
}

// actionOrder is that of what is at stake.
var actionOrder = []string{
	upload.Purge.String(), upload.Fix.String(), upload.Mark.String(),
	upload.Stuck.String(), upload.Skip.String(), upload.Keep.String(),
}

func compareShares(a, b Share) int {
	return cmp.Or(
		cmp.Compare(slices.Index(actionOrder, a.Action), slices.Index(actionOrder, b.Action)),
		cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Bucket, b.Bucket),
	)
}

// Cutoff is the instant until which the plan's candidates were due.
func (p *Plan) Cutoff() time.Time { return p.cutoff }
