package cleanup_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// rateWorld is a backlog without end, a gate, and a store that counts what is
// begun when. It lives in a bubble of synctest, whose clock goes on while all
// wait for the ledger (5 ms), the store (20 to 40 ms) or the gate.
type rateWorld struct {
	t      *testing.T
	policy policy.Policy
	ledger *ledgers.Store
	gate   *gates.Gate
	began  time.Time

	mu     sync.Mutex // nobody sleeps under it
	dice   *rand.Rand
	sizes  func(n int) int // of the n-th upload
	made   int
	alike  map[int]upload.Record // by size
	hidden []hiddenMessage
	bodies map[string]command.Received
	starts []start
	writes int // of the gate's item, with those that were lost to others
	lost   int
	slots  int // that it gave
	// dies says which worker never comes back from the gate, and takes so many
	// slots with it.
	dies string
	dead int
	// throttling is until when the store refuses everything.
	throttling time.Time
}

type hiddenMessage struct {
	until   time.Time
	message command.Received
}

// start is a delete call: so many versions, at that instant.
type start struct {
	at time.Time
	n  int
}

func newRateWorld(t *testing.T, rate, burst int, sizes func(n int) int) *rateWorld {
	w := &rateWorld{
		t: t, policy: policy.Default(), ledger: ledgers.New(), gate: gates.New(time.Now), began: time.Now(),
		dice: rand.New(rand.NewPCG(1, 2)), sizes: sizes, bodies: map[string]command.Received{}, alike: map[int]upload.Record{},
	}
	must(t, w.gate.SetRate(t.Context(), rate, burst))
	must(t, w.gate.SetMode(t.Context(), gate.Delete))
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// upload is one more that was given up long ago, and the command about it.
func (w *rateWorld) upload() command.Received {
	w.made++
	r := w.like(w.sizes(w.made))
	r.ID = upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u%06d", w.made)}
	must(w.t, w.ledger.Commit(w.t.Context(), upload.Change{Event: upload.KindCancel, After: r}))
	body, err := command.Encode(upload.Command{
		Run: "pass#1", Operation: upload.OpClaim, ID: r.ID, Version: r.Version, Cutoff: w.began.Add(-w.policy.SafetyMargin), Reason: "due",
	})
	must(w.t, err)
	return command.Received{MessageID: r.Upload, Receipt: r.Upload, Body: string(body), Receives: 1}
}

// like is a record of so many objects, as an upload's events leave it; they are
// gone through once for each size.
func (w *rateWorld) like(size int) upload.Record {
	if r, ok := w.alike[size]; ok {
		return r
	}
	var r upload.Record
	apply := func(e upload.Event) {
		change, err := upload.Step(w.policy, r, e, w.began.Add(-8*time.Hour))
		must(w.t, err)
		r = change.After
	}
	id := upload.ID{Tenant: "acme", Upload: "u"}
	apply(upload.Reserve{ID: id, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: purgeBucket, Prefix: "up", Declared: size})
	for seq := 1; seq <= size; seq++ {
		apply(upload.RecordObject{Fence: 1, Seq: seq, VersionID: "v", Size: 4})
	}
	apply(upload.Cancel{Fence: 1, Reason: "test"})
	r.Version = 1 // the ledger sees it for the first time
	w.alike[size] = r
	return r
}

// take hands out messages: those that come back first, then new ones.
func (w *rateWorld) take(n int) []command.Received {
	w.mu.Lock()
	defer w.mu.Unlock()
	var batch []command.Received
	w.hidden = slices.DeleteFunc(w.hidden, func(h hiddenMessage) bool {
		due := len(batch) < n && !h.until.After(time.Now())
		if due {
			batch = append(batch, h.message)
		}
		return due
	})
	for len(batch) < n {
		batch = append(batch, w.upload())
	}
	for _, m := range batch {
		w.bodies[m.Receipt] = m
	}
	return batch
}

// Hide and DeadLetter are the queue's.
func (w *rateWorld) Hide(_ context.Context, receipt string, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hidden = append(w.hidden, hiddenMessage{time.Now().Add(d), w.bodies[receipt]})
	return nil
}

func (w *rateWorld) DeadLetter(_ context.Context, m command.Received, reason string) error {
	w.t.Errorf("message %s went to the dead letters: %s", m.MessageID, reason)
	return nil
}

// worker is one process's.
func (w *rateWorld) worker(name string) *cleanup.Worker {
	tokens := 0
	var mu sync.Mutex
	return &cleanup.Worker{
		Records: slowLedger{w.ledger}, Store: w, Parts: w, Gate: countingGate{w, name}, Queue: w, Policy: w.policy, Name: name, Now: time.Now,
		Sleep: func(ctx context.Context, d time.Duration) error {
			time.Sleep(d)
			return ctx.Err()
		},
		NewToken: func() string {
			mu.Lock()
			defer mu.Unlock()
			tokens++
			return fmt.Sprintf("%s-%d", name, tokens)
		},
		Concurrency: 16, DeadlineMargin: 10 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
}

// crew has workers take batches of a size until the instant.
func (w *rateWorld) crew(workers, batch int, until time.Time) *sync.WaitGroup {
	var crew sync.WaitGroup
	for i := range workers {
		worker := w.worker(fmt.Sprintf("worker-%d", i+1))
		crew.Go(func() {
			for time.Now().Before(until) {
				ctx, cancel := context.WithTimeout(w.t.Context(), w.policy.WorkerTimeout)
				worker.Purge(ctx, w.take(batch))
				cancel()
			}
		})
	}
	return &crew
}

// at does something at an instant, counted from the beginning.
func (w *rateWorld) at(after time.Duration, do func()) {
	time.Sleep(time.Until(w.began.Add(after)))
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
}

// Delete counts, and says what becomes of the versions after a while.
func (w *rateWorld) Delete(_ context.Context, _ string, versions []upload.Condemned) []objects.Result {
	w.mu.Lock()
	w.starts = append(w.starts, start{time.Now(), len(versions)})
	outcome := objects.Gone
	if time.Now().Before(w.throttling) {
		outcome = objects.Throttled
	}
	latency := 20*time.Millisecond + time.Duration(w.dice.Int64N(int64(20*time.Millisecond)))
	w.mu.Unlock()
	time.Sleep(latency)
	return everyResult(versions, outcome, "")
}

func (w *rateWorld) CheckBucket(context.Context, string) error { return nil }
func (w *rateWorld) Abort(context.Context, string, string, string) error {
	w.t.Error("an abort")
	return nil
}

func (w *rateWorld) Versions(context.Context, string, string) iter.Seq2[objects.Version, error] {
	w.t.Error("a listing")
	return func(func(objects.Version, error) bool) {}
}

func (w *rateWorld) Multiparts(context.Context, string, string) iter.Seq2[objects.Multipart, error] {
	w.t.Error("a listing of parts")
	return func(func(objects.Multipart, error) bool) {}
}

func (w *rateWorld) Stat(context.Context, string, string, string) (objects.Facts, error) {
	w.t.Error("a look at a version")
	return objects.Facts{}, nil
}

// slowLedger answers after 5 ms.
type slowLedger struct{ *ledgers.Store }

const ledgerLatency = 5 * time.Millisecond

func (l slowLedger) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	time.Sleep(ledgerLatency)
	return l.Store.LoadMany(ctx, ids)
}

func (l slowLedger) Commit(ctx context.Context, c upload.Change) error {
	time.Sleep(ledgerLatency)
	return l.Store.Commit(ctx, c)
}

// countingGate is the gate as one process has it in the table: it looks, and
// writes on the condition that nobody has written since; each takes 5 ms. It
// counts what it gives and writes, also the writes that only found out that
// somebody else was first.
type countingGate struct {
	w    *rateWorld
	name string
}

func (g countingGate) Read(ctx context.Context) (gate.State, error) {
	time.Sleep(ledgerLatency)
	return g.w.gate.Read(ctx)
}

func (g countingGate) Reserve(ctx context.Context, n int) (gate.Grant, error) {
	seen, err := g.Read(ctx)
	for {
		if err != nil {
			return gate.Grant{}, err
		}
		if _, _, err := seen.Reserve(n, time.Now()); err != nil {
			return gate.Grant{}, err // as was seen, without a write
		}
		time.Sleep(ledgerLatency)
		var stored gate.State
		if stored, err = g.w.gate.Read(ctx); err != nil || g.w.overtaken(seen, stored) {
			seen = stored
			continue
		}
		grant, err := g.w.gate.Reserve(ctx, n)
		if err == nil && g.w.given(g.name, grant.Slots) {
			time.Sleep(time.Hour)
		}
		return grant, err
	}
}

// overtaken counts a write whose condition does not hold.
func (w *rateWorld) overtaken(seen, stored gate.State) bool {
	if stored.ArrivalAt.Equal(seen.ArrivalAt) && stored.SlowedAt.Equal(seen.SlowedAt) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes, w.lost = w.writes+1, w.lost+1
	return true
}

// given counts a block, and reports whether that was the worker's end.
func (w *rateWorld) given(name string, slots int) (dead bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	w.slots += slots
	if w.dies != name {
		return false
	}
	w.dies, w.dead = "", slots
	return true
}

func (g countingGate) Throttled(ctx context.Context) (gate.State, error) {
	time.Sleep(ledgerLatency)
	g.w.mu.Lock()
	g.w.writes++
	g.w.mu.Unlock()
	return g.w.gate.Throttled(ctx)
}

// started is how many deletes began from one instant on, up to another.
func (w *rateWorld) started(from, to time.Time) (n int) {
	for _, s := range w.starts {
		if !s.at.Before(from) && s.at.Before(to) {
			n += s.n
		}
	}
	return n
}

// busiestSecond is the most that began within any second, wherever it begins.
func (w *rateWorld) busiestSecond() (most int) {
	n, first := 0, 0
	for _, s := range w.starts {
		for n += s.n; !s.at.Before(w.starts[first].at.Add(time.Second)); first++ {
			n -= w.starts[first].n
		}
		most = max(most, n)
	}
	return most
}
