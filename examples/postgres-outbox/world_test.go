package main_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/drain"
	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/source"
)

// cdn is where the application's URLs begin.
const cdn = "https://cdn.example.com/"

// world is an application with its database, and an installation that follows
// it.
type world struct {
	*installation.Installation
	t       *testing.T
	db      *pgxpool.Pool
	drainer *drain.Drainer
	put     time.Time // the last one
}

func options(bucket string, clock *installation.Clock) installation.Options {
	return installation.Options{
		Policy: policy.Default(), Clock: clock, Real: time.Now,
		Sources: []source.Source{{Name: "albums", Bucket: bucket, URLs: []source.Base{{URL: cdn, Bucket: bucket}}}},
	}
}

func inMemory(t *testing.T) (*installation.Installation, drain.Queue) {
	// Its objects are all a minute older than the database's rows.
	i, memory, err := installation.InMemory(t.Context(), options("uploads", installation.NewStillClock(time.Now().Add(-time.Minute))))
	must(t, err)
	return i, inMemoryQueue{memory.Releases}
}

func onTheWire(t *testing.T) (*installation.Installation, drain.Queue) {
	prefix := "outbox-" + strings.ToLower(rand.Text()[:12])
	in, err := schema.New(prefix, policy.Default(), "uploads")
	must(t, err)
	cfg := localstacktest.Config(t)
	i, cloud, err := installation.OnCloud(t.Context(), cfg, prefix, options(in.Buckets[0].Name, installation.NewClock(time.Now, time.Now())))
	must(t, err)
	t.Cleanup(func() {
		if err := i.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return i, drain.SQS{Client: awsconf.SQS(cfg), URL: cloud.ReleasesURL}
}

// inMemoryQueue takes what SQS would.
type inMemoryQueue struct{ *queues.Queue }

func (q inMemoryQueue) Send(_ context.Context, batch []release.Message) ([]error, error) {
	for _, m := range batch {
		body, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		q.Put(string(body))
	}
	return make([]error, len(batch)), nil
}

func newWorld(t *testing.T, url string, i *installation.Installation, q drain.Queue) *world {
	t.Helper()
	db, err := pgxpool.New(t.Context(), url)
	must(t, err)
	t.Cleanup(db.Close)
	return &world{Installation: i, t: t, db: db, drainer: &drain.Drainer{
		Pool: db, Queue: q, Source: "albums", Keep: time.Hour, MaxAttempts: 3, Poll: time.Millisecond, Log: slog.New(slog.DiscardHandler),
	}}
}

// stored puts an object that Strandline knows nothing of, and returns its
// version.
func (w *world) stored(key string) string {
	w.t.Helper()
	body := []byte("bytes of " + key)
	o, err := w.Stores.Objects.Put(w.t.Context(), w.Bucket, key, bytes.NewReader(body), objects.Content{Size: int64(len(body))})
	must(w.t, err)
	w.put = time.Now()
	return o.VersionID
}

// one is the first value of a query's first row.
func (w *world) one(sql string, args ...any) (id int64) {
	w.t.Helper()
	must(w.t, w.db.QueryRow(w.t.Context(), sql, args...).Scan(&id))
	return id
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Exec(w.t.Context(), sql, args...)
	must(w.t, err)
}

// follow drains the outbox and then the queue of releases, until nothing moves,
// and returns how many messages the relay took.
func (w *world) follow() (taken int) {
	w.t.Helper()
	for moved := true; moved; {
		tally, err := w.drainer.Round(w.t.Context())
		must(w.t, err)
		n, acknowledged, err := w.Relay(w.t.Context())
		must(w.t, err)
		if acknowledged != n {
			w.t.Fatalf("the relay is done with %d of %d messages", acknowledged, n)
		}
		taken += n
		moved = n > 0 || tally != drain.Tally{}
	}
	return taken
}

// clear lets so much time pass, and a pass and the workers do what is due.
func (w *world) clear(d time.Duration) {
	w.t.Helper()
	w.Clock.Advance(d)
	must(w.t, w.Census(w.t.Context()))
	_, err := w.Pass(w.t.Context())
	must(w.t, err)
	_, err = w.Drain(w.t.Context(), command.MaxBatch)
	must(w.t, err)
}

// standing are the keys of which a version stands, sorted.
func (w *world) standing() []string {
	w.t.Helper()
	var keys []string
	for v, err := range w.Stores.Objects.Versions(w.t.Context(), w.Bucket, "") {
		must(w.t, err)
		if v.Marker {
			w.t.Error("a marker was placed")
		}
		keys = append(keys, v.Key)
	}
	slices.Sort(keys)
	return keys
}

// adopted counts the records that were made of releases.
func (w *world) adopted() int {
	w.t.Helper()
	n := 0
	for record, err := range w.Stores.Ledger.Owned(w.t.Context(), 0, 1) {
		must(w.t, err)
		if release.MayBeRelease(record.ID) {
			n++
		}
	}
	return n
}

// parked are the reasons of what the relay has parked.
func (w *world) parked() []string {
	w.t.Helper()
	letters, err := w.Stores.ReleasesDead.Receive(w.t.Context(), 10, 0, time.Minute)
	must(w.t, err)
	var reasons []string
	for _, l := range letters {
		reasons = append(reasons, l.Reason)
	}
	return reasons
}

// rolledBack does it in a transaction that ends so.
func (w *world) rolledBack(sql string) {
	w.t.Helper()
	tx, err := w.db.Begin(w.t.Context())
	must(w.t, err)
	_, err = tx.Exec(w.t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
	must(w.t, err)
	must(w.t, tx.Rollback(w.t.Context()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, expected %v", what, got, want)
	}
}
