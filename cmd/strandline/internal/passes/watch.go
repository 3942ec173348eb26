package passes

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// watcher counts what a pass has looked at and carried out. Shards call it side
// by side.
type watcher struct {
	tell       func(stage string, done int64, unit string)
	seen, done atomic.Int64
}

// watch puts a watcher in front of the pass's stores.
func watch(p cleanup.Pass, tell func(string, int64, string)) cleanup.Pass {
	w := &watcher{tell: tell}
	p.Candidates = watchedCandidates{p.Candidates, w}
	if p.Queue != nil {
		p.Queue = watchedQueue{p.Queue, w}
	}
	return p
}

// found counts what the plan takes from the index, which is read for nothing
// else.
func (w *watcher) found(uploads int) { w.tell("plan", w.seen.Add(int64(uploads)), "uploads") }

func (w *watcher) carried(uploads int) { w.tell("carry out", w.done.Add(int64(uploads)), "uploads") }

type watchedCandidates struct {
	cleanup.Candidates
	w *watcher
}

func (c watchedCandidates) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	page, err := c.Candidates.Due(ctx, shard, after, until, limit)
	if n := len(page.Entries); n > 0 {
		c.w.found(n)
	}
	return page, err
}

func (c watchedCandidates) Commit(ctx context.Context, change upload.Change) error {
	err := c.Candidates.Commit(ctx, change)
	c.w.carried(1)
	return err
}

type watchedQueue struct {
	cleanup.Publisher
	w *watcher
}

func (q watchedQueue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	accepted, err := q.Publisher.Send(ctx, commands)
	q.w.carried(len(commands))
	return accepted, err
}
