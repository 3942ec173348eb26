package main_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/drain"
	"github.com/strandline-dev/strandline/examples/postgres-outbox/postgrestest"
	"github.com/strandline-dev/strandline/examples/postgres-outbox/tables"
	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/upload"
)

// TestObjectsFollowRows plays every story with a real PostgreSQL, on the memory
// adapters and over HTTP: rows, outbox, drainer, queue, relay, ledger, pass,
// worker, bucket. With reduced bounds the first four alone go over HTTP.
func TestObjectsFollowRows(t *testing.T) {
	url := postgrestest.Start(t).Database(t)
	reduced := os.Getenv("STRANDLINE_BOUNDS") == "reduced"
	for where, open := range map[string]func(*testing.T) (*installation.Installation, drain.Queue){
		"in memory": inMemory, "on the wire": onTheWire,
	} {
		for n, s := range stories {
			if reduced && where == "on the wire" && n >= 4 {
				break
			}
			t.Run(s.name+"/"+where, func(t *testing.T) {
				i, q := open(t)
				postgrestest.Empty(t, url, tables.Outbox, tables.Albums)
				s.play(newWorld(t, url, i, q))
			})
		}
	}
}

// graceOver is when a release may be claimed: the grace, and the pass's margin.
const graceOver = 21 * time.Minute

var stories = []struct {
	name string
	play func(*world)
}{
	{"a deletion that is rolled back releases nothing, one that cascades over three tables releases all, and each object goes after the grace", func(w *world) {
		ann, bob := w.account("ann"), w.account("bob")
		w.rolledBack("DELETE FROM accounts")
		equal(w.t, "messages after a rollback", w.follow(), 0)
		w.changed("DELETE FROM accounts WHERE id = $1", ann)
		equal(w.t, "messages", w.follow(), 4)
		equal(w.t, "records", w.adopted(), 4)
		w.clear(0)
		equal(w.t, "within the grace", len(w.standing()), 8)
		w.clear(graceOver)
		equal(w.t, "after the grace", w.standing(), []string{"bob/1.jpg", "bob/2.jpg", "bob/cover.jpg", "bob/picture.jpg"})
		w.changed("DELETE FROM accounts WHERE id = $1", bob)
		equal(w.t, "messages", w.follow(), 4)
	}},
	{"a URL is replaced twice quickly: the two that are not named any more go", func(w *world) {
		id := w.account("ann")
		w.stored("second.jpg")
		w.stored("third.jpg")
		w.changed("UPDATE accounts SET picture_url = $2 WHERE id = $1", id, cdn+"second.jpg")
		w.changed("UPDATE accounts SET picture_url = $2 WHERE id = $1", id, cdn+"third.jpg")
		equal(w.t, "messages", w.follow(), 2)
		w.clear(graceOver)
		equal(w.t, "standing", w.standing(), []string{"ann/1.jpg", "ann/2.jpg", "ann/cover.jpg", "third.jpg"})
	}},
	{"the drainer is killed between send and mark: the relay hears it twice, and makes one record", func(w *world) {
		w.account("ann")
		w.changed("DELETE FROM photos")
		w.follow()
		// What a kill leaves, once its lease is over: sent and not marked. That
		// it does, TestOutbox in drain shows with a process that is killed.
		w.exec("UPDATE strandline.outbox SET state = 'released', sent_at = NULL, due_at = now()")
		equal(w.t, "messages again", w.follow(), 2)
		equal(w.t, "records", w.adopted(), 2)
		w.clear(graceOver)
		equal(w.t, "standing", w.standing(), []string{"ann/cover.jpg", "ann/picture.jpg"})
	}},
	// Without the drainer's question the object of a live row is deleted: the
	// relay has no table of this database to ask.
	{"two rows name one object: it stays when one is deleted, and goes with the second", func(w *world) {
		first, second := w.account("ann"), w.account("bob")
		w.changed("UPDATE accounts SET picture_url = $2 WHERE id = $1", second, cdn+"ann/picture.jpg")
		w.changed("DELETE FROM accounts WHERE id = $1", first)
		w.follow()
		w.clear(graceOver)
		equal(w.t, "one is left", w.standing(), []string{"ann/picture.jpg", "bob/1.jpg", "bob/2.jpg", "bob/cover.jpg"})
		w.changed("DELETE FROM accounts WHERE id = $1", second)
		w.follow()
		w.clear(graceOver)
		equal(w.t, "none is left", len(w.standing()), 0)
	}},
	{"the queue is down for a while: every release is kept, and follows later", func(w *world) {
		w.account("ann")
		w.changed("DELETE FROM accounts")
		up := w.drainer.Queue
		w.drainer.Queue = down{}
		if _, err := w.drainer.Round(w.t.Context()); !errors.Is(err, drain.ErrQueue) {
			w.t.Errorf("got %v", err)
		}
		w.drainer.Queue = up
		equal(w.t, "messages", w.follow(), 4)
		w.clear(graceOver)
		equal(w.t, "standing", len(w.standing()), 0)
	}},
	{"a row names what nobody can read: parked with the reason, and the others go", func(w *world) {
		id := w.account("ann")
		w.stored("a b.jpg")
		w.changed("UPDATE accounts SET picture_url = $2 WHERE id = $1", id, cdn+"a+b.jpg")
		w.changed("DELETE FROM accounts")
		w.follow()
		w.clear(graceOver)
		// The replaced picture goes; what the poison may have meant stays.
		equal(w.t, "standing", w.standing(), []string{"a b.jpg"})
		equal(w.t, "parked", w.parked(), []string{"url: it has a plus sign, which some read as a space: write %2B or %20"})
	}},
	{"a row is deleted and comes back within the hold-back: its object stays", func(w *world) {
		id := w.account("ann")
		w.drainer.HoldBack = time.Hour
		w.exec("CREATE TABLE bin AS SELECT * FROM photos")
		w.changed("DELETE FROM photos")
		equal(w.t, "messages", w.follow(), 0)
		w.exec("INSERT INTO photos SELECT * FROM bin")
		w.exec("UPDATE strandline.outbox SET at = at - interval '2 hours'")
		equal(w.t, "messages", w.follow(), 0)
		w.drainer.HoldBack = 0
		w.changed("DELETE FROM accounts WHERE id = $1", id)
		equal(w.t, "messages", w.follow(), 6) // what was kept goes with the rest
		w.clear(graceOver)
		equal(w.t, "standing", len(w.standing()), 0)
	}},
	{"an upload is given up with the row that names it, and one that several rows refer to with the last of them", func(w *world) {
		alone, shared := w.uploaded("alone"), w.uploaded("shared")
		album := w.album()
		w.photo(album, alone)
		one, two := w.photo(album, shared), w.photo(album, shared)
		for _, id := range []string{one, two} {
			must(w.t, w.Intake.AddReference(w.t.Context(), shared.ID, upload.Reference{Source: "albums", Entity: id}, 0))
		}
		w.put = time.Now()
		w.changed("DELETE FROM photos WHERE 'photo/' || id <> $1", two)
		w.follow()
		w.clear(graceOver + w.Policy.UploadDeadline)
		equal(w.t, "the upload of one row", w.state(alone), upload.StateDeleted)
		equal(w.t, "the shared one", w.state(shared), upload.StateComplete)
		w.changed("DELETE FROM accounts")
		w.follow()
		w.clear(graceOver + w.Policy.UploadDeadline)
		equal(w.t, "the shared one, then", w.state(shared), upload.StateDeleted)
	}},
	// Without the gate a test environment, or an installation that somebody only
	// tries, would delete.
	{"the gate is in report-only: releases are collected, and nothing is deleted until it says delete", func(w *world) {
		w.account("ann")
		must(w.t, w.Stores.Gate.SetMode(w.t.Context(), gate.ReportOnly))
		w.changed("DELETE FROM accounts")
		w.follow()
		w.clear(graceOver)
		equal(w.t, "records", w.adopted(), 4)
		equal(w.t, "in report-only", len(w.standing()), 4)
		must(w.t, w.Stores.Gate.SetMode(w.t.Context(), gate.Delete))
		w.clear(time.Hour)
		equal(w.t, "then", len(w.standing()), 0)
	}},
}

// account makes an account with a picture, and an album with a cover and two
// photos: four objects.
func (w *world) account(name string) int64 {
	w.t.Helper()
	id := w.one("INSERT INTO accounts (tenant, picture_url) VALUES ('acme', $1) RETURNING id", cdn+name+"/picture.jpg")
	album := w.one("INSERT INTO albums (tenant, account_id, cover_url) VALUES ('acme', $1, $2) RETURNING id", id, "s3://"+w.Bucket+"/"+name+"/cover.jpg")
	w.stored(name + "/picture.jpg")
	w.stored(name + "/cover.jpg")
	for _, photo := range []string{"/1.jpg", "/2.jpg"} {
		version := w.stored(name + photo)
		w.exec("INSERT INTO photos (tenant, album_id, bucket, object_key, version_id) VALUES ('acme', $1, $2, $3, $4)", album, w.Bucket, name+photo, version)
	}
	return id
}

func (w *world) album() int64 {
	w.t.Helper()
	account := w.one("INSERT INTO accounts (tenant) VALUES ('acme') RETURNING id")
	return w.one("INSERT INTO albums (tenant, account_id) VALUES ('acme', $1) RETURNING id", account)
}

// changed takes names away, in a later second than the last put: of a row that
// goes in the same one nobody could say which version it had meant.
func (w *world) changed(sql string, args ...any) {
	w.t.Helper()
	if now := w.Clock.Now(); w.Clock.Offset() != 0 || w.Clock.Now() != now { // it runs
		time.Sleep(time.Until(w.put.Truncate(time.Second).Add(time.Second)))
	}
	w.exec(sql, args...)
}

// down is a queue that cannot be reached.
type down struct{}

func (down) Send(context.Context, []release.Message) ([]error, error) {
	return nil, errors.New("connection refused")
}

// uploaded is an upload of one object that the application made by Strandline.
func (w *world) uploaded(body string) upload.Record {
	w.t.Helper()
	sum := sha256.Sum256([]byte(body))
	r, err := w.Intake.Store(w.t.Context(),
		intake.Request{Tenant: "acme", Owner: "ann", Holder: "web", Lease: time.Minute, Bucket: w.Bucket, Chunks: 1},
		intake.Chunk{Seq: 1, Size: int64(len(body)), SHA256: sum[:]}, bytes.NewReader([]byte(body)), time.Time{})
	must(w.t, err)
	return r
}

// photo is a row that names the upload's object; it returns its entity.
func (w *world) photo(album int64, r upload.Record) (entity string) {
	w.t.Helper()
	o := r.Manifest.Objects[0]
	must(w.t, w.db.QueryRow(w.t.Context(), `INSERT INTO photos (tenant, album_id, bucket, object_key, version_id)
		VALUES ('acme', $1, $2, $3, $4) RETURNING 'photo/' || id`, album, r.Bucket, r.ObjectKey(o.Key), o.VersionID).Scan(&entity))
	return entity
}

func (w *world) state(r upload.Record) upload.State {
	w.t.Helper()
	now, err := w.Stores.Ledger.Load(w.t.Context(), r.ID)
	must(w.t, err)
	return now.State
}
