package upload

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// example is an event that a row accepts, with nothing in it that the row does
// not need.
type example struct {
	p   policy.Policy
	r   Record
	e   Event
	now time.Time
}

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	// old is before every grace of the default policy at noon.
	old = noon.Add(-90 * 24 * time.Hour)
	// ripe is the cutoff of a pass at noon.
	ripe = noon.Add(-policy.Default().SafetyMargin)
)

// settled is a record on which, at noon, every delay is over.
func settled(s State) Record {
	r := Record{
		ID: ID{"t", "u"}, Schema: Schema, State: s, Version: 7, Fence: 3, Owner: "o",
		Bucket: "b", Prefix: "p", LastActivityAt: old, DeadlineAt: old, DueAt: old,
		Manifest: Manifest{
			Attempts: []Attempt{{Number: 3, Declared: 2}},
			Objects:  []Object{{Key: Key{3, 1}, VersionID: "v1", Size: 10}},
		},
	}
	if s == StateReceiving || s == StateAssembling || s == StateExpired {
		r.Holder, r.LeaseUntil = "w0", old
	}
	return r
}

func held(r Record) Record {
	r.HoldExpiresAt = old
	return r
}

func leased(r Record) Record {
	r.Holder, r.LeaseUntil = "w", noon.Add(time.Minute)
	return r
}

func marked(r Record, from State) Record {
	r.State, r.MarkedFrom, r.ExpiredAt = StateExpired, from, old
	return r
}

// completed is a record that was completed, whose second object is superseded.
func completed(s State) Record {
	r := settled(s)
	r.Holder, r.LeaseUntil = "", time.Time{}
	r.CompletedAt, r.SupersededDueAt = old, old
	r.Manifest.Attempts[0].Listed = Bits{}.With(1)
	return r
}

func trimmed(r Record) Record {
	r.Trimmed, r.SupersededDueAt = true, time.Time{}
	return r
}

func claimed(s State) Record {
	r := leased(settled(s))
	r.Token = "token"
	return r
}

func referenced(r Record) Record {
	r.Refs = 2
	return r
}

func retained(r Record) Record {
	r.Retained = Retained{Count: 1, Until: noon, Reason: "object lock"}
	return r
}

// examples has one for every row of the table.
var examples = map[string]example{
	"reserve": {e: Reserve{
		ID: ID{"t", "u"}, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: "b", Prefix: "p",
	}},
	"acquire":                    {r: settled(StateReceiving), e: Acquire{Holder: "w2", Lease: time.Minute}},
	"renew":                      {r: leased(settled(StateReceiving)), e: Renew{3, time.Minute}},
	"heartbeat":                  {r: leased(settled(StateReceiving)), e: Heartbeat{3}},
	"declare":                    {r: leased(settled(StateReceiving)), e: Declare{Fence: 3, Declared: 4, Multiparts: []Multipart{{Key{3, 4}, "m"}}}},
	"record-object":              {r: leased(settled(StateReceiving)), e: RecordObject{Fence: 3, Seq: 2, VersionID: "v2"}},
	"begin-assembly":             {r: leased(settled(StateReceiving)), e: BeginAssembly{3}},
	"complete":                   {r: leased(settled(StateReceiving)), e: Complete{Fence: 3, List: []Key{{3, 1}}, HoldUntil: noon.Add(time.Hour)}},
	"adopt":                      {e: Adopt{ID: ID{"t", "u"}, Source: "s", Objects: []Explicit{{Bucket: "b", Key: "k", VersionID: "v"}, {Bucket: "b", Key: "l", VersionID: "v"}}}},
	"cancel":                     {r: leased(settled(StateReceiving)), e: Cancel{3, "reason"}},
	"release":                    {r: settled(StateReceiving), e: Release{"o", "reason"}},
	"add-reference to complete":  {r: completed(StateComplete), e: AddReference{Reference: Reference{"s", "e", 1}}},
	"add-reference to cancelled": {r: completed(StateCancelled), e: AddReference{Reference: Reference{"s", "e", 1}}},
	"drop-reference":             {r: referenced(completed(StateComplete)), e: DropReference{Reference{"s", "e", 1}}},
	"extend-hold of receiving":   {r: held(settled(StateReceiving)), e: ExtendHold{noon.Add(time.Hour)}},
	"extend-hold of held":        {r: held(completed(StateComplete)), e: ExtendHold{noon.Add(time.Hour)}},
	"defer":                      {r: active(held(settled(StateReceiving))), e: Defer{7, ripe}},
	"repair":                     {r: settled(StateReceiving), e: Repair{7, ripe}},
	"expire receiving":           {r: held(settled(StateReceiving)), e: Expire{7, ripe}},
	"expire complete":            {r: held(completed(StateComplete)), e: Expire{7, ripe}},
	"claim expired":              {r: marked(held(settled(StateExpired)), StateReceiving), e: Claim{7, ripe, "w", "token"}},
	"claim cancelled":            {r: settled(StateCancelled), e: Claim{7, ripe, "w", "token"}},
	"trim":                       {r: completed(StateComplete), e: Trim{Version: 7, Cutoff: ripe, Gone: 1}},
	"resupersede":                {r: trimmed(completed(StateComplete)), e: Resupersede{Key{3, 2}}},
	"reclaim":                    {r: settled(StateDeleting), e: Reclaim{"w", "token"}},
	"continue":                   {r: claimed(StateDeleting), e: Continue{Fence: 3, Through: 1}},
	"unclear":                    {r: claimed(StateDeleting), e: Unclear{3}},
	"unclear trim":               {r: completed(StateComplete), e: Unclear{3}},
	"retry":                      {r: claimed(StateDeleting), e: Retry{3, "failed", time.Minute}},
	"unpark":                     {r: parked(settled(StateDeleting)), e: Unpark{}},
	"finish":                     {r: claimed(StateDeleting), e: Finish{Fence: 3, Gone: 2}},
	"reopen":                     {r: retained(settled(StateDeleted)), e: Reopen{}},
	"withdraw":                   {r: adopted(StateCancelled), e: Withdraw{"restored"}},
}

func adopted(s State) Record {
	r := settled(s)
	r.Source = "reconciler hold"
	r.Manifest = Manifest{Explicit: []Explicit{{Bucket: "b", Key: "k", VersionID: "v"}}}
	return r
}

func active(r Record) Record {
	r.LastActivityAt = noon.Add(-time.Minute)
	return r
}

func parked(r Record) Record {
	r.ParkedAt, r.DueAt = old, time.Time{}
	return r
}

func (x example) step(t table) (Change, error) { return t.step(x.p, x.r, x.e, x.now) }

func exampleOf(row string) (example, bool) {
	x, ok := examples[row]
	x.p, x.now = policy.Default(), noon
	return x, ok
}

func TestEachRowAcceptsItsExample(t *testing.T) {
	for _, row := range protocol.rows {
		x, ok := exampleOf(row.name)
		if !ok {
			t.Errorf("row %q has no example", row.name)
			continue
		}
		c, err := x.step(protocol)
		if err != nil || c.Nothing() {
			t.Errorf("row %q: %v, changed %v", row.name, err, !c.Nothing())
		}
		if found, _ := protocol.find(x.r.State, x.e.Kind()); found.name != row.name {
			t.Errorf("the example of %q reaches row %q", row.name, found.name)
		}
	}
	if len(examples) != len(protocol.rows) {
		t.Errorf("%d examples for %d rows", len(examples), len(protocol.rows))
	}
}

// Each guard is the only one that refuses its examples: without it they are
// accepted. So a guard that is removed, or weakened in any of these ways,
// turns this red, whether it guards the protocol or only its input.
func TestEachGuardRefusesWhatOnlyItRefuses(t *testing.T) {
	for _, row := range protocol.rows {
		for _, g := range row.guards {
			name := row.name + ": " + g.name
			t.Run(name, func(t *testing.T) {
				cases := spoilersOf(row.name, g.name)
				if len(cases) == 0 {
					t.Fatal("no example that only this guard refuses")
				}
				for i, spoil := range cases {
					x, _ := exampleOf(row.name)
					x.r.Manifest = x.r.Manifest.listing(listedOf(x.r.Manifest))
					spoil(&x)
					mustRefuse(t, i, x, row.name, g)
				}
			})
		}
	}
}

func mustRefuse(t *testing.T, i int, x example, row string, g guard) {
	t.Helper()
	_, err := x.step(protocol)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Guard != g.name || !errors.Is(err, g.kind) {
		t.Errorf("example %d: got %v, expected a refusal by %q", i+1, err, g.name)
	}
	if c, err := x.step(table{rows: protocol.rows, without: row + ": " + g.name}); err != nil || c.Nothing() {
		t.Errorf("example %d: refused without the guard too: %v", i+1, err)
	}
}

func listedOf(m Manifest) []Key {
	var all []Key
	for _, a := range m.Attempts {
		for seq := 1; seq <= a.Declared; seq++ {
			if a.Listed.Has(seq) {
				all = append(all, Key{a.Number, seq})
			}
		}
	}
	return all
}

func TestRowsAndGuardsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range protocol.rows {
		if seen[row.name] {
			t.Errorf("two rows are called %q", row.name)
		}
		seen[row.name] = true
		for _, s := range row.from {
			if found, _ := protocol.find(s, row.on); found.name != row.name {
				t.Errorf("%s while %s: the row %q hides %q", row.on, s, found.name, row.name)
			}
		}
		for _, g := range row.guards {
			name := row.name + ": " + g.name
			if seen[name] || strings.TrimSpace(g.name) == "" {
				t.Errorf("two guards are called %q", name)
			}
			seen[name] = true
		}
	}
}
