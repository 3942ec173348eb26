package cleanup

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
)

func (s *passScene) recount() map[string]BucketCensus {
	s.t.Helper()
	counted, err := Census{Ledger: s.store, Now: s.pass.Now, Log: s.pass.Log}.Recount(s.t.Context())
	s.must(err)
	return counted
}

func TestCensusCountsWhatTheLedgerHolds(t *testing.T) {
	s := newEmptyScene(t)
	for shard := range ledger.Shards {
		s.reserved(shard, 10)
	}
	s.reserved(0, 3, inBucket("bucket-b"))
	want := map[string]BucketCensus{
		passBucket: {Bucket: passBucket, Objects: 10 * ledger.Shards, AsOf: s.now, From: censusFrom},
		"bucket-b": {Bucket: "bucket-b", Objects: 3, AsOf: s.now, From: censusFrom},
	}
	if diff := cmp.Diff(want, s.recount()); diff != "" {
		t.Errorf("census (-want +got):\n%s", diff)
	}
	c, err := s.pass.readCensus(t.Context())
	s.must(err)
	if c.objects[passBucket] != 10*ledger.Shards || !c.asOf.Equal(s.now) {
		t.Errorf("a pass reads %+v", c)
	}
}

// Without the guard a bucket that was emptied keeps the limit of its best days.
func TestBucketThatVanishedIsCountedAsEmpty(t *testing.T) {
	s := newEmptyScene(t)
	s.census(map[string]int64{"bucket-old": 1_000_000})
	s.later(time.Hour)
	s.reserved(0, 3)
	if got := s.recount()["bucket-old"]; got.Objects != 0 || !got.AsOf.Equal(s.now) {
		t.Errorf("the vanished bucket: %+v", got)
	}
}

// brokenHoldings fails in the last segment, after some of it was read.
type brokenHoldings struct{ *ledgermemory.Store }

func (b brokenHoldings) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	return func(yield func(ledger.Holding, error) bool) {
		for h, err := range b.Store.Holdings(ctx, segment, segments) {
			if !yield(h, err) {
				return
			}
		}
		if segment == segments-1 {
			yield(ledger.Holding{}, errors.New("the scan broke off"))
		}
	}
}

// Without the guard a census of half the ledger looks like a whole one: too
// low a limit stops the passes, and an emptied bucket would be believed.
func TestCensusThatCannotBeReadWritesNothing(t *testing.T) {
	s := newPassScene(t)
	s.reserved(0, 3)
	before := s.revisions()
	c := Census{Ledger: brokenHoldings{s.store}, Now: s.pass.Now, Log: s.pass.Log}
	if _, err := c.Recount(t.Context()); err == nil {
		t.Fatal("the recount did not fail")
	}
	if diff := cmp.Diff(before, s.revisions()); diff != "" {
		t.Errorf("written (-before +after):\n%s", diff)
	}
}

// failingPut stores one bucket and no more.
type failingPut struct {
	*ledgermemory.Store
	left int
}

func (f *failingPut) Put(ctx context.Context, d ledger.Document) error {
	if f.left--; f.left < 0 {
		return errors.New("throttled")
	}
	return f.Store.Put(ctx, d)
}

func TestCensusStoredInPartDoesNotLookFresh(t *testing.T) {
	s := newPassScene(t)
	old := s.now
	s.later(27 * time.Hour)
	s.reserved(0, 3)
	s.reserved(0, 3, inBucket("bucket-b"))
	c := Census{Ledger: &failingPut{s.store, 1}, Now: s.pass.Now, Log: s.pass.Log}
	if _, err := c.Recount(t.Context()); err == nil {
		t.Fatal("the recount did not fail")
	}
	got, err := s.pass.readCensus(t.Context())
	s.must(err)
	if !got.asOf.Equal(old) || got.stale(s.pass.Policy, s.now) == "" {
		t.Errorf("census as of %s looks fresh", got.asOf)
	}
}

func TestRecountedInstallationIsJudgedByIt(t *testing.T) {
	s := newEmptyScene(t)
	s.reserved(0, 4_000)
	s.cancelled(1, 200)
	s.later(time.Hour)
	s.recount()
	r := s.run()
	s.wantState(r, RunDone)
	if r.Buckets[0].Census != 4_200 || r.Buckets[0].Limit != 210 {
		t.Errorf("verdict %+v", r.Buckets[0])
	}
}
