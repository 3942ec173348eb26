package drain_test

import (
	"cmp"
	"os"
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/postgrestest"
)

// scene is one story in a database of its own.
type scene struct {
	name string
	play func(*world)
}

// TestOutbox plays every scene on a real PostgreSQL, started once.
func TestOutbox(t *testing.T) {
	url := postgrestest.Start(t).Database(t)
	for _, s := range slices.Concat(rowScenes, sharedScenes, raceScenes, queueScenes, rightScenes) {
		t.Run(s.name, func(t *testing.T) { s.play(newWorld(t, url)) })
	}
}

// rowScenes are what rows do, and what of it is released.
var rowScenes = []scene{
	{"a transaction that is rolled back leaves nothing", func(w *world) {
		tx := w.stocked().begin()
		w.in(tx, "DELETE FROM accounts")
		must(w.t, tx.Rollback(w.t.Context()))
		w.drain()
		equal(w.t, "states", w.states())
	}},
	{"a cascade over three tables releases what each row named, and an empty URL names nothing", func(w *world) {
		w.stocked().exec("DELETE FROM accounts")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "account/1", "album/1", "photo/1", "photo/2", "photo/3", "photo/4")
		slices.SortFunc(w.queue.got, byEntity)
		if m := w.queue.got[2]; m.Bucket != "uploads" || m.Key != "p/1" || m.VersionID != "v1" || m.URL != "" || m.Tenant != "acme" || m.Source != "albums" || m.At.IsZero() || m.ID == "" {
			w.t.Errorf("a photo is released as %+v", m)
		}
		if m := w.queue.got[1]; m.URL != "https://cdn.example.com/c1.jpg" || m.Bucket != "" || m.Key != "" {
			w.t.Errorf("a cover is released as %+v", m)
		}
	}},
	{"a URL is replaced twice quickly: the first two objects are released, the last is not", func(w *world) {
		w.stocked().exec("UPDATE albums SET cover_url = 'https://cdn.example.com/c2.jpg' WHERE id = 1")
		w.exec("UPDATE albums SET cover_url = 'https://cdn.example.com/c3.jpg' WHERE id = 1")
		w.drain()
		equal(w.t, "sent", w.queue.urls(), "https://cdn.example.com/c1.jpg", "https://cdn.example.com/c2.jpg")
	}},
	{"a row is saved with the same object: nothing is released", func(w *world) {
		w.stocked().exec("UPDATE photos SET album_id = 2")
		w.exec("INSERT INTO photos (tenant, id, album_id, bucket, object_key, version_id) SELECT * FROM photos ON CONFLICT (tenant, id) DO UPDATE SET album_id = 1")
		w.drain()
		equal(w.t, "states", w.states())
	}},
	{"an upsert that replaces the object releases the old one", func(w *world) {
		w.stocked().exec(`INSERT INTO photos VALUES ('acme', 1, 1, 'uploads', 'p/new', 'v9')
			ON CONFLICT (tenant, id) DO UPDATE SET object_key = excluded.object_key, version_id = excluded.version_id`)
		w.drain()
		equal(w.t, "sent", w.queue.keys(), "p/1")
	}},
	{"a new version under the same key releases the old version only", func(w *world) {
		w.stocked().exec("UPDATE photos SET version_id = 'v2' WHERE id = 1")
		w.drain()
		equal(w.t, "sent", w.queue.keys(), "p/1")
		if m := w.queue.got[0]; m.VersionID != "v1" {
			w.t.Errorf("released version %q", m.VersionID)
		}
	}},
	// A TRUNCATE fires no trigger for rows. Without one of its own every object
	// of the table would be forgotten.
	{"a truncated table releases all that it named", func(w *world) {
		w.stocked().exec("TRUNCATE albums CASCADE")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "album/1", "photo/1", "photo/2", "photo/3", "photo/4")
	}},
	// A row whose foreign keys are set to null by one statement appears several
	// times among that statement's old and new rows.
	{"one statement changes a row twice by its foreign keys: what it still names is not released", func(w *world) {
		w.exec("CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1), (2)")
		w.exec(`CREATE TABLE b (id int PRIMARY KEY, x int REFERENCES a ON DELETE SET NULL, y int REFERENCES a ON DELETE SET NULL, url text)`)
		w.exec(`CALL strandline.watch('b', 'it', entity => 'id', tenant => '''acme''', url => 'CASE WHEN y IS NULL THEN NULL ELSE url END')`)
		w.exec("INSERT INTO b VALUES (1, 1, 2, 'u1'), (2, 1, 1, 'u2'), (3, 1, NULL, 'u3')")
		w.exec("DELETE FROM a WHERE id = 1")
		w.drain()
		equal(w.t, "sent", w.queue.urls(), "u2")
	}},
	// The application's DELETE must go through whatever its row holds.
	{"poison is parked with what is wrong, deletes nobody's transaction, and goes on when it is mended", func(w *world) {
		w.exec("CREATE TABLE files (id int, tenant text, url text)")
		w.exec("CALL strandline.watch('files', 'file', entity => 'id', tenant => 'tenant', url => 'url')")
		w.exec("INSERT INTO files VALUES (1, NULL, 'u1'), (2, 'acme', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 3125) AS i)), (3, 'acme', 'u3')")
		w.exec("DELETE FROM files")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "3")
		equal(w.t, "states", w.states(), "1 parked", "2 parked", "3 sent")
		equal(w.t, "reasons", w.column("SELECT last_error FROM strandline.outbox WHERE state = 'parked' ORDER BY id"),
			"its tenant is empty: see the tenant that strandline.watch was given", "its URL has 100000 bytes: expected up to 4096")
		w.exec("UPDATE strandline.outbox SET tenant = 'acme' WHERE entity = '1'")
		equal(w.t, "retried", w.column("SELECT strandline.retry(id) FROM strandline.outbox WHERE entity = '1'"), "pending")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "1", "3")
	}},
	{"a cascade of thousands passes without loss, each once", func(w *world) {
		n := 1500
		if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
			n = 300
		}
		w.stocked().exec("INSERT INTO photos (tenant, album_id, bucket, object_key) SELECT 'acme', 1, 'uploads', 'many/' || i FROM generate_series(1, $1::int) AS i", n)
		w.exec("DELETE FROM accounts")
		if all := w.drain(); all.Sent != n+6 || all.Released != n+6 {
			w.t.Errorf("%+v, expected %d", all, n+6)
		}
		names := w.queue.entities()
		if len(slices.Compact(names)) != n+6 {
			w.t.Errorf("%d different releases arrived", len(slices.Compact(names)))
		}
	}},
}

// sharedScenes are objects that several rows name, and rows that come back.
var sharedScenes = []scene{
	// Without the question in decide the object of a live row is released.
	{"two rows name one object: it is kept while one does, and then both are released", func(w *world) {
		w.stocked().exec("UPDATE photos SET object_key = 'p/1', version_id = 'v1' WHERE id = 3")
		w.drain()
		w.exec("DELETE FROM photos WHERE id = 1")
		w.drain()
		equal(w.t, "sent", w.queue.keys(), "p/3")
		w.exec("DELETE FROM photos WHERE id = 3")
		w.drain()
		equal(w.t, "sent", w.queue.keys(), "p/1", "p/1", "p/3")
		equal(w.t, "entities", w.queue.entities(), "photo/1", "photo/3", "photo/3")
	}},
	{"both rows of one object go at once: it is released, although each transaction sees the other's row", func(w *world) {
		w.stocked().exec("UPDATE albums SET cover_url = 'https://cdn.example.com/c1.jpg'")
		one, two := w.begin(), w.begin()
		w.in(one, "DELETE FROM albums WHERE id = 1")
		w.in(two, "DELETE FROM albums WHERE id = 2")
		must(w.t, one.Commit(w.t.Context()))
		must(w.t, two.Commit(w.t.Context()))
		w.drain()
		equal(w.t, "sent", w.queue.urls(), "https://cdn.example.com/c1.jpg", "https://cdn.example.com/c1.jpg")
	}},
	{"two rows exchange their objects: neither is released", func(w *world) {
		w.stocked().exec("UPDATE photos SET object_key = CASE id WHEN 3 THEN 'p/4' ELSE 'p/3' END, version_id = CASE id WHEN 3 THEN 'v4' ELSE 'v3' END WHERE id IN (3, 4)")
		w.drain()
		equal(w.t, "states", w.states(), "photo/3 kept", "photo/4 kept")
		w.exec("DELETE FROM photos WHERE id = 3")
		w.drain()
		equal(w.t, "sent", w.queue.entities(), "photo/3", "photo/4")
		equal(w.t, "keys", w.queue.keys(), "p/4", "p/4")
	}},
	{"a row is deleted and comes back within the hold-back: kept", func(w *world) {
		w.HoldBack = holdBack
		w.stocked().exec("DELETE FROM photos WHERE id = 1")
		w.drain()
		equal(w.t, "states", w.states(), "photo/1 pending")
		w.exec("INSERT INTO photos VALUES ('acme', 1, 1, 'uploads', 'p/1', 'v1')")
		w.age()
		w.drain()
		equal(w.t, "states", w.states(), "photo/1 kept")
		equal(w.t, "sent", w.queue.keys())
	}},
	{"a row is deleted and written again by every save: one release is kept for it, however often", func(w *world) {
		w.stocked()
		for range 3 {
			tx := w.begin()
			w.in(tx, "DELETE FROM photos WHERE id = 1")
			w.in(tx, "INSERT INTO photos VALUES ('acme', 1, 1, 'uploads', 'p/1', 'v1')")
			must(w.t, tx.Commit(w.t.Context()))
			w.drain()
		}
		equal(w.t, "states", w.states(), "photo/1 kept")
	}},
	// Without the refusal a live row would name an object that is about to be
	// deleted, and nobody would know.
	{"a row names an object after its release: refused, whatever version it means", func(w *world) {
		w.stocked().exec("DELETE FROM photos WHERE id IN (1, 2)")
		w.drain()
		for _, version := range []string{"'v1'", "NULL"} {
			w.refused("INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', " + version + ")")
			w.refused("UPDATE photos SET object_key = 'p/1', version_id = " + version + " WHERE id = 3")
		}
		w.refused("INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/2', 'v7')")
		w.exec("INSERT INTO photos VALUES ('acme', 9, 1, 'uploads', 'p/1', 'v2')")
		w.exec("UPDATE strandline.outbox SET sent_at = sent_at - interval '2 hours'")
		w.drain()
		equal(w.t, "states", w.states())
		w.exec("INSERT INTO photos VALUES ('acme', 10, 1, 'uploads', 'p/1', 'v1')")
	}},
	{"keys are reused: one that was released may be named again, and each release is of its own object", func(w *world) {
		w.exec("CREATE TABLE badges (id int, key text)")
		w.exec(`CALL strandline.watch('badges', 'badge', entity => 'id', tenant => '''acme''', bucket => '''uploads''', key => 'key', reused => true)`)
		for range 2 {
			w.exec("INSERT INTO badges VALUES (1, 'b')")
			w.exec("DELETE FROM badges")
			w.drain()
		}
		equal(w.t, "sent", w.queue.keys(), "b", "b")
		w.exec("INSERT INTO badges VALUES (1, 'b')")
		for range 2 {
			w.exec("WITH d AS (DELETE FROM badges) SELECT 1")
			w.exec("INSERT INTO badges VALUES (1, 'b')")
			w.drain()
		}
		equal(w.t, "states", w.states(), "1 kept", "1 kept", "1 sent", "1 sent")
	}},
}

func byEntity(a, b message) int { return cmp.Compare(a.Entity, b.Entity) }
