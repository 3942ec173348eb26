package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/cleanup"
	gatememory "github.com/strandline-dev/strandline/shared/gate/memory"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// runPlan measures a pass's plan over a ledger in memory, beside the bare
// paging and look-up that it stands on, and how a backlog goes through passes.
func runPlan(ctx context.Context, args []string) error {
	f := flagsOf("plan")
	entries := f.Int("entries", 1_000_000, "due entries to plan")
	rounds := f.Int("rounds", 5, "pairs of plan and bare look-up; medians are printed")
	backlog := f.Int("backlog", 10_000_000, "due entries to take through passes, none of them stored")
	short := f.Bool("short", false, "100,000 entries to plan, three pairs, a backlog of 500,000")
	if err := parse(f, args); err != nil {
		return err
	}
	crowd := 100_000
	if *short {
		*entries, *rounds, *backlog, crowd = 100_000, 3, 500_000, 10_000
	}
	if *entries < 1_000 || *rounds < 1 || *backlog < 100_000 {
		return errors.New("at least 1,000 entries, one pair and a backlog of 100,000 are needed")
	}
	var all error
	for _, measure := range []func() error{
		func() error { return planSpeed(ctx, *entries, *rounds) },
		func() error { return planShards(ctx, *backlog) },
		func() error { return planTenants(ctx, crowd) },
	} {
		all = errors.Join(all, measure())
		if ctx.Err() != nil {
			break
		}
		debug.FreeOSMemory()
	}
	return all
}

func planSpeed(ctx context.Context, entries, rounds int) error {
	due, err := newDueLedger(ctx, entries)
	if err != nil {
		return err
	}
	// The ledger's gigabyte lies in the process here only: with more room, the
	// collector goes through it less often, for both sides.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	var bare, planned speeds
	for range rounds {
		if err := bare.add(entries, func() error { return due.walk(ctx) }); err != nil {
			return err
		}
		if err := planned.add(entries, func() error { return due.plan(ctx) }); err != nil {
			return err
		}
	}
	kept, above, err := due.memory(ctx)
	if err != nil {
		return err
	}
	return show(fmt.Sprintf("plan: %d due entries, records of 10 objects, in a ledger in memory; the baseline only pages and looks up; medians of %d", entries, rounds),
		figure{what: "planned", measured: median(planned.rate), unit: "entries/s", baseline: median(bare.rate), bound: atLeast(200_000)},
		figure{what: "processor time of an entry, the collector's with it", measured: median(planned.busy), unit: "µs", baseline: median(bare.busy)},
		figure{what: "kept of a candidate beside its ids", measured: kept, unit: "bytes", bound: atMost(64)},
		figure{what: "live while it plans, beside the plan", measured: above, unit: "MB", bound: atMost(8)},
	)
}

// speeds are those of turns: entries a second, and the microseconds of a
// processor that one took.
type speeds struct{ rate, busy []float64 }

// add does something with so many entries, with the heap cleaned up before.
func (s *speeds) add(entries int, do func() error) error {
	runtime.GC()
	begun, before := time.Now(), busy()
	err := do()
	s.rate = append(s.rate, float64(entries)/time.Since(begun).Seconds())
	s.busy = append(s.busy, float64((busy()-before).Microseconds())/float64(entries))
	return err
}

// busy is the processor's time that this process took until now.
func busy() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for a wrong argument only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// memory is what a plan keeps of each candidate beside its ids, in bytes, and
// how much more than the plan was live while it was made, in MB.
func (l *dueLedger) memory(ctx context.Context) (kept, above float64, err error) {
	before := live()
	watched := *l
	watch := &watchedHeap{Candidates: l.store, every: max(1, l.entries/1_000)}
	watched.pass.Candidates = watch
	view, err := watched.preview(ctx)
	after := live()
	runtime.KeepAlive(view)
	return float64(after-before)/float64(l.entries) - l.idBytes, max(0, float64(watch.peak-after)) / 1e6, err
}

// watchedHeap is a ledger that finds out now and then what is live. It answers
// one look-up at a time, so that hardly anything is made meanwhile.
type watchedHeap struct {
	cleanup.Candidates
	mu           sync.Mutex
	asked, every int
	peak         int64
}

func (w *watchedHeap) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	records, err := w.Candidates.LoadMany(ctx, ids)
	if w.asked++; w.asked%w.every == 0 {
		w.peak = max(w.peak, live())
	}
	return records, err
}

// live is what the heap holds, in bytes.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// dueLedger is a ledger in memory in which everything is due, and a pass over
// it.
type dueLedger struct {
	store   *ledgermemory.Store
	pass    cleanup.Pass
	now     time.Time
	entries int
	idBytes float64 // of a tenant and an upload
}

// newDueLedger has cancelled uploads of 10 objects each, of 1,000 tenants.
func newDueLedger(ctx context.Context, entries int) (*dueLedger, error) {
	l := &dueLedger{store: ledgermemory.New(), now: benchNow, entries: entries}
	clock := func() time.Time { return l.now }
	l.pass = cleanup.Pass{
		Policy: policy.Default(), Candidates: l.store, Documents: l.store, Switch: gatememory.New(clock), Now: clock,
	}
	l.pass.Policy.MaxPerPass = ledger.Shards * entries // however the hash divides them
	record, err := givenUp(l.pass.Policy, upload.ID{Tenant: "t", Upload: "u"}, l.now.Add(-48*time.Hour))
	if err != nil {
		return nil, err
	}
	for i := range entries {
		record.ID = upload.ID{Tenant: fmt.Sprintf("tenant-%03d", i%1_000), Upload: fmt.Sprintf("0198c2e4-7b1d-7c3a-9f00-%012d", i)}
		record.DueAt = record.DueAt.Add(time.Millisecond)
		if err := l.store.Commit(ctx, upload.Change{Event: upload.KindCancel, After: record}); err != nil {
			return nil, err
		}
	}
	l.idBytes = float64(len(record.Tenant) + len(record.Upload))
	return l, nil
}

var benchNow = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// givenUp is the record of an upload that declared 10 objects and was cancelled
// then. It has version 1, so that a ledger takes it as a whole.
func givenUp(p policy.Policy, id upload.ID, at time.Time) (upload.Record, error) {
	reserve := upload.Reserve{
		ID: id, Owner: "owner", Holder: "writer", Lease: time.Minute, Deadline: 5 * time.Minute,
		Bucket: "uploads", Prefix: "p", Declared: 10,
	}
	change, err := upload.Step(p, upload.Record{}, reserve, at)
	if err == nil {
		change, err = upload.Step(p, change.After, upload.Cancel{Fence: 1, Reason: "given up"}, at)
	}
	change.After.Version = 1
	return change.After, err
}

func (l *dueLedger) plan(ctx context.Context) error {
	_, err := l.preview(ctx)
	return err
}

// preview is what a pass would do: its plan, digest and judgement, nothing more.
func (l *dueLedger) preview(ctx context.Context) (cleanup.Preview, error) {
	view, err := l.pass.Preview(ctx)
	if n := view.Stats.Candidates.Uploads; err == nil && n != int64(l.entries) {
		err = fmt.Errorf("%d candidates of %d entries", n, l.entries)
	}
	return view, err
}

// walk pages the index and looks every entry up as a plan does: eight shards at
// a time, 1,000 entries a page and 100 a look-up.
func (l *dueLedger) walk(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for shard := range ledger.Shards {
		group.Go(func() error { return l.walkShard(ctx, shard) })
	}
	return group.Wait()
}

func (l *dueLedger) walkShard(ctx context.Context, shard int) error {
	at, more := ledger.Position{}, true
	for more {
		page, err := l.store.Due(ctx, shard, at, l.now, 1_000)
		if err != nil {
			return err
		}
		ids := make([]upload.ID, len(page.Entries))
		for i, entry := range page.Entries {
			ids[i] = entry.ID
		}
		for begin := 0; begin < len(ids); begin += 100 {
			if _, err := l.store.LoadMany(ctx, ids[begin:min(begin+100, len(ids))]); err != nil {
				return err
			}
		}
		at, more = page.Next, page.More
	}
	return nil
}
