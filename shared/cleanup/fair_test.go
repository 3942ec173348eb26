package cleanup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/ledger/backlog"
	"github.com/strandline-dev/strandline/shared/upload"
)

// backlogScene is a pass over a backlog of that many entries in each shard.
func backlogScene(t testing.TB, entries int) (*passScene, *backlog.Backlog) {
	s := newPassScene(t)
	record := s.record(s.cancelled(0, 10))
	b := &backlog.Backlog{Record: record, First: record.DueAt}
	for shard := range b.Entries {
		b.Entries[shard] = entries
	}
	s.pass.Candidates, s.pass.Queue = b, b
	s.pass.AtOnce = 1 // so that what a pass comes to does not depend on the machine
	s.later(time.Hour)
	return s, b
}

// next makes a pass 15 minutes after the one before.
func (s *passScene) next() Report {
	s.t.Helper()
	s.later(15 * time.Minute)
	s.census(map[string]int64{passBucket: 1 << 50})
	r := s.run()
	s.wantState(r, RunDone)
	s.must(r.Tally.Check())
	return r
}

// Without the turns a pass that ends early has emptied the first shards and not
// begun with the last ones. Without the order by who waits longest, passes that
// come to one batch each publish from the same shard again and again.
func TestPassesThatEndEarlyLeaveNoShardBehind(t *testing.T) {
	const entries = 1_000
	s, b := backlogScene(t, entries)
	random := rand.New(rand.NewPCG(8, 7))
	for pass := 0; slices.Min(all(b.Published())) < entries; pass++ {
		if pass > 200 {
			t.Fatalf("after %d passes %v are published", pass, b.Published())
		}
		b.Room([]int{1, 100, 300, 900, 1_700, 2_500}[random.IntN(6)])
		s.next()
		b.Purge()
		published := all(b.Published())
		if least, most := slices.Min(published), slices.Max(published); most-least > batchSize {
			t.Fatalf("pass %d: a shard is at %d, another at %d: %v", pass, least, most, published)
		}
	}
}

func all(n [ledger.Shards]int) []int { return n[:] }

// Without shares the first shards use a pass up.
func TestAPassTakesTheSameShareOfEachShard(t *testing.T) {
	s, b := backlogScene(t, 250)
	b.Entries[3] = 2_500 // one with ten times as much holds up nobody, and takes nobody's share
	s.pass.Policy.MaxPerPass = 100 * ledger.Shards
	b.Room(1 << 30)
	for pass := 1; pass <= 25; pass++ {
		r := s.next()
		b.Purge()
		for shard, got := range b.Published() {
			if want := min(b.Entries[shard], 100*pass); got != want {
				t.Fatalf("pass %d published %d of shard %d, want %d", pass, got, shard, want)
			}
		}
		if more := pass < 25; r.More != more {
			t.Errorf("pass %d says more: %t", pass, r.More)
		}
	}
}

// A tenant with a backlog goes on adding to it; another one releases a few
// uploads in the midst of that. They are published after what was due before
// them and nothing else: neither what the first tenant adds, nor what the index
// has from before and shows again, comes first.
//
// Without the cursor every pass begins at the backlog's beginning, and what
// does not fit into its share never has its turn.
func TestABacklogOfOneTenantHoldsUpAnotherForItsLengthAtMost(t *testing.T) {
	const share = 50
	s := newPassScene(t)
	s.pass.Policy.MaxPerPass = share * ledger.Shards
	s.pass.Policy.QueueHighWater = 1 << 40
	s.pass.Policy.RepublishAfter = 2 * s.pass.Policy.ClaimLease // rounds are under way nearly always
	release := func(tenant string, n int) (shards [ledger.Shards]int) {
		for range n {
			s.made++
			id := upload.ID{Tenant: tenant, Upload: fmt.Sprintf("u-%06d", s.made)}
			e := upload.Reserve{ID: id, Owner: "o", Holder: "w", Lease: time.Minute, Deadline: time.Minute, Bucket: passBucket, Declared: 10}
			s.do(id, e, upload.Cancel{Fence: 1, Reason: "given up"})
			shards[ledger.Shard(id)]++
			s.later(time.Millisecond)
		}
		return shards
	}
	ahead := release("loud", 4_000)
	s.later(time.Second)
	waiting := release("quiet", 20)
	bound := 0
	for shard := range ledger.Shards {
		// Half of a share is the front's even while a round is under way.
		bound = max(bound, passesFor(ahead[shard]+waiting[shard], share/2))
	}
	s.later(time.Hour)
	again := 0
	before, quiet := map[upload.ID]bool{}, map[upload.ID]bool{}
	for pass := 1; len(quiet) < 20; pass++ {
		if pass > bound {
			t.Fatalf("%d of 20 are published after %d passes", len(quiet), bound)
		}
		release("loud", 100)
		s.next()
		for _, c := range s.sent() { // workers are slow: nothing leaves the index
			switch {
			case before[c.ID]:
				again++
			case c.ID.Tenant == "quiet":
				quiet[c.ID] = true
			case len(quiet) < 20:
				before[c.ID] = true
			}
		}
	}
	if again == 0 {
		t.Error("no round came by: the scene shows less than it says")
	}
	if most := 4_000 + executors*batchSize; len(before) > most {
		t.Errorf("%d uploads of the backlog lie before the last of the others, want at most %d", len(before), most)
	}
}

func passesFor(entries, share int) int { return (entries + share - 1) / share }
