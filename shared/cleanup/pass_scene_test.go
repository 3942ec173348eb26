package cleanup

import (
	"fmt"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	commandmemory "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	gatememory "github.com/strandline-dev/strandline/shared/gate/memory"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const passBucket = "bucket-a"

// passScene is an installation in memory on a clock that only moves when told.
type passScene struct {
	t     testing.TB
	now   time.Time
	store *ledgermemory.Store
	gate  *gatememory.Gate
	queue *commandmemory.Queue
	pass  Pass
	made  int
}

// newPassScene is an installation in which deletion is allowed, and that was
// counted as holding a million objects in its bucket.
func newPassScene(t testing.TB) *passScene {
	s := &passScene{t: t, now: time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC), store: ledgermemory.New()}
	// A real clock has more digits than the ledger.
	clock := func() time.Time { return s.now.Add(123_456 * time.Nanosecond) }
	s.gate = gatememory.New(clock)
	s.must(s.gate.SetMode(t.Context(), gate.Delete))
	s.queue = commandmemory.New(clock, 12*time.Minute)
	s.pass = Pass{
		Policy: policy.Default(), Candidates: s.store, Documents: s.store, Switch: s.gate, Queue: s.queue,
		Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	s.census(map[string]int64{passBucket: 1_000_000})
	return s
}

func (s *passScene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// census stores a census as of now.
func (s *passScene) census(objects map[string]int64) {
	s.t.Helper()
	c := Census{Ledger: s.store, Now: s.pass.Now, Log: s.pass.Log}
	revisions := map[string]int64{}
	for doc, err := range s.store.List(s.t.Context(), censuses, "", "") {
		s.must(err)
		revisions[doc.ID] = doc.Revision
	}
	for bucket, n := range objects {
		s.must(c.put(s.t.Context(), BucketCensus{Bucket: bucket, Objects: n, AsOf: s.now}, revisions[bucket]))
	}
	s.must(c.put(s.t.Context(), BucketCensus{Bucket: censusOfAll, AsOf: s.now}, revisions[censusOfAll]))
}

// do applies events to an upload, each now, and returns its record.
func (s *passScene) do(id upload.ID, events ...upload.Event) upload.Record {
	s.t.Helper()
	r, err := s.store.Load(s.t.Context(), id)
	s.must(err)
	for _, e := range events {
		change, err := upload.Step(s.pass.Policy, r, e, s.now)
		s.must(err)
		s.must(s.store.Commit(s.t.Context(), change))
		r = change.After
	}
	return r
}

// fresh is an id that was not used yet, in the shard.
func (s *passScene) fresh(shard int) upload.ID {
	for {
		s.made++
		id := upload.ID{Tenant: "tenant-1", Upload: fmt.Sprintf("u-%06d", s.made)}
		if ledger.Shard(id) == shard {
			return id
		}
	}
}

// reserved is an upload that declared that many objects, with a short deadline.
func (s *passScene) reserved(shard, objects int, with ...func(*upload.Reserve)) upload.ID {
	s.t.Helper()
	id := s.fresh(shard)
	e := upload.Reserve{
		ID: id, Owner: "owner-1", Holder: "writer-1", Lease: time.Minute, Deadline: time.Minute,
		Bucket: passBucket, Declared: objects,
	}
	for _, change := range with {
		change(&e)
	}
	s.do(id, e)
	return id
}

func held(d time.Duration, s *passScene) func(*upload.Reserve) {
	return func(e *upload.Reserve) { e.HoldUntil = s.now.Add(d) }
}

func inBucket(bucket string) func(*upload.Reserve) {
	return func(e *upload.Reserve) { e.Bucket = bucket }
}

// cancelled is an upload that was given up: due 16 minutes from now.
func (s *passScene) cancelled(shard, objects int, with ...func(*upload.Reserve)) upload.ID {
	s.t.Helper()
	id := s.reserved(shard, objects, with...)
	s.do(id, upload.Cancel{Fence: 1, Reason: "test"})
	return id
}

// condemnable makes n cancelled uploads of one object in the shard, a
// millisecond apart, and lets them become due.
func (s *passScene) condemnable(shard, n int) []upload.ID {
	s.t.Helper()
	ids := make([]upload.ID, n)
	for i := range ids {
		ids[i] = s.cancelled(shard, 1)
		s.now = s.now.Add(time.Millisecond)
	}
	s.later(time.Hour)
	return ids
}

func (s *passScene) later(d time.Duration) { s.now = s.now.Add(d) }

// trigger fires now.
func (s *passScene) trigger() Trigger { return Trigger{Schedule: "every-15m", FireTime: s.now} }

// run makes a pass that must not fail.
func (s *passScene) run() Report {
	s.t.Helper()
	r, err := s.pass.Run(s.t.Context(), s.trigger())
	s.must(err)
	return r
}

// sent takes all visible messages from the queue and returns what they name.
func (s *passScene) sent() []upload.Command {
	s.t.Helper()
	var all []upload.Command
	for {
		got, err := s.queue.Receive(s.t.Context(), 10, 0)
		s.must(err)
		if len(got) == 0 {
			return all
		}
		for _, m := range got {
			c, err := command.Decode([]byte(m.Body))
			s.must(err)
			all = append(all, c)
			s.must(s.queue.Acknowledge(s.t.Context(), m.Receipt))
		}
	}
}

func (s *passScene) sentIDs() map[upload.ID]int {
	ids := map[upload.ID]int{}
	for _, c := range s.sent() {
		ids[c.ID]++
	}
	return ids
}

func (s *passScene) record(id upload.ID) upload.Record {
	s.t.Helper()
	r, err := s.store.Load(s.t.Context(), id)
	s.must(err)
	return r
}

// revisions lists every document but runs and the lease, to see whether
// anything was written.
func (s *passScene) revisions() map[string]int64 {
	s.t.Helper()
	all := map[string]int64{}
	for _, collection := range []string{cursors, censuses} {
		for doc, err := range s.store.List(s.t.Context(), collection, "", "") {
			s.must(err)
			all[collection+"/"+doc.ID] = doc.Revision
		}
	}
	return all
}

// nothingDone fails the test if the pass wrote or published anything.
func (s *passScene) nothingDone(before map[string]int64, records ...upload.Record) {
	s.t.Helper()
	if !maps.Equal(before, s.revisions()) {
		s.t.Errorf("documents were written: %v, before %v", s.revisions(), before)
	}
	if n := len(s.sent()); n > 0 {
		s.t.Errorf("%d commands were published", n)
	}
	for _, r := range records {
		if now := s.record(r.ID); now.Version != r.Version {
			s.t.Errorf("upload %s was changed from version %d to %d", r.ID, r.Version, now.Version)
		}
	}
}

func (s *passScene) wantState(r Report, want RunState) {
	s.t.Helper()
	if r.State != want {
		s.t.Fatalf("run is %q (%s), want %q", r.State, r.Reason, want)
	}
}

// newEmptyScene is a new installation in which deletion is allowed: no census.
func newEmptyScene(t testing.TB) *passScene {
	s := newPassScene(t)
	s.store = ledgermemory.New()
	s.pass.Candidates, s.pass.Documents = s.store, s.store
	return s
}
