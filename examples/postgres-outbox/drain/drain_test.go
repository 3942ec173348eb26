package drain_test

import (
	"testing"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/postgrestest"
)

func TestOutbox(t *testing.T) {
	server := postgrestest.Start(t)
	for name, scene := range map[string]func(*world){
		"a transaction that is rolled back leaves nothing": func(w *world) {
			tx := w.stocked().begin("read committed")
			_, err := tx.Exec(w.t.Context(), "DELETE FROM accounts")
			must(w.t, err)
			must(w.t, tx.Rollback(w.t.Context()))
			w.drain()
			equal(w.t, "states", w.states())
		},
		"a cascade over three tables releases what each row named": func(w *world) {
			w.stocked().exec("DELETE FROM accounts")
			w.drain()
			equal(w.t, "sent", w.queue.entities(), "account/1", "album/1", "photo/1", "photo/2", "photo/3", "photo/4")
			for _, m := range w.queue.got {
				w.t.Logf("%+v", m)
			}
		},
	} {
		t.Run(name, func(t *testing.T) { scene(newWorld(t, server)) })
	}
}
