package drain_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/drain"
	"github.com/strandline-dev/strandline/examples/postgres-outbox/postgrestest"
	"github.com/strandline-dev/strandline/examples/postgres-outbox/tables"
	"github.com/strandline-dev/strandline/shared/release"
)

// world is a database with the application's tables, a queue, and a drainer
// that is told to hold nothing back.
type world struct {
	*drain.Drainer
	t     *testing.T
	url   string
	queue *queue
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	postgrestest.Empty(t, url, tables.Outbox, tables.Albums)
	q := &queue{}
	return &world{t: t, url: url, queue: q, Drainer: newDrainer(pool(t, url), q)}
}

func newDrainer(p *pgxpool.Pool, q drain.Queue) *drain.Drainer {
	return &drain.Drainer{
		Pool: p, Queue: q, Source: "albums", Keep: time.Hour, MaxAttempts: 3, Poll: time.Millisecond,
		Log: slog.New(slog.DiscardHandler),
	}
}

func pool(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	p, err := pgxpool.New(t.Context(), url)
	must(t, err)
	t.Cleanup(p.Close)
	return p
}

type message = release.Message

// queue takes everything, and remembers it, unless it is told otherwise.
type queue struct {
	mu      sync.Mutex
	got     []release.Message
	down    error
	refused map[string]error      // by entity
	before  func(context.Context) // each call
}

func (q *queue) Send(ctx context.Context, batch []release.Message) ([]error, error) {
	if q.before != nil {
		q.before(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.down != nil {
		return nil, q.down
	}
	answers := make([]error, len(batch))
	for i, m := range batch {
		if answers[i] = q.refused[m.Entity]; answers[i] == nil {
			q.got = append(q.got, m)
		}
	}
	return answers, nil
}

// entities, keys and urls of what arrived, where it has one, sorted.
func (q *queue) entities() []string { return q.sorted(func(m message) string { return m.Entity }) }
func (q *queue) keys() []string     { return q.sorted(func(m message) string { return m.Key }) }
func (q *queue) urls() []string     { return q.sorted(func(m message) string { return m.URL }) }

func (q *queue) sorted(of func(message) string) []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var all []string
	for _, m := range q.got {
		if value := of(m); value != "" {
			all = append(all, value)
		}
	}
	slices.Sort(all)
	return all
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.Pool.Exec(w.t.Context(), sql, args...)
	must(w.t, err)
}

// drain runs rounds until one does nothing.
func (w *world) drain() drain.Tally {
	w.t.Helper()
	var all drain.Tally
	for {
		one, err := w.Round(w.t.Context())
		must(w.t, err)
		if one == (drain.Tally{}) {
			return all
		}
		all.Released += one.Released
		all.Kept += one.Kept
		all.Sent += one.Sent
		all.Refused += one.Refused
		all.Parked += one.Parked
	}
}

// column is the first column of what a query shows.
func (w *world) column(sql string) []string {
	w.t.Helper()
	rows, err := w.Pool.Query(w.t.Context(), sql)
	must(w.t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(w.t, err)
	return all
}

// states are the outbox's, as "entity state", in the order of entities.
func (w *world) states() []string {
	w.t.Helper()
	return w.column("SELECT entity || ' ' || state FROM strandline.outbox ORDER BY 1")
}

// until waits for what a query shows.
func (w *world) until(sql, want string) {
	w.t.Helper()
	for range 60_000 {
		if w.column(sql)[0] == want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	w.t.Fatalf("%s was never %s", sql, want)
}

// begin is a transaction of the application, on a connection of its own.
func (w *world) begin() pgx.Tx {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.url)
	must(w.t, err)
	w.t.Cleanup(func() { must(w.t, conn.Close(context.Background())) })
	tx, err := conn.Begin(w.t.Context())
	must(w.t, err)
	return tx
}

func (w *world) in(tx pgx.Tx, sql string) {
	w.t.Helper()
	_, err := tx.Exec(w.t.Context(), sql)
	must(w.t, err)
}

// refused runs what the outbox has to refuse.
func (w *world) refused(sql string) {
	w.t.Helper()
	var refusal *pgconn.PgError
	_, err := w.Pool.Exec(w.t.Context(), sql)
	if !errors.As(err, &refusal) || refusal.Code != "55000" {
		w.t.Errorf("%s: got %v", sql, err)
	}
}

// stock is an account with two albums of two photos each.
const stock = `
INSERT INTO accounts (tenant, picture_url) VALUES ('acme', 'https://cdn.example.com/a.jpg');
INSERT INTO albums (tenant, account_id, cover_url) VALUES ('acme', 1, 'https://cdn.example.com/c1.jpg'), ('acme', 1, '');
INSERT INTO photos (tenant, album_id, bucket, object_key, version_id) VALUES
  ('acme', 1, 'uploads', 'p/1', 'v1'), ('acme', 1, 'uploads', 'p/2', NULL),
  ('acme', 2, 'uploads', 'p/3', 'v3'), ('acme', 2, 'uploads', 'p/4', 'v4');`

func (w *world) stocked() *world {
	w.t.Helper()
	_, err := w.Pool.Exec(w.t.Context(), stock, pgx.QueryExecModeSimpleProtocol)
	must(w.t, err)
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, expected %v", what, got, want)
	}
}

var errDown = errors.New("connection refused")
