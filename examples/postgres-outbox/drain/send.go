package drain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandline-dev/strandline/shared/release"
)

// take takes what is to be sent, for as long as the lease: whoever dies with it
// leaves it to the next.
const take = `
UPDATE strandline.outbox SET due_at = now() + $1::interval
WHERE id IN (SELECT id FROM strandline.outbox WHERE state = 'released' AND due_at <= now()
             ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
RETURNING id, ` + columns

const (
	sent = `UPDATE strandline.outbox SET state = 'sent', sent_at = now(), last_error = NULL
WHERE id = ANY ($1) AND state = 'released'`
	refused = `UPDATE strandline.outbox SET attempts = attempts + 1, last_error = $2, due_at = now() + $3::interval,
	state = CASE WHEN attempts + 1 >= $4 THEN 'parked' ELSE state END
WHERE id = $1 AND state = 'released' RETURNING state = 'parked'`
	givenBack = `UPDATE strandline.outbox SET last_error = $2, due_at = now() WHERE id = ANY ($1) AND state = 'released'`
	forgotten = `DELETE FROM strandline.outbox WHERE id IN
	(SELECT id FROM strandline.outbox WHERE state = 'sent' AND sent_at < now() - $1::interval LIMIT $2 FOR UPDATE SKIP LOCKED)`
)

// send sends all that is released, ten at a time, until nothing is, the queue
// cannot be reached, or the context ends.
func (d *Drainer) send(ctx context.Context) (t Tally, err error) {
	for ctx.Err() == nil {
		rows, err := d.Pool.Query(ctx, take, lease, sendAtOnce)
		if err != nil {
			return t, fmt.Errorf("take releases: %w", err)
		}
		batch, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			return t, fmt.Errorf("take releases: %w", err)
		}
		if len(batch) == 0 {
			return t, nil
		}
		slices.SortFunc(batch, func(a, b row) int { return cmp.Compare(a.ID, b.ID) })
		if err := d.sendBatch(ctx, batch, &t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// sendBatch sends and marks. It ends neither because the drainer is stopped:
// what has arrived is to be marked.
func (d *Drainer) sendBatch(ctx context.Context, batch []row, t *Tally) error {
	ctx = context.WithoutCancel(ctx)
	messages := make([]release.Message, 0, len(batch))
	sendable := make([]row, 0, len(batch))
	for _, r := range batch {
		m, err := r.message(d.Source)
		if err == nil {
			messages, sendable = append(messages, m), append(sendable, r)
			continue
		}
		// Somebody has edited it since it was decided, or decided it himself.
		if _, err := d.Pool.Exec(ctx, parked, r.ID, err.Error()); err != nil {
			return fmt.Errorf("park release %d: %w", r.ID, err)
		}
		t.Parked++
	}
	if batch = sendable; len(batch) == 0 {
		return nil
	}
	sending, cancel := context.WithTimeout(ctx, sendTimeout)
	answers, err := d.Queue.Send(sending, messages)
	cancel()
	if err == nil && len(answers) != len(batch) {
		err = fmt.Errorf("%d answers for %d releases", len(answers), len(batch))
	}
	marking, cancel := context.WithTimeout(ctx, markTimeout)
	defer cancel()
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrQueue, err), d.giveBack(marking, batch, err))
	}
	return d.mark(marking, batch, answers, t)
}

func (d *Drainer) giveBack(ctx context.Context, batch []row, why error) error {
	ids := make([]int64, len(batch))
	for i, r := range batch {
		ids[i] = r.ID
	}
	_, err := d.Pool.Exec(ctx, givenBack, ids, why.Error())
	return err
}

// mark notes what became of each release of a batch.
func (d *Drainer) mark(ctx context.Context, batch []row, answers []error, t *Tally) error {
	var arrived []int64
	for i, r := range batch {
		if answers[i] == nil {
			arrived = append(arrived, r.ID)
			continue
		}
		var isParked bool
		err := d.Pool.QueryRow(ctx, refused, r.ID, answers[i].Error(), backoff(r.Attempts), d.MaxAttempts).Scan(&isParked)
		if errors.Is(err, pgx.ErrNoRows) {
			continue // another drainer, after this one's lease
		}
		if err != nil {
			return fmt.Errorf("mark release %d: %w", r.ID, err)
		}
		t.Refused++
		if isParked {
			t.Parked++
		}
	}
	tag, err := d.Pool.Exec(ctx, sent, arrived)
	if err != nil {
		return fmt.Errorf("mark %d releases as sent: %w", len(arrived), err)
	}
	t.Sent += int(tag.RowsAffected())
	return nil
}

// backoff is how long a release that was refused waits: a second, two, four, up
// to an hour.
func backoff(attempts int) time.Duration {
	return min(time.Second<<min(attempts, 12), time.Hour)
}

// forget removes what was sent long ago, a thousand at a time.
func (d *Drainer) forget(ctx context.Context) error {
	if _, err := d.Pool.Exec(ctx, forgotten, d.Keep, 1000); err != nil {
		return fmt.Errorf("forget releases: %w", err)
	}
	return nil
}
