package drain

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// due locks what can be decided, and passes over what a transaction that names
// the object, or another drainer, has locked.
const due = `
SELECT id, ` + columns + ` FROM strandline.outbox
WHERE state = 'pending' AND at <= now() - $1::interval AND horizon <= pg_snapshot_xmin(pg_current_snapshot())
ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED`

// kept locks what earlier rows had named and other rows named still. It waits
// for nobody: a transaction that names the object has locked some of these and
// may be waiting for what due has locked.
const kept = `
SELECT id FROM strandline.outbox
WHERE state = 'kept' AND object IN (SELECT object FROM strandline.outbox WHERE id = ANY ($1))
ORDER BY id FOR UPDATE SKIP LOCKED`

// ready leaves out the objects of which something kept is locked by others: all
// releases of one object are decided together, or later.
const ready = `
SELECT r.id FROM strandline.outbox AS r WHERE (r.id = ANY ($1) OR r.id = ANY ($2)) AND NOT EXISTS
  (SELECT FROM strandline.outbox AS k WHERE k.object = r.object AND k.state = 'kept' AND k.id <> ALL ($2))`

// decided asks the tables. It is a statement of its own, after the locks: its
// snapshot then shows every row of the transactions that had held them. A row
// without a version means whichever is current.
const decided = `
UPDATE strandline.outbox AS o
SET state = CASE WHEN d.named THEN 'kept' ELSE 'released' END,
    released_at = CASE WHEN NOT d.named THEN clock_timestamp() END, due_at = clock_timestamp()
FROM (SELECT r.id, EXISTS (SELECT FROM strandline.names AS n WHERE n.object = r.object
             AND (n.version_id IS NULL OR r.version_id IS NULL OR n.version_id = r.version_id)) AS named
      FROM strandline.outbox AS r WHERE r.id = ANY ($1)) AS d
WHERE o.id = d.id AND (o.state = 'pending' OR NOT d.named)
RETURNING d.named`

// doubled drops what is kept twice for one row that was deleted and written
// again, so that a row that is saved so every minute leaves one release. Not
// where keys are reused: each release there is of another object.
const doubled = `
DELETE FROM strandline.outbox AS o USING strandline.outbox AS later
WHERE later.id = ANY ($1) AND later.state = 'kept' AND o.state = 'kept' AND o.id < later.id AND NOT o.reused
  AND o.object = later.object AND o.entity IS NOT DISTINCT FROM later.entity
  AND o.tenant IS NOT DISTINCT FROM later.tenant AND o.version_id IS NOT DISTINCT FROM later.version_id`

const parked = `UPDATE strandline.outbox SET state = 'parked', last_error = $2 WHERE id = $1`

// decide settles up to 500 releases in one transaction. READ COMMITTED is what
// makes each of its statements see what was committed before it.
func (d *Drainer) decide(ctx context.Context) (t Tally, err error) {
	if err := d.see(ctx); err != nil {
		return t, fmt.Errorf("see new releases: %w", err)
	}
	err = pgx.BeginTxFunc(ctx, d.Pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		ids, unsendable, err := d.lock(ctx, tx)
		if err != nil {
			return err
		}
		for id, reason := range unsendable {
			if _, err := tx.Exec(ctx, parked, id, reason); err != nil {
				return err
			}
		}
		t.Parked = len(unsendable)
		t.Released, t.Kept, err = settle(ctx, tx, ids)
		return err
	})
	if err != nil {
		return Tally{}, fmt.Errorf("decide releases: %w", err)
	}
	return t, nil
}

// lock returns what is to be decided now, and what no message can be made of.
func (d *Drainer) lock(ctx context.Context, tx pgx.Tx) (ids []int64, unsendable map[int64]string, err error) {
	rows, err := tx.Query(ctx, due, d.HoldBack, decideAtOnce)
	if err != nil {
		return nil, nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return nil, nil, err
	}
	unsendable = map[int64]string{}
	for _, r := range found {
		if _, err := r.message(d.Source); err != nil {
			unsendable[r.ID] = err.Error()
			continue
		}
		ids = append(ids, r.ID)
	}
	if len(ids) == 0 {
		return nil, unsendable, nil
	}
	earlier, err := idsOf(ctx, tx, kept, ids)
	if err != nil {
		return nil, nil, err
	}
	ids, err = idsOf(ctx, tx, ready, ids, earlier)
	return ids, unsendable, err
}

func idsOf(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]int64, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// settle decides over what is locked.
func settle(ctx context.Context, tx pgx.Tx, ids []int64) (released, keptNow int, err error) {
	if len(ids) == 0 {
		return 0, 0, nil
	}
	rows, err := tx.Query(ctx, decided, ids)
	if err != nil {
		return 0, 0, err
	}
	named, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	if err != nil {
		return 0, 0, err
	}
	for _, n := range named {
		if n {
			keptNow++
		}
	}
	_, err = tx.Exec(ctx, doubled, ids)
	return len(named) - keptNow, keptNow, err
}
