package cleanup

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
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

// A tenant with a backlog of 100,000 goes on adding to it; another one releases
// a few uploads in the midst of that. They are published after what was due
// before them in their shard and nothing else: neither what the first tenant
// adds, nor what the index has from before and shows again, comes first. So they
// wait for as many passes as the backlog has shares, and no pass longer.
//
// Without the cursor every pass begins at the backlog's beginning, and what
// does not fit into its share never has its turn.
func TestABacklogOfOneTenantHoldsUpAnotherForItsLengthAtMost(t *testing.T) {
	length, share := 100_000, 600
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		length, share = 4_000, 50
	}
	const others = 50
	s := newTenants(t, share)
	s.release("loud", length)
	s.later(time.Second)
	s.release("quiet", others)
	ahead, bound := *s.due["loud"], 0
	for shard := range ledger.Shards {
		// Half of a share is the front's even while a round is under way.
		bound = max(bound, passesFor(ahead[shard]+s.due["quiet"][shard], share/2))
	}
	s.later(time.Hour)
	pass := 0
	for len(s.published["quiet"]) < others {
		if pass++; pass > bound {
			t.Fatalf("%d of %d are published after %d passes", len(s.published["quiet"]), others, bound)
		}
		s.release("loud", share)
		s.next() // workers are slow: nothing leaves the index
	}
	for id, before := range s.published["quiet"] {
		if shard := ledger.Shard(id); before > ahead[shard] {
			t.Errorf("%d uploads of the other's come before %s, want at most the %d that were due before it", before, id.Upload, ahead[shard])
		}
	}
	if s.again == 0 {
		t.Error("no round came by: the scene shows less than it says")
	}
	t.Logf("behind %d the others have come after %d passes of %d a shard, at most %d; %d were published again meanwhile", length, pass, share, bound, s.again)
}

// tenants release uploads, and are the queue that hears of them.
type tenants struct {
	*passScene
	like upload.Record // what was given up at since
	// since is when, due how many of a tenant's are in each shard.
	since time.Time
	due   map[string]*[ledger.Shards]int

	mu sync.Mutex
	// published says of each how many of other tenants' came before it in its
	// shard; again counts what came more than once.
	published map[string]map[upload.ID]int
	came      map[string]*[ledger.Shards]int
	again     int
}

func newTenants(t *testing.T, share int) *tenants {
	s := &tenants{passScene: newPassScene(t), due: map[string]*[ledger.Shards]int{}, came: map[string]*[ledger.Shards]int{}, published: map[string]map[upload.ID]int{}}
	s.pass.Queue = s
	s.pass.Policy.MaxPerPass = share * ledger.Shards
	s.pass.Policy.RepublishAfter = 2 * s.pass.Policy.ClaimLease // rounds are under way nearly always
	id := upload.ID{Tenant: "nobody", Upload: "u"}
	for _, e := range []upload.Event{
		upload.Reserve{ID: id, Owner: "o", Holder: "w", Lease: time.Minute, Deadline: time.Minute, Bucket: passBucket, Declared: 10},
		upload.Cancel{Fence: 1, Reason: "given up"},
	} {
		change, err := upload.Step(s.pass.Policy, s.like, e, s.now)
		s.must(err)
		s.like = change.After
	}
	s.since, s.like.Version = s.now, 1 // the ledger sees each of them once
	return s
}

// release gives up n uploads of a tenant, a millisecond apart.
func (s *tenants) release(tenant string, n int) {
	s.t.Helper()
	if s.due[tenant] == nil {
		s.due[tenant], s.came[tenant], s.published[tenant] = &[ledger.Shards]int{}, &[ledger.Shards]int{}, map[upload.ID]int{}
	}
	for range n {
		s.made++
		r := s.like
		r.ID = upload.ID{Tenant: tenant, Upload: fmt.Sprintf("u-%07d", s.made)}
		r.DueAt = r.DueAt.Add(s.now.Sub(s.since))
		s.must(s.store.Commit(s.t.Context(), upload.Change{Event: upload.KindCancel, After: r}))
		s.due[tenant][ledger.Shard(r.ID)]++
		s.later(time.Millisecond)
	}
}

// Send notes what comes, shard by shard.
func (s *tenants) Send(_ context.Context, commands []upload.Command) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	accepted := make([]bool, len(commands))
	for i, c := range commands {
		accepted[i] = true
		seen, shard := s.published[c.ID.Tenant], ledger.Shard(c.ID)
		if _, twice := seen[c.ID]; twice {
			s.again++
			continue
		}
		seen[c.ID] = 0
		for tenant, came := range s.came {
			if tenant != c.ID.Tenant {
				seen[c.ID] += came[shard]
			}
		}
		s.came[c.ID.Tenant][shard]++
	}
	return accepted, nil
}

// Depth is that of a queue which is emptied at once.
func (s *tenants) Depth(context.Context) (int64, error) { return 0, nil }

func passesFor(entries, share int) int { return (entries + share - 1) / share }
