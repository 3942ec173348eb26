package cleanup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	// planners is how many shards are read at once.
	planners = 8
	// pageSize is how many index entries are asked for at once.
	pageSize = 1_000
	// batchSize is how many records are read at once (DynamoDB's limit of a
	// batch), and how many candidates are executed between two saved cursors.
	batchSize = 100
)

// Plan is what one run would do: every candidate with its action. It is
// executed at most once.
type Plan struct {
	run    string
	cutoff time.Time
	shards []shardPlan
	digest string
	used   bool
	// held: purges are not to be published in this run.
	held bool
}

// Stats are a plan's numbers.
type Stats struct {
	Candidates Amount
	// Actions is by action and, for purges, operation.
	Actions map[string]Amount
	// Purges is what is planned for deletion, by bucket.
	Purges map[string]Amount
	// OldestDue is the earliest due among marks, repairs and purges.
	OldestDue time.Time
	// Unfinished is how many uploads are in deleting, their claim's lease over.
	Unfinished int64
	// More: a shard held more than its share of MaxPerPass.
	More bool
}

// plan reads the index and the records, and decides. It writes nothing; the
// first look-up that fails ends it.
func (p Pass) plan(ctx context.Context, run string, cutoff, now time.Time) (*Plan, error) {
	plan := &Plan{run: run, cutoff: cutoff, shards: make([]shardPlan, ledger.Shards)}
	failures := make([]error, ledger.Shards)
	var group errgroup.Group
	group.SetLimit(planners)
	for shard := range ledger.Shards {
		group.Go(func() error {
			plan.shards[shard].shard = shard
			failures[shard] = p.planShard(ctx, &plan.shards[shard], cutoff, now)
			return nil // all shards are read, so that the error does not depend on who was first
		})
	}
	_ = group.Wait()
	if err := failureOf(failures); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	digest, err := plan.encode(nil)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	plan.digest = digest
	return plan, nil
}

// failureOf joins what failed; an error that stops the run, which no retry would
// change, stands alone.
func failureOf(failures []error) error {
	for _, err := range failures {
		if errors.Is(err, upload.ErrFuture) {
			return err
		}
	}
	return together(failures...)
}

func (p Pass) planShard(ctx context.Context, s *shardPlan, cutoff, now time.Time) error {
	defer s.seal()
	var err error
	if s.cursor, err = p.readCursor(ctx, s.shard); err != nil {
		return err
	}
	share := max(1, p.Policy.MaxPerPass/ledger.Shards)
	if s.cursor.startRound(now, p.Policy.RepublishAfter) {
		// A round never takes all of a share that has two places: what becomes
		// due and what was left behind both go on.
		s.round = leg{Until: s.cursor.Round.Until}
		if err := p.walk(ctx, s, &s.round, s.cursor.Round.At, (share+1)/2, cutoff, now); err != nil {
			return err
		}
	}
	s.front = leg{Until: cutoff}
	return p.walk(ctx, s, &s.front, s.cursor.Front, share-s.round.Count, cutoff, now)
}

// walk takes up to limit entries of the leg behind the position.
func (p Pass) walk(ctx context.Context, s *shardPlan, l *leg, at ledger.Position, limit int, cutoff, now time.Time) error {
	for l.Count < limit {
		page, err := p.Candidates.Due(ctx, s.shard, at, l.Until, min(pageSize, limit-l.Count))
		if err != nil {
			return fmt.Errorf("page the due index, shard %d: %w", s.shard, err)
		}
		for batch := range slices.Chunk(page.Entries, batchSize) {
			if err := p.decide(ctx, s, batch, cutoff, now); err != nil {
				return err
			}
		}
		l.Count += len(page.Entries)
		if !page.More {
			l.Ended = true
			return nil
		}
		at = page.Next
	}
	return nil
}

func (p Pass) decide(ctx context.Context, s *shardPlan, batch []ledger.Due, cutoff, now time.Time) error {
	ids := make([]upload.ID, len(batch))
	for i, entry := range batch {
		ids[i] = entry.ID
	}
	records, err := p.look(ctx, ids)
	if err != nil {
		return err
	}
	for i, entry := range batch {
		if err := p.take(s, entry, &records[i], cutoff, now); err != nil {
			return err
		}
	}
	return nil
}

// look reads records; fewer than asked are an error.
func (p Pass) look(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	records, err := p.Candidates.LoadMany(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look up %d uploads: %w", len(ids), err)
	}
	if len(records) != len(ids) {
		return nil, fmt.Errorf("look up %d uploads: the ledger answered %d", len(ids), len(records))
	}
	return records, nil
}

// Digest is the SHA-256 of the plan's canonical form, in hex: what an approval
// names.
func (p *Plan) Digest() string { return p.digest }

// Candidates yields the plan's lines, shard by shard in the order of execution.
func (p *Plan) Candidates() iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		for k, c := range p.all() {
			if !yield(k.full(c)) {
				return
			}
		}
	}
}

// all yields the candidates with their chunks, shard by shard.
func (p *Plan) all() iter.Seq2[*chunk, *candidate] {
	return func(yield func(*chunk, *candidate) bool) {
		for i := range p.shards {
			for k, c := range p.shards[i].all(0) {
				if !yield(k, c) {
					return
				}
			}
		}
	}
}

// Stats sums the plan up.
func (p *Plan) Stats() Stats {
	st := Stats{Actions: map[string]Amount{}, Purges: map[string]Amount{}}
	oldest := int64(0)
	for i := range p.shards {
		st.More = st.More || !p.shards[i].front.Ended
	}
	for k, c := range p.all() {
		st.Candidates = st.Candidates.Plus(c.count())
		name := c.action.String()
		if c.action == upload.Purge {
			name += " (" + string(operations[c.op]) + ")"
			bucket := k.word(c.bucket)
			st.Purges[bucket] = st.Purges[bucket].Plus(c.count())
			if operations[c.op] == upload.OpReclaim {
				st.Unfinished++
			}
		}
		st.Actions[name] = st.Actions[name].Plus(c.count())
		eligible := c.action == upload.Purge || c.action == upload.Mark || c.action == upload.Fix
		if eligible && (oldest == 0 || c.due < oldest) {
			oldest = c.due
		}
	}
	if oldest != 0 {
		st.OldestDue = time.UnixMilli(oldest).UTC()
	}
	return st
}

// String is the plan as a table for people.
func (p *Plan) String() string {
	st := p.Stats()
	var b strings.Builder
	fmt.Fprintf(&b, "plan of run %s, cutoff %s\ndigest %s\n", p.run, p.cutoff.Format(time.RFC3339), p.digest)
	amountsHead(&b)
	st.Candidates.line(&b, "candidates")
	for _, name := range slices.Sorted(maps.Keys(st.Actions)) {
		st.Actions[name].line(&b, name)
	}
	for _, bucket := range slices.Sorted(maps.Keys(st.Purges)) {
		st.Purges[bucket].line(&b, "to be purged in "+bucket)
	}
	return b.String()
}
