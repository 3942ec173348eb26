package reconcile

import (
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
	"github.com/strandline-dev/strandline/shared/policy"
)

func TestRulesRefuseWhatCannotBeJudgedFrom(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*inventory.Manifest, *Options)
		want   string // "" is accepted
	}{
		{"all is given", func(*inventory.Manifest, *Options) {}, ""},
		{"an inventory without a bucket", func(m *inventory.Manifest, _ *Options) { m.SourceBucket = "" }, "which bucket"},
		{"an inventory without a beginning", func(m *inventory.Manifest, _ *Options) { m.Created = time.Time{} }, "when it began"},
		{"no instant of the manifest", func(_ *inventory.Manifest, o *Options) { o.ManifestAt = time.Time{} }, "when the manifest was taken"},
		// Without the floor, uploads in progress are called orphans.
		{"a grace below its floor", func(_ *inventory.Manifest, o *Options) { o.OrphanGrace = day - 1 }, "floor"},
		{"a grace of nothing", func(_ *inventory.Manifest, o *Options) { o.OrphanGrace = 0 }, "floor"},
		{"a grace at its floor", func(_ *inventory.Manifest, o *Options) { o.OrphanGrace = day }, ""},
		// Without it, what is recorded after the inventory began is called missing.
		{"a negative settle", func(_ *inventory.Manifest, o *Options) { o.Settle = -1 }, "settle"},
		{"no settle, of a list that was taken at one instant", func(_ *inventory.Manifest, o *Options) { o.Settle = 0 }, ""},
		{"no greatest age", func(_ *inventory.Manifest, o *Options) { o.MaxInventoryAge = 0 }, "greatest age"},
		// Without it, an inventory of last month calls everything since missing.
		{"an inventory that is too old", func(_ *inventory.Manifest, o *Options) { o.Against = began.Add(4*day + 1) }, "take a newer one"},
		{"an inventory exactly as old as allowed", func(_ *inventory.Manifest, o *Options) { o.Against = began.Add(4 * day) }, ""},
		{"an inventory too old for the manifest, where nothing else is given",
			func(_ *inventory.Manifest, o *Options) { o.Against, o.ManifestAt = time.Time{}, began.Add(5*day) }, "take a newer one"},
		{"a manifest from before the inventory", manifestBefore, ""},
	} {
		m, o := testManifest(), testOptions()
		c.change(&m, &o)
		_, err := newRules(m, o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestTheGracesFloorIsThePolicys(t *testing.T) {
	p := policy.Default()
	p.OrphanGrace = policy.LeastOrphanGrace
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	p.OrphanGrace--
	if p.Validate() == nil {
		t.Errorf("the policy allows a grace below %v", policy.LeastOrphanGrace)
	}
}

// Fractions of a millisecond: an edge that lies within one is rounded to the
// side on which nothing is judged.
func TestEdgesWithinAMillisecond(t *testing.T) {
	rules := testRules(t, func(m *inventory.Manifest, _ *Options) { m.Created = began.Add(500 * time.Microsecond) })
	if edge := after(-grace); rules.oldEnough(edge) || !rules.oldEnough(edge-1) {
		t.Error("the orphan's edge is not rounded down")
	}
	if edge := after(-settle); rules.settled(edge) || !rules.settled(edge-1) {
		t.Error("the settled edge is not rounded down")
	}
}

func TestWhatARunRefusesWhenAllIsRead(t *testing.T) {
	for _, c := range []struct {
		name    string
		sides   sides
		want    string
		allowed bool // where an empty inventory is allowed
	}{
		{"both sides have something", sides{rows: 2, rowsInside: 1, entries: 3, entriesInside: 2, foreign: 1, versions: 2, answered: 2}, "", true},
		{"nothing at all", sides{}, "", true},
		{"a list of current versions", sides{rows: 2, rowsInside: 2, entries: 1, entriesInside: 1}, "", true},
		// Without it, a look-up that found nothing makes everything an orphan.
		{"a manifest without entries", sides{rows: 1, rowsInside: 1}, "everything would be an orphan", false},
		{"a manifest without entries in scope", sides{rows: 1, rowsInside: 1, entries: 5}, "everything would be an orphan", false},
		// Without it, a prefix that is mistyped gives a clean report.
		{"neither in scope", sides{rows: 1, entries: 5}, "is the prefix right", true},
		// Without it, an inventory without files makes everything missing.
		{"an inventory without rows", sides{entries: 1, entriesInside: 1}, "everything would be missing", true},
		{"an inventory without rows in scope", sides{rows: 4, entries: 1, entriesInside: 1}, "everything would be missing", true},
		{"a manifest of another bucket", sides{rows: 1, rowsInside: 1, entries: 3, foreign: 3}, "of another bucket", false},
		{"a manifest of another bucket and an empty inventory", sides{entries: 3, foreign: 3}, "of another bucket", false},
		// Without it, delete markers are called orphans, or ok.
		{"versions without IsDeleteMarker", sides{rows: 2, rowsInside: 2, entries: 1, entriesInside: 1, versions: 2}, "IsDeleteMarker", false},
		{"files with versions and files without", sides{rows: 2, rowsInside: 2, entries: 1, entriesInside: 1, versions: 1, answered: 1}, "others do not", false},
	} {
		err := c.sides.refuse(false)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err := c.sides.refuse(true); (err == nil) != c.allowed {
			t.Errorf("%s, where an empty inventory is allowed: %v", c.name, err)
		}
	}
}

func TestSidesCountWhatTheyRefuseBy(t *testing.T) {
	rules := testRules(t, scoped)
	var a, b sides
	for _, r := range rowsOf(row("v1", named("tenants/a")), row("v1"), row("v2", unanswered), row("")) {
		with := bytesOfRow(r)
		a.sawRow(with, rules.inside(with.Bucket, with.Key))
	}
	elsewhere := func(e *keptEntry) { e.Bucket = "elsewhere" }
	for _, e := range entriesOf(entry("v1", entryOf("tenants/a")), entry("v1"), entry("v1", elsewhere), entry("v1", elsewhere, entryOf("tenants/b"))) {
		with := bytesOfEntry(e)
		b.sawEntry(&rules, with, rules.inside(with.Bucket, with.Key))
	}
	a.add(b)
	want := sides{rows: 4, rowsInside: 1, entries: 4, entriesInside: 1, foreign: 2, versions: 3, answered: 2}
	if a != want {
		t.Errorf("counted %+v, want %+v", a, want)
	}
	if a.currentOnly() || (&sides{}).currentOnly() || !(&sides{rows: 1}).currentOnly() {
		t.Error("a list is of current versions where it has rows and no version ids")
	}
}

func TestAgeBands(t *testing.T) {
	for _, c := range []struct {
		age  time.Duration
		want string
	}{
		{-time.Hour, "<1d"}, {0, "<1d"}, {day - 1, "<1d"}, {day, "1-7d"}, {7*day - 1, "1-7d"}, {7 * day, "7-30d"}, {30 * day, "30-90d"},
		{90 * day, "90-365d"}, {365*day - 1, "90-365d"}, {365 * day, ">1y"},
	} {
		if got := ageBand(began, began.Add(-c.age)); got != c.want {
			t.Errorf("%v before the inventory is %q, want %q", c.age, got, c.want)
		}
	}
	if got := ageBand(began, time.Time{}); got != "unknown" {
		t.Errorf("an unknown instant is %q", got)
	}
}

func TestWhatIsKeptOfARowAndAnEntryIsAllOfIt(t *testing.T) {
	r := row("v1", current, etagged("a"))
	if got := keepRow(bytesOfRow(r)); got != r {
		t.Errorf("kept %+v, want %+v", got, r)
	}
	e := entry("v1", retained, statingETag("a"))
	e.State = manifest.Trimmed
	if got := keepEntry(bytesOfEntry(e)); got != e {
		t.Errorf("kept %+v, want %+v", got, e)
	}
}
