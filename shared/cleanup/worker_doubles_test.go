package cleanup_test

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// purgeClock is a clock on which sleeping takes no time.
type purgeClock struct {
	mu      sync.Mutex
	at      time.Time
	slept   time.Duration
	onSleep func() // once, in the middle of the next sleep
}

func (c *purgeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *purgeClock) advance(d time.Duration) { c.to(c.now().Add(d)) }

func (c *purgeClock) to(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.at) {
		c.at = at
	}
}

func (c *purgeClock) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	hook := c.onSleep
	c.onSleep = nil
	c.mu.Unlock()
	if hook != nil {
		hook()
	}
	c.advance(d)
	c.mu.Lock()
	c.slept += d
	c.mu.Unlock()
	return ctx.Err()
}

// purgeRecords is a ledger whose calls can be counted and made to fail.
type purgeRecords struct {
	*ledgers.Store
	mu      sync.Mutex
	reads   int
	writes  []upload.Kind
	before  func(upload.Change) error // instead of the write
	after   func(upload.Change) error // after it: the answer is lost
	loading func([]upload.ID) error
	single  func() error // of one record
}

func (r *purgeRecords) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	r.mu.Lock()
	r.reads++
	single := r.single
	r.mu.Unlock()
	if single != nil {
		if err := single(); err != nil {
			return upload.Record{}, err
		}
	}
	return r.Store.Load(ctx, id)
}

func (r *purgeRecords) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	r.mu.Lock()
	r.reads++
	loading := r.loading
	r.mu.Unlock()
	if loading != nil {
		if err := loading(ids); err != nil {
			return make([]upload.Record, len(ids)), err // what a careless caller would take for "absent"
		}
	}
	return r.Store.LoadMany(ctx, ids)
}

func (r *purgeRecords) Commit(ctx context.Context, c upload.Change) error {
	r.mu.Lock()
	r.writes = append(r.writes, c.Event)
	before, after := r.before, r.after
	r.mu.Unlock()
	if before != nil {
		if err := before(c); err != nil {
			return err
		}
	}
	if err := r.Store.Commit(ctx, c); err != nil {
		return err
	}
	if after != nil {
		return after(c)
	}
	return nil
}

// purgeStore is a bucket whose calls can be counted and made to fail.
type purgeStore struct {
	*stores.Store
	mu       sync.Mutex
	deletes  [][]upload.Condemned
	listings int
	stats    int
	aborts   int
	// deleting, where set, answers instead of the store if it returns results.
	deleting func(call int, versions []upload.Condemned) []objects.Result
	// answered may change the answer.
	answered func(call int, results []objects.Result)
	listing  func() error
}

func (s *purgeStore) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	s.mu.Lock()
	s.deletes = append(s.deletes, versions)
	call, deleting, answered := len(s.deletes), s.deleting, s.answered
	s.mu.Unlock()
	if deleting != nil {
		if results := deleting(call, versions); results != nil {
			return results
		}
	}
	results := s.Store.Delete(ctx, bucket, versions)
	if answered != nil {
		answered(call, results)
	}
	return results
}

func (s *purgeStore) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	s.mu.Lock()
	s.listings++
	listing := s.listing
	s.mu.Unlock()
	if listing != nil {
		if err := listing(); err != nil {
			return func(yield func(objects.Version, error) bool) { yield(objects.Version{}, err) }
		}
	}
	return s.Store.Versions(ctx, bucket, prefix)
}

func (s *purgeStore) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	s.mu.Lock()
	s.stats++
	s.mu.Unlock()
	return s.Store.Stat(ctx, bucket, key, versionID)
}

func (s *purgeStore) Abort(ctx context.Context, bucket, key, uploadID string) error {
	s.mu.Lock()
	s.aborts++
	s.mu.Unlock()
	return s.Store.Abort(ctx, bucket, key, uploadID)
}

// everyResult answers the same for all versions, and does nothing.
func everyResult(versions []upload.Condemned, o objects.Outcome, code string) []objects.Result {
	results := make([]objects.Result, len(versions))
	for i, v := range versions {
		results[i] = objects.Result{Condemned: v, Outcome: o, Code: code}
	}
	return results
}

// lockedLog is a log that several workers write to.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
