package comparison

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/reconcile"
)

type (
	counts = map[reconcile.Verdict]reconcile.Count
	groups = map[string]counts
)

func result() Result {
	created := time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)
	return Result{
		Summary: reconcile.Summary{
			Counts:   counts{reconcile.OK: {Count: 1_200, Bytes: 5e6}, reconcile.Orphan: {Count: 3, Bytes: 1_500}, reconcile.Missing: {Count: 1}},
			ByTenant: groups{"": {reconcile.Orphan: {Count: 3, Bytes: 1_500}}, "a\tb": {reconcile.Missing: {Count: 1}}, "acme": {reconcile.OK: {Count: 1_200}}},
			ByAge:    groups{">1y": {reconcile.Orphan: {Count: 1}}, "7-30d": {reconcile.Orphan: {Count: 2}, reconcile.Missing: {Count: 1}}},
			Rows:     1_204, Entries: 1_201, Duplicates: 1, Unrecorded: 2, Bucket: "b", Created: created, ManifestAt: created.Add(35 * time.Hour),
		},
		Inputs:      Inputs{Inventory: InventoryInput{Manifest: "m.json", Format: "CSV", Files: 2}, Manifests: []string{"k.csv"}},
		OrphanGrace: 168 * time.Hour, Settle: 48 * time.Hour, MaxOrphanPercent: 25, Took: 1500 * time.Millisecond,
	}
}

func TestTheTableSaysWhatWasComparedAndWhatWasFound(t *testing.T) {
	out := &strings.Builder{}
	if err := result().Table(out); err != nil {
		t.Fatal(err)
	}
	want := `bucket     b
inventory  listed 2026-11-28 01:00 UTC, CSV, 2 files, 1,204 rows, 1 identical, counted once
key lists  taken 2026-11-29 12:00 UTC, 1 list, 1,201 lines, 2 without recorded_at: taken for old
judged     orphans are older than 168h before both; what was recorded later than 48h before the listing is left alone

verdict      versions       bytes  
orphan              3     1.50 kB  there, and nobody owns it
missing             1         0 B  owned, and not there
ok              1,200     5.00 MB  owned, and there

by tenant  verdict      versions       bytes
(none)     orphan              3     1.50 kB
"a\tb"     missing             1         0 B

by age  verdict      versions       bytes
7-30d   orphan              2         0 B
        missing             1         0 B
>1y     orphan              1         0 B

which objects these are: --findings FILE.jsonl
findings, in 1.5s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestABreakdownIsCappedAndSaysSo(t *testing.T) {
	r := result()
	for n := range 100 {
		r.Summary.ByTenant[fmt.Sprintf("t%02d", n)] = counts{reconcile.Orphan: {Count: int64(n + 1)}}
	}
	out := &strings.Builder{}
	if err := r.Table(out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\nt"); n != most {
		t.Errorf("%d tenants are shown", n)
	}
	for _, says := range []string{"\nt99 ", "and 90 lines more: --json has them all"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("no %q in\n%s", says, out)
		}
	}
}

// An incomplete key list looks like a bucket full of orphans: without the
// warning somebody would clear what is in use.
func TestTooManyOrphansAreCalledWhatTheyLookLike(t *testing.T) {
	r := result()
	r.Summary.HoldsBlocked = true
	out := &strings.Builder{}
	if err := r.Table(out); err != nil || !strings.Contains(out.String(), "More than 25 % of the inventory's rows are orphans.") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Without the line, lists from before the inventory, or a mistyped --prefix,
// look like a bucket in order.
func TestAComparisonThatCannotSayMuchSaysSo(t *testing.T) {
	for says, change := range map[string]func(*reconcile.Summary){
		"":                            func(*reconcile.Summary) {},
		"told to be an orphan":        func(s *reconcile.Summary) { s.ManifestAt = s.Created },
		"careful    nothing was comp": func(s *reconcile.Summary) { s.Counts = counts{reconcile.Ignored: {Count: 7}} },
	} {
		r, out := result(), &strings.Builder{}
		change(&r.Summary)
		if err := r.Table(out); err != nil || !strings.Contains(out.String(), says) || strings.Contains(out.String(), "careful") != (says != "") {
			t.Errorf("%q: %v\n%s", says, err, out)
		}
	}
}

func TestTheJSONHasNumbersByVerdict(t *testing.T) {
	r := result()
	r.Findings = &Written{File: "f.jsonl", Lines: 4}
	out := &strings.Builder{}
	if err := r.JSON(out); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"bucket": "b", "inventory_created": "2026-11-28T01:00:00Z", "manifest_snapshot": "2026-11-29T12:00:00Z",
		"orphan_grace": "168h", "settle": "48h",
		"counts": map[string]any{"ok": 1200.0, "orphan": 3.0, "missing": 1.0},
		"bytes":  map[string]any{"ok": 5e6, "orphan": 1500.0, "missing": 0.0},
		"rows":   1204.0, "entries": 1201.0, "duplicates": 1.0, "unrecorded": 2.0, "holds_blocked": false,
		"findings": map[string]any{"file": "f.jsonl", "lines": 4.0},
		"inputs": map[string]any{
			"inventory": map[string]any{"manifest": "m.json", "format": "CSV", "files": 2.0}, "manifests": []any{"k.csv"},
		},
	}
	for name, value := range want {
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOnlyFindingsMakeAComparisonUnclean(t *testing.T) {
	r := result()
	r.Summary.Counts = counts{reconcile.OK: {Count: 1}, reconcile.Gone: {Count: 1}, reconcile.TooFresh: {Count: 1}, reconcile.Missing: {}}
	if !r.Clean() {
		t.Error("without a finding it is not clean")
	}
	r.Summary.Counts[reconcile.NotCheckable] = reconcile.Count{Count: 1}
	if r.Clean() {
		t.Error("with a finding it is clean")
	}
}

func TestEveryVerdictHasItsWords(t *testing.T) {
	for _, v := range reconcile.Verdicts() {
		if says(v) == "" {
			t.Errorf("%s has none", v)
		}
	}
}
