package cleanup

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/ledger/backlog"
	"github.com/strandline-dev/strandline/shared/upload"
)

// slowShard takes 100 ms for a batch, and a second for one of a shard.
type slowShard struct {
	*backlog.Backlog
	shard int // -1: none is slow
}

func (q *slowShard) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	shard, err := backlog.ShardOf(commands[0].ID)
	if err != nil {
		return nil, err
	}
	if shard == q.shard {
		time.Sleep(900 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	return q.Backlog.Send(ctx, commands)
}

// Eight batches are under way at once, on a virtual clock, and the calls of one
// shard are slow for a while. That holds up no other; and in the passes after
// that it comes level again.
//
// Without the order by who waits longest at every turn it gains one batch in a
// pass at most: here it is still 1,400 entries behind.
func TestAShardWhoseCallsWereSlowCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow, fast = 8, 15
		s, b := backlogScene(t, 10_000)
		queue := &slowShard{Backlog: b, shard: 5}
		s.pass.AtOnce, s.pass.Queue = 0, queue
		s.pass.Policy.MaxPerPass = 500 * ledger.Shards
		pass := func() (behind int) {
			b.Room(300 * ledger.Shards)
			s.next()
			b.Purge()
			p := all(b.Published())
			return slices.Max(p) - slices.Min(p)
		}
		behind := 0
		for range slow {
			behind = pass()
		}
		if behind < slow*batchSize {
			t.Fatalf("after %d passes the slow shard is %d entries behind: the scene shows less than it says", slow, behind)
		}
		lost := behind
		queue.shard = -1
		for range fast {
			behind = pass()
		}
		t.Logf("%d entries behind, and %d passes later %d", lost, fast, behind)
		if behind > 2*batchSize {
			t.Errorf("%d entries behind, and %d passes later still %d", lost, fast, behind)
		}
	})
}

// Without the alternation a shard with a long round, which is older than all
// fronts, has every turn, and what becomes due waits for its end.
func TestRoundsAndFrontsHaveTheirTurnsAlternately(t *testing.T) {
	const hour = int64(time.Hour / time.Millisecond)
	shard := func(round int, dues ...int64) *shardExecution {
		s := &shardPlan{round: leg{Count: round}}
		for i, due := range dues {
			if err := s.put(candidate{due: due * hour}, upload.ID{Tenant: "t", Upload: fmt.Sprint("u-", i)}, passBucket, "r"); err != nil {
				t.Fatal(err)
			}
		}
		s.seal()
		return &shardExecution{shard: s}
	}
	all := turnsOf([]*shardExecution{shard(0, 10, 14), shard(4, 1, 2, 3, 5, 9), shard(0, 12), shard(1, 4, 13), shard(0)})
	var order []int64
	for x := all.next(); x != nil; x = all.next() {
		if x.shard.count() > 0 {
			order = append(order, x.due()/hour)
		}
		x.begin++
		all.give(x, x.begin < x.shard.count())
	}
	if want := []int64{1, 10, 2, 12, 3, 14, 4, 13, 5, 9}; !slices.Equal(order, want) {
		t.Errorf("turns of what was due at %v, want %v", order, want)
	}
}
