package drain_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/strandline-dev/strandline/shared/release"
)

// raceScenes are transactions that are under way while the drainer decides.
var raceScenes = []scene{
	// Without the horizon the release is decided while the row that names its
	// object again is not to be seen yet: that transaction began before the
	// release was there, so it holds no lock on it.
	{"a transaction that has named the object before the release was there is waited for", func(w *world) {
		w.stocked()
		naming := w.begin()
		w.in(naming, "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
		w.exec("DELETE FROM photos WHERE id = 1")
		w.waitsFor(naming)
	}},
	// Without the lock of on_named the release is decided here: every
	// transaction that it may be unknown to is over.
	{"a transaction that names the object while its release waits is waited for", func(w *world) {
		w.HoldBack = holdBack
		w.stocked().exec("DELETE FROM photos WHERE id = 1")
		w.drain()
		w.age()
		naming := w.begin()
		w.in(naming, "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
		w.waitsFor(naming)
	}},
	{"a transaction that names it and is rolled back keeps nothing", func(w *world) {
		w.stocked().exec("DELETE FROM photos WHERE id = 1")
		naming := w.begin()
		w.in(naming, "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
		w.drain()
		must(w.t, naming.Rollback(w.t.Context()))
		w.drain()
		equal(w.t, "states", w.states(), "photo/1 sent")
	}},
	// Without waiting for the decision the row would be written, and its object
	// released.
	{"a row that names the object while its release is decided waits, and is refused", func(w *world) {
		w.stocked().exec("DELETE FROM photos WHERE id = 1")
		deciding := w.begin()
		w.in(deciding, "UPDATE strandline.outbox SET state = 'released', released_at = now()")
		answer := make(chan error, 1)
		go func() {
			_, err := w.Pool.Exec(w.t.Context(), "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
			answer <- err
		}()
		w.until("SELECT count(*)::text FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()", "1")
		must(w.t, deciding.Commit(w.t.Context()))
		var refusal *pgconn.PgError
		if err := <-answer; !errors.As(err, &refusal) || refusal.Code != "55000" {
			w.t.Errorf("got %v", err)
		}
	}},
	// Waiting for the lock instead: each of the two would wait for the other, and
	// PostgreSQL would end the application's transaction.
	{"a transaction that names the object has locked a kept release: the drainer does not wait for it", func(w *world) {
		w.stocked().exec("UPDATE albums SET cover_url = 'https://cdn.example.com/c1.jpg'")
		w.exec("DELETE FROM albums WHERE id = 1")
		w.drain()
		w.HoldBack = holdBack
		w.exec("DELETE FROM albums WHERE id = 2")
		w.drain()
		w.age()
		naming := w.begin()
		w.in(naming, "SELECT id FROM strandline.outbox WHERE entity = 'album/1' AND state = 'kept' FOR SHARE")
		w.drain()
		equal(w.t, "while it runs", w.column("SELECT entity || ' ' || state FROM strandline.outbox WHERE url IS NOT NULL ORDER BY 1"), "album/1 kept", "album/2 pending")
		must(w.t, naming.Rollback(w.t.Context()))
		w.drain()
		equal(w.t, "then", w.queue.urls(), "https://cdn.example.com/c1.jpg", "https://cdn.example.com/c1.jpg")
	}},
	// Without being told, such a transaction writes its row unseen: it shows
	// nowhere as running when the horizon is drawn, and sees no release to lock.
	{"a transaction of REPEATABLE READ that is older than what was seen, and writes only now, has to be tried again", func(w *world) {
		w.stocked().HoldBack = holdBack
		naming, later := w.repeatable(), w.repeatable()
		w.exec("DELETE FROM photos WHERE id = 1")
		w.drain()
		w.again(naming, "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
		w.age()
		w.drain()
		equal(w.t, "then", w.states(), "photo/1 sent")
		w.again(later, "UPDATE photos SET object_key = 'p/1', version_id = 'v1' WHERE id = 2")
	}},
	// Refused too, it would have to be tried again for nothing: the horizon waits
	// for it.
	{"a transaction of REPEATABLE READ that has written before is waited for, and may go on", func(w *world) {
		w.stocked()
		naming := w.repeatable()
		w.in(naming, "UPDATE accounts SET picture_url = 'https://cdn.example.com/b.jpg'")
		w.exec("DELETE FROM photos WHERE id = 1")
		w.drain()
		w.in(naming, "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
		must(w.t, naming.Commit(w.t.Context()))
		w.drain()
		equal(w.t, "photos", w.column("SELECT state FROM strandline.outbox WHERE key = 'p/1'"), "kept")
	}},
	{"a transaction of REPEATABLE READ that begins later names what it likes", func(w *world) {
		w.stocked().HoldBack = holdBack
		w.exec("DELETE FROM photos WHERE id = 1")
		w.drain()
		w.age()
		naming := w.repeatable()
		w.in(naming, "INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v1')")
		w.waitsFor(naming)
	}},
	{"two drainers at once send each release once", func(w *world) {
		w.stocked().exec("INSERT INTO photos (tenant, album_id, bucket, object_key) SELECT 'acme', 1, 'uploads', 'many/' || i FROM generate_series(1, 300) AS i")
		w.exec("DELETE FROM accounts")
		second := *w.Drainer
		done := make(chan error, 1)
		go func() {
			for range 3 {
				if _, err := second.Round(w.t.Context()); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		w.drain()
		must(w.t, <-done)
		w.drain()
		if n := len(w.queue.entities()); n != 306 {
			w.t.Errorf("%d messages of 306 releases", n)
		}
	}},
	// A drainer that marks before it sends loses what it dies with.
	{"the drainer is killed between send and mark: sent again, under the same id", func(w *world) {
		w.stocked().exec("DELETE FROM photos WHERE id = 1")
		w.drainer("killed")
		equal(w.t, "after the kill", w.states(), "photo/1 released")
		ids := w.column("SELECT release::text FROM strandline.outbox")
		w.drain()
		equal(w.t, "while its lease lasts", w.queue.keys())
		w.exec("UPDATE strandline.outbox SET due_at = now()")
		w.drain()
		equal(w.t, "states", w.states(), "photo/1 sent")
		equal(w.t, "ids", []string{w.queue.got[0].ID}, ids...)
	}},
}

// repeatable is a transaction of REPEATABLE READ that has its snapshot.
func (w *world) repeatable() pgx.Tx {
	w.t.Helper()
	tx := w.begin()
	w.in(tx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
	w.in(tx, "SELECT FROM accounts")
	return tx
}

// again runs what PostgreSQL has to have tried again, and ends the transaction.
func (w *world) again(tx pgx.Tx, sql string) {
	w.t.Helper()
	var failure *pgconn.PgError
	if _, err := tx.Exec(w.t.Context(), sql); !errors.As(err, &failure) || failure.Code != "40001" {
		w.t.Errorf("%s: got %v", sql, err)
	}
	must(w.t, tx.Rollback(w.t.Context()))
}

const roleVariable = "STRANDLINE_TEST_DRAINER"

// drainer drains in a process of its own, which ends by signal.
func (w *world) drainer(role string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), os.Args[0], "-test.run=^TestChildDrains$", "-test.timeout=2m")
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "DATABASE_URL="+w.url)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || !ended.Sys().(syscall.WaitStatus).Signaled() {
		w.t.Fatalf("the drainer ended with %v: %s", err, out)
	}
}

// TestChildDrains is what other tests run in a process of its own.
func TestChildDrains(t *testing.T) {
	if os.Getenv(roleVariable) == "" {
		return // a role that other tests play
	}
	t.Error(newDrainer(pool(t, os.Getenv("DATABASE_URL")), killing{}).Run(t.Context()))
}

// killing takes everything, and then its process is no more.
type killing struct{}

func (killing) Send(context.Context, []release.Message) ([]error, error) {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// waitsFor: the release of photo 1 waits for a transaction that has named its
// object, and is kept for it.
func (w *world) waitsFor(naming pgx.Tx) {
	w.t.Helper()
	w.drain()
	equal(w.t, "while it runs", w.states(), "photo/1 pending")
	must(w.t, naming.Commit(w.t.Context()))
	w.drain()
	equal(w.t, "then", w.states(), "photo/1 kept")
}
