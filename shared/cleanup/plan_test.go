package cleanup

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// maxPlanBytes is what a plan may take per candidate: a quarter of a million of
// them must fit into a small function.
const maxPlanBytes = 160

// manyCandidates is a plan of n purges, as planning leaves it: ids are parts of
// larger strings that must not be kept.
func manyCandidates(t testing.TB, n int) *Plan {
	t.Helper()
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	plan := &Plan{run: "2026-11-30T12:00:00.000Z#s", cutoff: now, shards: make([]shardPlan, ledger.Shards)}
	for i := range n {
		s := &plan.shards[i%ledger.Shards]
		s.shard = i % ledger.Shards
		s.front.Count++
		pk := fmt.Sprintf("T#tenant-%d#U#0198c2e4-7b1d-7c3a-9f00-%012d%s", i%50, i, strings.Repeat("#padding", 20))
		at := strings.Index(pk, "#U#") + 3
		err := s.add(Candidate{
			Tenant: pk[2 : at-3], Upload: pk[at : at+36], Version: 4, Due: now.UnixMilli() - int64(n-i),
			Action: upload.Purge.String(), Operation: upload.OpClaim, Reason: "cancelled",
			Bucket: "uploads-eu", Objects: 10, Bytes: 1 << 20,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range plan.shards {
		plan.shards[i].seal()
	}
	digest, err := plan.encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	plan.digest = digest
	return plan
}

// planBytes is what a plan of n candidates takes per candidate.
func planBytes(t testing.TB, n int) float64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	plan := manyCandidates(t, n)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(plan)
	return float64(after.HeapAlloc-before.HeapAlloc) / float64(n)
}

func TestPlanOfManyCandidatesStaysSmall(t *testing.T) {
	if got := planBytes(t, 100_000); got > maxPlanBytes {
		t.Errorf("a plan takes %.0f bytes per candidate, at most %d", got, maxPlanBytes)
	}
}

func TestDigestIsOfTheWholePlan(t *testing.T) {
	a, b := manyCandidates(t, 100), manyCandidates(t, 100)
	if a.Digest() != b.Digest() {
		t.Fatal("two equal plans have two digests")
	}
	for name, change := range map[string]func(*Plan){
		"version": func(p *Plan) { p.shards[7].sealed[0].list[3].version++ },
		"action":  func(p *Plan) { p.shards[7].sealed[0].list[3].action = upload.Mark },
		"cutoff":  func(p *Plan) { p.cutoff = p.cutoff.Add(time.Second) },
		"run":     func(p *Plan) { p.run += "x" },
		"cursor":  func(p *Plan) { p.shards[2].cursor.revision++ },
	} {
		c := manyCandidates(t, 100)
		change(c)
		if digest, err := c.encode(nil); err != nil || digest == a.Digest() {
			t.Errorf("a plan with another %s has the same digest (%v)", name, err)
		}
	}
}

func TestPlanIsPrintedWithoutItsCandidates(t *testing.T) {
	got := manyCandidates(t, 32).String()
	for _, want := range []string{"purge (claim)", "to be purged in uploads-eu", "digest "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 6 {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

func TestTwoPlansOfOneLedgerAreEqual(t *testing.T) {
	s := newPassScene(t)
	for shard := range ledger.Shards {
		s.condemnable(shard, 5)
	}
	one, err := s.pass.plan(t.Context(), "run", s.now.Add(-30*time.Minute), s.now)
	s.must(err)
	two, err := s.pass.plan(t.Context(), "run", s.now.Add(-30*time.Minute), s.now)
	s.must(err)
	if one.Digest() != two.Digest() || one.String() != two.String() {
		t.Errorf("plans differ:\n%s\n%s", one, two)
	}
}

func TestTallyThatDoesNotAddUpIsAnError(t *testing.T) {
	whole := PassTally{
		Candidates: amount(3, 6, 9), Kept: amount(1, 1, 1), Published: amount(1, 2, 3),
		Skipped: map[string]Amount{"x": amount(1, 3, 5)},
	}
	if err := whole.Check(); err != nil {
		t.Error(err)
	}
	for name, broken := range map[string]PassTally{
		"uploads": {Candidates: amount(2, 0, 0), Kept: amount(1, 0, 0)},
		"objects": {Candidates: amount(1, 2, 0), Kept: amount(1, 1, 0)},
	} {
		if broken.Check() == nil {
			t.Errorf("%s that do not add up are no error", name)
		}
	}
}

// recordBytes is what n records of one object each take: the rival of a plan
// that keeps no records.
func recordBytes(t testing.TB, n int) float64 {
	t.Helper()
	s := newPassScene(t)
	record := s.record(s.cancelled(0, 1))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	all := make([]upload.Record, n)
	for i := range all {
		all[i] = record
		all[i].Upload = fmt.Sprintf("0198c2e4-7b1d-7c3a-9f00-%012d", i)
		all[i].Manifest.Attempts = []upload.Attempt{{Number: 1, Declared: 1}}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(all)
	return float64(after.HeapAlloc-before.HeapAlloc) / float64(n)
}
