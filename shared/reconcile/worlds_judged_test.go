package reconcile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// howManyWorlds is the number of random inventories.
func howManyWorlds() uint64 {
	if reduced() {
		return 500
	}
	return 10_000
}

func (s setting) rules(t fatal) ruleset {
	rules := testRules(t, func(_ *inventory.Manifest, o *Options) { o.ManifestAt, o.Against = began.Add(s.manifestAt), taken })
	rules.CurrentOnly = s.currentOnly
	return rules
}

func TestRandomWorldsAreJudgedAsTheyWere(t *testing.T) {
	verdicts := map[Verdict]int{}
	for seed := range howManyWorlds() {
		s := drawSetting(rand.New(rand.NewPCG(seed, 1)))
		h := newHistory(s, seed)
		lines, duplicates := h.byKey(s.rules(t))
		if got := sortedTruth(lines); !slices.Equal(h.truth, got) {
			t.Fatalf("world %d, %+v\n%+v\n%+v\n%s", seed, s, h.rows, h.entries, cmp.Diff(h.truth, got))
		}
		if duplicates != h.duplicates {
			t.Fatalf("world %d: %d rows collapsed, %d were added", seed, duplicates, h.duplicates)
		}
		for _, f := range lines {
			verdicts[f.Verdict]++
		}
	}
	for _, v := range Verdicts() {
		if verdicts[v] == 0 && !slices.Contains([]Verdict{Lagging, Leftover}, v) {
			t.Errorf("no world has %s", v)
		}
	}
}
