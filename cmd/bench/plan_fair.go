package main

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	gatememory "github.com/strandline-dev/strandline/shared/gate/memory"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/ledger/backlog"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// A pass executes so many batches at once, each of so many candidates of one
// shard; see docs/protocol.md, 4.
const inTurns, batch = 8, 100

// passes is an installation in memory whose passes publish whatever is due: the
// default policy, but for what may go in a day.
type passes struct {
	pass  cleanup.Pass
	store *ledgermemory.Store
	now   time.Time
	count int
}

func newPasses(ctx context.Context) (*passes, error) {
	s := &passes{store: ledgermemory.New(), now: benchNow}
	clock := func() time.Time { return s.now }
	open := gatememory.New(clock)
	s.pass = cleanup.Pass{
		Policy: policy.Default(), Candidates: s.store, Documents: s.store, Switch: open, Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	s.pass.Policy.MaxDeleteCount = 1 << 50
	return s, open.SetMode(ctx, gate.Delete)
}

// next makes a pass, 15 minutes after the one before.
func (s *passes) next(ctx context.Context) error {
	s.now, s.count = s.now.Add(s.pass.Policy.PassEvery), s.count+1
	if _, err := (cleanup.Census{Ledger: s.store, Now: s.pass.Now, Log: s.pass.Log}).Recount(ctx); err != nil {
		return err
	}
	r, err := s.pass.Run(ctx, cleanup.Trigger{Schedule: "bench", FireTime: s.now})
	if err == nil && r.State != cleanup.RunDone {
		err = fmt.Errorf("a pass ended %s: %s", r.State, r.Reason)
	}
	return err
}

// planShards takes passes through a backlog of which nothing is stored. The
// queue has room for a number of commands that is drawn for each pass, at least
// two batches of each shard's, so that most passes end early; workers empty it
// before the next. One batch is executed at a time: no call takes any time here,
// so that of several at once the machine alone would choose who is ahead.
func planShards(ctx context.Context, entries int) error {
	s, err := newPasses(ctx)
	if err != nil {
		return err
	}
	b := &backlog.Backlog{First: s.now.Add(-48 * time.Hour)}
	if b.Record, err = givenUp(s.pass.Policy, upload.ID{Tenant: "t", Upload: "u"}, b.First); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(8, 0))
	for range entries { // as a hash divides them
		b.Entries[random.IntN(ledger.Shards)]++
	}
	s.pass.Candidates, s.pass.Queue, s.pass.AtOnce = b, b, 1
	s.pass.Policy.MaxPerPass = max(4*batch*ledger.Shards, entries/40)
	least := slices.Min(b.Entries[:])
	var seen [][ledger.Shards]int
	began := time.Now()
	for n := ([ledger.Shards]int{}); n != b.Entries; n = b.Published() {
		b.Room(2*batch*ledger.Shards + random.IntN(s.pass.Policy.MaxPerPass))
		if err := s.next(ctx); err != nil {
			return err
		}
		b.Purge()
		seen = append(seen, b.Published())
	}
	return show(fmt.Sprintf("plan: %d due entries over %d shards, nothing stored; %d passes of at most %d, most of them ended early by a full queue; %.0f s",
		entries, ledger.Shards, len(seen), s.pass.Policy.MaxPerPass, time.Since(began).Seconds()),
		figure{what: "furthest that a shard was ahead of another, after a pass", measured: float64(apart(seen, least)), unit: "entries", bound: atMost(batch)},
		figure{what: "passes that a shard's k-th entry came after another's", measured: float64(behind(seen, least)), unit: "passes", bound: atMost(1)},
	)
}

// apart is the most entries that one shard was ahead of another, while all had
// some left.
func apart(seen [][ledger.Shards]int, least int) (most int) {
	for _, n := range seen {
		if slices.Max(n[:]) < least {
			most = max(most, slices.Max(n[:])-slices.Min(n[:]))
		}
	}
	return most
}

// behind is the most passes by which one shard's k-th entry was published after
// another's, for any k that all have.
func behind(seen [][ledger.Shards]int, least int) (most int) {
	for i, n := range seen {
		leader := min(slices.Max(n[:]), least)
		late := slices.IndexFunc(seen[i:], func(n [ledger.Shards]int) bool { return slices.Min(n[:]) >= leader })
		most = max(most, late)
	}
	return most
}

// line is a queue that hands out in the order in which it was filled, which is
// the least that SQS does for a tenant behind another's backlog.
type line struct {
	mu     sync.Mutex
	sent   []string // tenants
	worked int
}

func (l *line) Send(_ context.Context, commands []upload.Command) ([]bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	accepted := make([]bool, len(commands))
	for i, c := range commands {
		l.sent, accepted[i] = append(l.sent, c.ID.Tenant), true
	}
	return accepted, nil
}

func (l *line) Depth(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.sent) - l.worked), nil
}

const (
	loud, quiet = "loud", "quiet"
	// few is how many uploads the tenant has that must not wait.
	few = 10
)

// planTenants has one tenant with a backlog and another with a few uploads that
// were due a second later, and passes until the other's are published.
func planTenants(ctx context.Context, crowd int) error {
	s, err := newPasses(ctx)
	if err != nil {
		return err
	}
	queue := &line{}
	s.pass.Queue = queue
	ahead, err := s.release(ctx, crowd)
	if err != nil {
		return err
	}
	p := s.pass.Policy
	perPass := int(p.PassEvery.Seconds()) * p.DeleteRate / 10 // uploads of 10 objects
	half := p.MaxPerPass / ledger.Shards / 2
	bound := (ahead + half - 1) / half
	for n := 0; n < few; n = count(queue.sent, quiet) {
		queue.worked = min(len(queue.sent), queue.worked+perPass)
		if err := s.next(ctx); err != nil {
			return err
		}
	}
	last := slices.Index(queue.sent, quiet)
	for i, tenant := range queue.sent {
		if tenant == quiet {
			last = i
		}
	}
	minutes := func(passes, before int) float64 {
		return float64(passes)*p.PassEvery.Minutes() + math.Ceil(float64(before*10)/float64(p.DeleteRate))/60
	}
	inQueue := int(p.QueueHighWater) + inTurns*batch
	return show(fmt.Sprintf("plan: a tenant has %d uploads due, another %d that were due a second later; the default policy, a queue without groups", crowd, few),
		figure{what: "passes until all of the other's are published", measured: float64(s.count), unit: "passes", bound: atMost(float64(bound))},
		figure{what: "of the backlog in front of the last of them", measured: float64(last - few + 1), unit: "uploads", bound: atMost(float64(crowd + inTurns*batch))},
		figure{what: "until all of the other's are purged, at the default rate", measured: minutes(s.count, last-queue.worked), unit: "minutes", bound: atMost(minutes(bound, inQueue))},
	)
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// release has both tenants give uploads up, a millisecond apart, and returns
// how many are in the fullest shard.
func (s *passes) release(ctx context.Context, crowd int) (ahead int, err error) {
	at := s.now.Add(-48 * time.Hour)
	var shards [ledger.Shards]int
	for i := range crowd + few {
		id := upload.ID{Tenant: loud, Upload: fmt.Sprintf("0198c2e4-7b1d-7c3a-9f00-%012d", i)}
		if i >= crowd {
			id.Tenant = quiet
		}
		record, err := givenUp(s.pass.Policy, id, at.Add(time.Duration(i)*time.Millisecond))
		if err != nil {
			return 0, err
		}
		if err := s.store.Commit(ctx, upload.Change{Event: upload.KindCancel, After: record}); err != nil {
			return 0, err
		}
		shards[ledger.Shard(id)]++
	}
	return slices.Max(shards[:]), nil
}
