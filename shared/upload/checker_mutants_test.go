package upload

import (
	"slices"
	"time"
)

// mutant is the protocol with one thing wrong.
type mutant struct {
	name   string
	table  table
	quirks quirks
}

// guardMutants leaves out one guard each, for every guard of every row.
func guardMutants() []mutant {
	var all []mutant
	for _, r := range protocol.rows {
		for _, g := range r.guards {
			name := r.name + ": " + g.name
			all = append(all, mutant{name: name, table: table{rows: protocol.rows, without: name}})
		}
	}
	return all
}

// otherMutants are mistakes that are not a missing guard: in what a row does,
// or in an engine.
func otherMutants() []mutant {
	engine := func(name string, q quirks) mutant { return mutant{name: name, table: protocol, quirks: q} }
	all := []mutant{
		engine("the worker deletes what a prefix lists", quirks{prefix: true}),
		engine("a listing is deleted without asking the warrant for key equality", quirks{unchecked: true}),
		engine("a trim's warrant covers listed objects", quirks{trimsAll: true}),
		engine("the worker believes any cutoff", quirks{believes: true}),
		engine("the claim comes before the wait for a slot", quirks{claimsFirst: true}),
		engine("a ledger that writes without its condition", quirks{blind: true}),
		engine("a failed listing is taken for an empty one", quirks{emptyOnError: true}),
	}
	return append(all, rowMutants()...)
}

func rowMutants() []mutant {
	changed := func(name string, after func(s *step), rows ...string) mutant {
		return mutant{name: name, table: table{rows: changedRows(rows, after)}}
	}
	return []mutant{
		changed("activity does not clear the mark", func(s *step) {
			s.record.State, s.record.MarkedFrom, s.record.ExpiredAt = s.before.State, s.before.MarkedFrom, s.before.ExpiredAt
		}, "heartbeat", "renew", "record-object", "declare"),
		changed("complete does not raise the fence", func(s *step) { s.record.Fence = s.before.Fence }, "complete"),
		changed("a claim does not raise the fence", func(s *step) { s.record.Fence = s.before.Fence }, "claim cancelled", "claim expired", "reclaim"),
		changed("a takeover does not raise the fence", func(s *step) { s.record.Fence = s.before.Fence }, "acquire"),
		changed("cancel does not wait for the deadline", func(s *step) {
			s.record.DueAt = s.now.Add(s.policy.ReleaseGrace)
		}, "cancel", "release"),
		changed("leftovers do not wait for the deadline", func(s *step) {
			if !s.record.SupersededDueAt.IsZero() {
				s.record.SupersededDueAt = s.now.Add(s.policy.ReleaseGrace)
				s.record.DueAt = earlier(s.record.SupersededDueAt, s.record.HoldExpiresAt)
			}
		}, "complete"),
		changed("a takeover shortens the deadline of earlier puts", func(s *step) {
			s.record.DeadlineAt = s.now.Add(time.Minute)
		}, "acquire"),
		changed("a reservation without its cleanup intent", func(s *step) { s.record.DueAt = time.Time{} }, "reserve"),
		changed("completing forgets the leftovers' due", func(s *step) {
			s.record.SupersededDueAt, s.record.DueAt = time.Time{}, s.record.HoldExpiresAt
		}, "complete"),
		changed("repair keeps the quota", func(s *step) {
			s.effects, s.record.QuotaHeld = nil, s.before.QuotaHeld
		}, "repair"),
		changed("a claim gives the quota back once more", func(s *step) {
			s.effects = append(s.effects, GiveQuota{Tenant: s.record.Tenant, Owner: s.record.Owner})
		}, "claim cancelled"),
		changed("a revival takes no quota", func(s *step) {
			s.effects = slices.DeleteFunc(s.effects, func(e Effect) bool { _, quota := e.(TakeQuota); return quota })
		}, "add-reference to cancelled"),
		changed("the last drop does not release", func(s *step) {
			s.record.State, s.record.Reason, s.record.DueAt = s.before.State, s.before.Reason, s.before.DueAt
			s.effects = s.effects[:1]
		}, "drop-reference"),
		changed("a purge that failed is not due again", func(s *step) { s.record.DueAt = time.Time{} }, "retry"),
		changed("a reopened tombstone keeps its progress", func(s *step) { s.record.PurgedThrough = s.before.PurgedThrough }, "reopen"),
		changed("an unclear delete is not noted", func(s *step) { s.record.UncertainAt = s.before.UncertainAt }, "reopen", "resupersede"),
		changed("a trimmed object that is locked is never due", func(s *step) {
			s.record.SupersededDueAt, s.record.DueAt = time.Time{}, time.Time{}
		}, "trim"),
	}
}

// changedRows is the protocol's rows with a step after some rows' own.
func changedRows(names []string, after func(*step)) []row {
	rows := slices.Clone(protocol.rows)
	for i := range rows {
		if slices.Contains(names, rows[i].name) {
			apply := rows[i].apply
			rows[i].apply = func(s *step) { apply(s); after(s) }
		}
	}
	return rows
}

// caught is an invariant that a mutant broke, and in which scenario.
type caught struct{ scenario, number, says string }

// hunt looks for an invariant that the mutant breaks, in a likely scenario
// first. The zero caught means that it broke none.
func (m mutant) hunt(likely string) caught {
	all := scenarios()
	slices.SortStableFunc(all, func(a, b *scenario) int { return rankOf(a, likely) - rankOf(b, likely) })
	for _, sc := range all {
		if got := newModel(sc, m.table, m.quirks).explore(worldLimit); got.broken != nil {
			return caught{sc.name, got.broken.number, got.broken.says}
		}
	}
	return caught{}
}

func rankOf(sc *scenario, likely string) int {
	if sc.name == likely {
		return 0
	}
	return 1
}
