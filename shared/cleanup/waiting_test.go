package cleanup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

func (s *passScene) stuckNow() map[upload.ID]string {
	s.t.Helper()
	all := map[upload.ID]string{}
	for u, err := range StuckUploads(s.t.Context(), s.store, s.pass.Policy, s.now, func(int) {}) {
		s.must(err)
		if len(u.Record.Manifest.Attempts) > 0 {
			s.t.Error("a manifest came along")
		}
		all[u.Record.ID] = u.Reason
	}
	return all
}

// An upload whose hold is far ahead is looked at by no pass until then: a list
// that asked for what is due would leave it out for a month.
func TestEveryStuckUploadIsFoundAlsoOneThatIsNotDueForLong(t *testing.T) {
	s := newPassScene(t)
	begin := upload.BeginAssembly{Fence: 1}
	soon, far := s.reserved(1, 1), s.reserved(2, 1, held(720*time.Hour, s))
	s.do(soon, begin)
	s.do(far, begin)
	s.reserved(3, 1)
	s.cancelled(4, 1)
	if got := s.stuckNow(); len(got) != 0 {
		t.Errorf("stuck at once: %v", got)
	}
	s.later(s.pass.Policy.StuckAfter)
	fresh := s.reserved(5, 1)
	s.do(fresh, begin)
	s.later(time.Hour)
	ahead := s.reserved(6, 1)
	s.later(-time.Hour)
	got := s.stuckNow()
	if len(got) != 3 || got[soon] != StuckAssembling || got[far] != StuckAssembling || got[ahead] != StuckFuture {
		t.Errorf("stuck: %v", got)
	}
}

// What a list calls stuck must be what the passes count as stuck.
func TestWhatIsListedAsStuckIsWhatAPassCounts(t *testing.T) {
	s := newPassScene(t)
	for n := range 5 {
		s.do(s.reserved(n, 1), upload.BeginAssembly{Fence: 1})
	}
	s.later(60 * time.Hour)
	report := s.run()
	if got := s.stuckNow(); int64(len(got)) != report.Tally.Stuck.Uploads || len(got) != 5 {
		t.Errorf("%d are listed, the pass counts %d", len(got), report.Tally.Stuck.Uploads)
	}
}

// longIndex is a due index of many uploads that are assembling for too long, in
// short pages, some of which are empty although more follow.
type longIndex struct{ each int }

func (x longIndex) Due(_ context.Context, shard int, at ledger.Position, _ time.Time, _ int) (ledger.Page, error) {
	begin := 0
	if !at.IsZero() {
		begin = int(at.At.Sub(longAgo) / time.Millisecond)
	}
	page := ledger.Page{Next: ledger.Position{ID: at.ID, At: longAgo.Add(time.Duration(begin) * time.Millisecond)}}
	if page.Next.ID.Upload == "" || begin%300 == 0 && at.ID.Upload != "empty" {
		page.Next.ID = upload.ID{Tenant: "t", Upload: "empty"}
		page.More = true
		return page, nil
	}
	for n := begin; n < min(begin+100, x.each); n++ {
		id := upload.ID{Tenant: "t", Upload: fmt.Sprintf("%02d-%d", shard, n)}
		page.Entries = append(page.Entries, ledger.Due{ID: id, At: longAgo.Add(time.Duration(n+1) * time.Millisecond)})
		page.Next = ledger.Position(page.Entries[len(page.Entries)-1])
	}
	page.More = begin+100 < x.each
	return page, nil
}

var longAgo = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (x longIndex) LoadMany(_ context.Context, ids []upload.ID) ([]upload.Record, error) {
	all := make([]upload.Record, len(ids))
	for i, id := range ids {
		all[i] = upload.Record{
			ID: id, Schema: upload.Schema, State: upload.StateAssembling, Version: 1, LastActivityAt: longAgo, DueAt: longAgo,
			Manifest: upload.Manifest{Attempts: []upload.Attempt{{Number: 1, Declared: 1}}, Objects: make([]upload.Object, 20)},
		}
	}
	return all, nil
}

// Neither a page that is short nor one that is empty is the end, and a shard
// that is far ahead waits for the others.
func TestALongIndexIsReadToItsEndInBoundedMemory(t *testing.T) {
	each := 3_000
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		each = 600
	}
	p, seen, most := policy.Default(), map[upload.ID]bool{}, uint64(0)
	var looked atomic.Int64
	for s, err := range StuckUploads(t.Context(), longIndex{each}, p, longAgo.Add(9_000*time.Hour), func(n int) { looked.Add(int64(n)) }) {
		if err != nil {
			t.Fatal(err)
		}
		seen[s.Record.ID] = true
		if len(seen)%4_800 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	want := each * ledger.Shards
	if len(seen) != want || looked.Load() != int64(want) {
		t.Errorf("%d of %d were found, %d looked at", len(seen), want, looked.Load())
	}
	if most > 64<<20 { // the set of what was seen is most of it
		t.Errorf("%d MB were held", most>>20)
	}
}

func TestEveryParkedUploadIsFoundUntilItIsUnparked(t *testing.T) {
	s := newPassScene(t)
	want := map[upload.ID]bool{}
	for n := range 9 {
		want[s.parked(n)] = true
	}
	s.cancelled(1, 1)
	out := s.parked(1)
	_, err := Unpark(t.Context(), s.store, s.pass.Policy, out, s.now)
	s.must(err)
	got := 0
	for r, err := range ParkedUploads(t.Context(), s.store) {
		s.must(err)
		if got++; !want[r.ID] || r.LastError != "access denied" {
			t.Errorf("%s: %q", r.ID, r.LastError)
		}
	}
	if got != len(want) {
		t.Errorf("%d were found, %d are parked", got, len(want))
	}
}

// endless is a parking lot of as many uploads as are asked for.
type endless struct{ each int }

func (e endless) Parked(_ context.Context, segment, _ int) iter.Seq2[upload.Record, error] {
	return func(yield func(upload.Record, error) bool) {
		for n := range e.each {
			r := upload.Record{ID: upload.ID{Tenant: "t", Upload: fmt.Sprintf("%d-%d", segment, n)}}
			r.LastError = string(make([]byte, 200))
			if !yield(r, nil) {
				return
			}
		}
	}
}

// The denial of one right parks everything: the list must not end the command
// that is to help.
func TestManyParkedUploadsAreListedInBoundedMemory(t *testing.T) {
	each := 200_000 / parkedSegments
	seen, most := 0, uint64(0)
	for _, err := range ParkedUploads(t.Context(), endless{each}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen%50_000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	if seen != each*parkedSegments {
		t.Errorf("%d of %d", seen, each*parkedSegments)
	}
	if most > 64<<20 {
		t.Errorf("%d MB were held", most>>20)
	}
}

// Without the error a list that is cut short looks like a whole one.
func TestAListThatCannotBeReadToItsEndIsAnError(t *testing.T) {
	s := newPassScene(t)
	s.do(s.reserved(0, 1), upload.BeginAssembly{Fence: 1})
	s.later(48 * time.Hour)
	for _, broken := range []int{0, 7, 15} {
		got := error(nil)
		for _, err := range StuckUploads(t.Context(), brokenShard{s.store, broken}, s.pass.Policy, s.now, func(int) {}) {
			if got != nil {
				t.Error("more came after the error")
			}
			got = err
		}
		if !errors.Is(got, upload.ErrThrottled) {
			t.Errorf("shard %d: %v", broken, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := error(nil)
	for _, err := range ParkedUploads(ctx, endless{10_000}) {
		got = err
	}
	if !errors.Is(got, context.Canceled) {
		t.Errorf("interrupted: %v", got)
	}
}

type brokenShard struct {
	DueRecords
	shard int
}

func (b brokenShard) Due(ctx context.Context, shard int, at ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	if shard == b.shard {
		return ledger.Page{}, upload.ErrThrottled
	}
	return b.DueRecords.Due(ctx, shard, at, until, limit)
}

func TestWhoHasSeenEnoughOfAListLeavesNobodyBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		for _, err := range ParkedUploads(t.Context(), endless{10_000}) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if after := runtime.NumGoroutine(); after > before+2 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
