package drain_test

import (
	"context"
	"errors"
	"testing"
	"time"
)

// queueScenes are what the queue does to what is sent.
var queueScenes = []scene{
	{"the queue is down: everything is kept, nothing is an attempt, and goes when it is back", func(w *world) {
		w.stocked().exec("DELETE FROM albums")
		w.queue.down = errDown
		for range 2 * w.MaxAttempts {
			if _, err := w.Round(w.t.Context()); !errors.Is(err, errDown) {
				w.t.Errorf("got %v", err)
			}
		}
		equal(w.t, "attempts and reason", w.column("SELECT DISTINCT attempts || ' ' || state || ' ' || coalesce(last_error, '-') FROM strandline.outbox"), "0 released connection refused")
		w.queue.down = nil
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "album/1", "photo/1", "photo/2", "photo/3", "photo/4")
		equal(w.t, "reasons", w.column("SELECT DISTINCT coalesce(last_error, '-') FROM strandline.outbox"), "-")
	}},
	{"the queue refuses one release: the others go, it is tried three times and parked, and goes when it is retried", func(w *world) {
		w.stocked().exec("DELETE FROM albums")
		w.queue.refused = map[string]error{"photo/2": errors.New("InvalidMessageContents")}
		for range w.MaxAttempts {
			w.drain()
			w.exec("UPDATE strandline.outbox SET due_at = now()")
		}
		equal(w.t, "sent", w.queue.entities(), "album/1", "photo/1", "photo/3", "photo/4")
		equal(w.t, "parked", w.column("SELECT entity || ' ' || attempts || ' ' || last_error FROM strandline.outbox WHERE state = 'parked'"), "photo/2 3 InvalidMessageContents")
		w.queue.refused = nil
		equal(w.t, "retried", w.column("SELECT strandline.retry(id) FROM strandline.outbox WHERE state = 'parked'"), "released")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "album/1", "photo/1", "photo/2", "photo/3", "photo/4")
	}},
	// Without it every round ends at that release, and nothing behind it is sent.
	{"somebody has edited a release after it was decided: it is parked, and the others go", func(w *world) {
		w.stocked().exec("DELETE FROM albums")
		w.queue.down = errDown
		_, _ = w.Round(w.t.Context()) // its error is the queue's
		w.exec("UPDATE strandline.outbox SET tenant = '' WHERE entity = 'album/1'")
		w.queue.down = nil
		if t := w.drain(); t.Parked != 1 {
			w.t.Errorf("%d are parked", t.Parked)
		}
		equal(w.t, "sent", w.queue.entities(), "photo/1", "photo/2", "photo/3", "photo/4")
	}},
	// Without it every stop would send what is under way once more.
	{"the drainer is stopped while it sends: what has arrived is marked, and it ends without an error", func(w *world) {
		w.stocked().exec("DELETE FROM albums")
		ctx, stop := context.WithCancel(w.t.Context())
		w.queue.before = func(sending context.Context) {
			stop()
			if sending.Err() != nil {
				w.t.Error("the stop ended the send itself")
			}
		}
		must(w.t, w.Run(ctx))
		equal(w.t, "states", w.states(), "album/1 sent", "photo/1 sent", "photo/2 sent", "photo/3 sent", "photo/4 sent")
	}},
	{"the status says what waits, since when and why", func(w *world) {
		w.stocked().exec("DELETE FROM photos WHERE id = 1")
		w.queue.down = errDown
		_, _ = w.Round(w.t.Context()) // its error is the queue's
		w.exec("DELETE FROM photos WHERE id = 2")
		equal(w.t, "status", w.column("SELECT state || ' ' || releases || ' ' || coalesce(last_error, '-') FROM strandline.status WHERE oldest <= now() ORDER BY state"),
			"pending 1 -", "released 1 connection refused")
	}},
}

func TestADrainerThatCannotWorkSaysWhy(t *testing.T) {
	w := &world{t: t}
	w.Drainer = newDrainer(nil, &queue{})
	if err := w.Run(t.Context()); err == nil || err.Error() != "drainer: a database, a queue and a log are needed" {
		t.Errorf("got %v", err)
	}
}

// holdBack is longer than any test, and age makes releases older than that.
const holdBack = time.Hour

func (w *world) age() {
	w.t.Helper()
	w.exec("UPDATE strandline.outbox SET at = at - interval '2 hours'")
}
