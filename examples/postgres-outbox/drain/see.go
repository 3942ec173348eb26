package drain

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// What is seen for the first time is marked. A transaction that was running then
// may have named the object without knowing of the release; until all of those
// are over nothing is decided. One that begins later sees the release, and locks
// it when it names the object.
//
// Between the two are transactions of REPEATABLE READ whose snapshot is older,
// and that have not written yet: nothing shows them as running. So before the
// horizon is drawn they are told, by a sequence, which no snapshot hides: on_named
// refuses them. Hence the order of the statements, each with its own snapshot: what is
// new is found, then it is told, then the horizon is drawn. Who has named
// something without being refused has an id below the horizon by then.
const (
	oneAtATime = `SELECT pg_advisory_xact_lock(hashtext('strandline.seen'))` // the sequence never goes back
	unseen     = `
SELECT id FROM strandline.outbox WHERE state = 'pending' AND horizon IS NULL
ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`
	told  = `SELECT setval('strandline.seen', pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`
	drawn = `UPDATE strandline.outbox SET horizon = pg_snapshot_xmax(pg_current_snapshot()) WHERE id = ANY ($1)`
)

// see marks what no drainer has seen yet, up to ten rounds of it.
func (d *Drainer) see(ctx context.Context) error {
	return pgx.BeginTxFunc(ctx, d.Pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, oneAtATime); err != nil {
			return err
		}
		ids, err := idsOf(ctx, tx, unseen, 10*decideAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, told); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, drawn, ids)
		return err
	})
}
