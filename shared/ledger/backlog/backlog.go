package backlog

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Backlog holds Entries[s] due uploads in shard s of the index, one every
// millisecond from First on: the shard's k-th is due with every other's k-th.
// Its methods may be called at the same time; fields are set before.
type Backlog struct {
	Entries [ledger.Shards]int
	First   time.Time
	// Record is what every upload's record says, but for its id and its due.
	Record upload.Record

	mu sync.Mutex
	// published is how many of a shard's entries the queue has, or had; purged
	// is how many are not due any more.
	published, purged [ledger.Shards]int
	queued, room      int
}

// Room has the queue say that it is full once it holds so many commands.
func (b *Backlog) Room(commands int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room = commands
}

// Purge has workers empty the queue.
func (b *Backlog) Purge() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queued, b.purged = 0, b.published
}

// Published is how many of each shard's entries were published.
func (b *Backlog) Published() [ledger.Shards]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.published
}

const idPrefix = "0198c2e4-7b1d-7c3a"

// id is the k-th upload of a shard. Its hash would put it elsewhere.
func id(shard, k int) upload.ID {
	return upload.ID{Tenant: "tenant-" + strconv.Itoa(k%50), Upload: fmt.Sprintf("%s-%02d-%015d", idPrefix, shard, k)}
}

// ShardOf is the shard in which an upload of a backlog is due.
func ShardOf(id upload.ID) (int, error) {
	shard, _, err := parse(id)
	return shard, err
}

func parse(id upload.ID) (shard, k int, err error) {
	s, n, ok := strings.Cut(strings.TrimPrefix(id.Upload, idPrefix+"-"), "-")
	if shard, err = strconv.Atoi(s); err == nil && ok {
		k, err = strconv.Atoi(n)
	}
	if err != nil || !ok || shard < 0 || shard >= ledger.Shards {
		return 0, 0, fmt.Errorf("upload %s is not of this backlog", id.Upload)
	}
	return shard, k, nil
}

func (b *Backlog) due(k int) time.Time { return b.First.Add(time.Duration(k) * time.Millisecond) }

// Due returns the entries behind a position that are due by then.
func (b *Backlog) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	b.mu.Lock()
	k := b.purged[shard]
	b.mu.Unlock()
	if !after.IsZero() {
		_, last, err := parse(after.ID)
		if err != nil {
			return ledger.Page{}, err
		}
		k = max(k, last+1)
	}
	page := ledger.Page{Next: after}
	for ; k < b.Entries[shard] && !b.due(k).After(until); k++ {
		if page.More = len(page.Entries) == limit; page.More {
			break
		}
		page.Entries = append(page.Entries, ledger.Due{ID: id(shard, k), At: b.due(k)})
		page.Next = ledger.Position(page.Entries[len(page.Entries)-1])
	}
	return page, ctx.Err()
}

// LoadMany returns the records of uploads.
func (b *Backlog) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	records := make([]upload.Record, len(ids))
	for i, id := range ids {
		_, k, err := parse(id)
		if err != nil {
			return nil, err
		}
		records[i] = b.Record
		records[i].ID, records[i].DueAt = id, b.due(k)
	}
	return records, ctx.Err()
}

// Commit refuses: what a pass does here is publish.
func (b *Backlog) Commit(context.Context, upload.Change) error {
	return fmt.Errorf("%w: a backlog's records do not change", upload.ErrRefused)
}

// Send takes commands. An entry that comes before the one in front of it is an
// error: a pass has left something out.
func (b *Backlog) Send(_ context.Context, commands []upload.Command) ([]bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	accepted := make([]bool, len(commands))
	for i, c := range commands {
		shard, k, err := parse(c.ID)
		if err != nil {
			return accepted, err
		}
		if k > b.published[shard] {
			return accepted, fmt.Errorf("entry %d of shard %d is published and %d is not", k, shard, b.published[shard])
		}
		b.published[shard] = max(b.published[shard], k+1)
		b.queued++
		accepted[i] = true
	}
	return accepted, nil
}

// Depth is 0 while the queue has room, and then more than any limit.
func (b *Backlog) Depth(context.Context) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.queued < b.room {
		return 0, nil
	}
	return 1 << 62, nil
}
