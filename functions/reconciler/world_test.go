package reconciler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/reconciler"
	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/inventory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	day    = 24 * time.Hour
	prefix = "lists of uploads"
)

// world is the function over stores in memory, and a folder in place of the
// bucket of inventories.
type world struct {
	t      *testing.T
	now    time.Time
	folder string
	ledger *ledgers.Store
	store  *stores.Store
	log    bytes.Buffer
	told   bytes.Buffer // metrics
	app    *reconciler.App
}

func newWorld(t *testing.T) *world { return newWorldOf(t, "", "uploads") }

func newWorldOf(t *testing.T, config string, buckets ...string) *world {
	t.Helper()
	w := &world{t: t, now: noon, folder: t.TempDir(), ledger: ledgers.New()}
	w.store = stores.New(func() time.Time { return w.now })
	w.store.CreateBucket("uploads", stores.BucketOptions{})
	p := policy.Default()
	p.MaxOrphanPercent = 90
	app, err := reconciler.NewFrom(reconciler.Config{
		Table: "ledger", InventoryBucket: "inventories", InventoryPrefix: prefix, InventoryConfig: config, SourceBuckets: buckets,
		TempDir: t.TempDir(), Segments: 2, Policy: p,
	}, reconciler.Deps{
		Ledger: w.ledger, Objects: w.store, Inventories: folder(w.folder), Now: func() time.Time { return w.now },
		Log: slog.New(slog.NewTextHandler(&w.log, nil)), Metrics: telemetry.To(&w.told, "ledger"),
	})
	must(t, err)
	w.app = app
	w.published("u-1")
	w.store.Write("uploads", "imports/logo.png", []byte("stranded"), noon.Add(-30*day))
	return w
}

func (w *world) published(id string) {
	w.t.Helper()
	at := w.now
	w.now = noon.Add(-30 * day)
	defer func() { w.now = at }()
	r := upload.Record{}
	step := func(e upload.Event) {
		c, err := upload.Step(policy.Default(), r, e, w.now)
		must(w.t, err)
		must(w.t, w.ledger.Commit(w.t.Context(), c))
		r = c.After
	}
	step(upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: id}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: "uploads", Prefix: "up", Declared: 1,
	})
	k := upload.Key{Attempt: 1, Seq: 1}
	v := w.store.Write("uploads", r.ObjectKey(k), []byte(id), w.now)
	step(upload.RecordObject{Fence: 1, Seq: 1, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag})
	step(upload.Complete{Fence: 1, List: []upload.Key{k}})
}

// list writes an inventory of what stands, as S3 delivers it.
func (w *world) list(config string) {
	w.t.Helper()
	rows := func(yield func(*inventory.Row, error) bool) {
		for _, v := range w.store.All("uploads") {
			if !yield(rowOf(v), nil) {
				return
			}
		}
	}
	_, err := inventory.Write(w.t.Context(), inventory.Folder(w.folder), inventory.Delivery{
		Bucket: "uploads", Destination: "inventories", Prefix: prefix, Config: config, Created: w.now,
		Format: inventory.CSV, TempDir: w.t.TempDir(),
	}, rows)
	must(w.t, err)
}

func rowOf(v objects.Version) *inventory.Row {
	yes := map[bool]inventory.Answer{true: inventory.Yes, false: inventory.No}
	return &inventory.Row{
		Bucket: []byte("uploads"), Key: []byte(v.Key), VersionID: []byte(v.VersionID), ETag: []byte(v.ETag),
		Size: v.Size, LastModified: v.LastModified.UnixMilli(), Latest: yes[v.Latest], Marker: yes[v.Marker],
	}
}

// handle gives the function an event of testdata, twenty hours after noon.
func (w *world) handle(name string) (reconciler.Answer, error) {
	w.t.Helper()
	w.now = noon.Add(20 * time.Hour)
	return w.app.Handle(w.t.Context(), event(w.t, name))
}

func event(t *testing.T, name string) json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	must(t, err)
	return raw
}

func (w *world) holds() (all []hold.Hold) {
	w.t.Helper()
	for h, err := range (hold.Book{Documents: w.ledger}).All(w.t.Context(), "uploads") {
		must(w.t, err)
		all = append(all, h)
	}
	return all
}

// folder is a bucket of inventories in a folder.
type folder string

func (f folder) Get(_ context.Context, key string, from int64, _ string) (inventory.Object, error) {
	raw, err := os.ReadFile(filepath.Join(string(f), filepath.FromSlash(key)))
	if err != nil {
		return inventory.Object{}, upload.ErrAbsent
	}
	return inventory.Object{Body: io.NopCloser(bytes.NewReader(raw[from:])), Size: int64(len(raw)), ETag: key}, nil
}

func (f folder) Below(_ context.Context, dir string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		entries, err := os.ReadDir(filepath.Join(string(f), filepath.FromSlash(dir)))
		if err != nil {
			return // a bucket has no folders that could be missing
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() {
				name += "/"
			}
			if !yield(name, nil) {
				return
			}
		}
	}
}

// files lists what is in the folder of an inventory.
func (w *world) spoil(stamp, name string) {
	w.t.Helper()
	must(w.t, os.Remove(filepath.Join(w.folder, filepath.FromSlash(path.Join(prefix, "uploads", "daily", stamp, name)))))
}

func keysOf(all []hold.Hold) string {
	var keys []string
	for _, h := range all {
		keys = append(keys, h.Key)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
