package passes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/upload"
)

// actionLine is what one action, for one reason, takes of a plan.
type actionLine struct {
	Action    string           `json:"action"`
	Operation upload.Operation `json:"operation,omitempty"`
	Reason    string           `json:"reason"`
	cleanup.Amount
	OldestDue time.Time `json:"oldest_due"`
}

// tenantLine is what a plan takes of one tenant; what it leaves is not in it.
type tenantLine struct {
	Tenant    string         `json:"tenant"`
	Purge     cleanup.Amount `json:"purge"`
	Mark      cleanup.Amount `json:"mark"`
	Repair    cleanup.Amount `json:"repair"`
	OldestDue time.Time      `json:"oldest_due"`
}

// byAction sums shares up by action, operation and reason, in the shares' own
// order.
func byAction(shares []cleanup.Share) []actionLine {
	lines := []actionLine{}
	for _, s := range shares {
		last := len(lines) - 1
		if last >= 0 && lines[last].Action == s.Action && lines[last].Operation == s.Operation && lines[last].Reason == s.Reason {
			lines[last].Amount = lines[last].Plus(s.Amount)
			lines[last].OldestDue = earlier(lines[last].OldestDue, s.OldestDue)
			continue
		}
		lines = append(lines, actionLine{s.Action, s.Operation, s.Reason, s.Amount, s.OldestDue})
	}
	return lines
}

// byTenant sums up what is taken, the tenant that loses most objects first.
func byTenant(shares []cleanup.Share) []tenantLine {
	place := map[string]int{}
	lines := []tenantLine{}
	for _, s := range shares {
		if !s.Takes() {
			continue
		}
		i, known := place[s.Tenant]
		if !known {
			i = len(lines)
			place[s.Tenant] = i
			lines = append(lines, tenantLine{Tenant: s.Tenant, OldestDue: s.OldestDue})
		}
		lines[i].take(s)
	}
	slices.SortFunc(lines, func(a, b tenantLine) int {
		return cmp.Or(cmp.Compare(b.Purge.Objects, a.Purge.Objects),
			cmp.Compare(b.taken(), a.taken()), strings.Compare(a.Tenant, b.Tenant))
	})
	return lines
}

func (t *tenantLine) take(s cleanup.Share) {
	amount := &t.Purge
	switch s.Action {
	case upload.Mark.String():
		amount = &t.Mark
	case upload.Fix.String():
		amount = &t.Repair
	}
	*amount = amount.Plus(s.Amount)
	t.OldestDue = earlier(t.OldestDue, s.OldestDue)
}

// taken is how many uploads a plan takes of the tenant.
func (t *tenantLine) taken() int64 { return t.Purge.Uploads + t.Mark.Uploads + t.Repair.Uploads }

func (t *tenantLine) plus(o tenantLine) {
	t.Purge, t.Mark, t.Repair = t.Purge.Plus(o.Purge), t.Mark.Plus(o.Mark), t.Repair.Plus(o.Repair)
	t.OldestDue = earlier(t.OldestDue, o.OldestDue)
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
