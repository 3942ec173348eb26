package confirm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/fault"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

const bucket = "uploads"

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// world is a recorder over stores in memory, and whoever else writes there.
type world struct {
	t        fataler
	now      time.Time
	ledger   *ledgers.Store
	store    *stores.Store
	set      *fault.Set
	recorder *confirm.Recorder
	log      bytes.Buffer
	mu       sync.Mutex // of audited: uploads are worked on side by side
	audited  []audit.Line
}

func newWorld(t fataler, script ...fault.Fault) *world {
	t.Helper()
	w := &world{t: t, now: noon, ledger: ledgers.New(), set: fault.New(script...)}
	w.store = stores.New(func() time.Time { return w.now })
	w.store.CreateBucket(bucket, stores.BucketOptions{})
	w.recorder = &confirm.Recorder{
		Records: w.set.Ledger(w.ledger), Store: w.set.Objects(w.store), Policy: policy.Default(), Concurrency: 4,
		Now: func() time.Time { return w.now }, Sleep: func(context.Context, time.Duration) error { return nil },
		Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Audit: func(_ context.Context, l audit.Line) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.audited = append(w.audited, l)
		},
	}
	w.must(w.recorder.Validate())
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// step applies an event to an upload, as its writer or a worker does.
func (w *world) step(id string, e upload.Event) upload.Record {
	w.t.Helper()
	c, err := upload.Step(policy.Default(), w.record(id), e, w.now)
	w.must(err)
	w.must(w.ledger.Commit(context.Background(), c))
	return c.After
}

func (w *world) record(id string) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(context.Background(), upload.ID{Tenant: "acme", Upload: id})
	w.must(err)
	return r
}

// reserve declares objects of these contents; nothing is stated of an empty one.
func (w *world) reserve(id string, byEvents bool, contents ...string) {
	w.t.Helper()
	var expect []upload.ExpectedObject
	for i, content := range contents {
		if content != "" {
			expect = append(expect, upload.ExpectedObject{Seq: i + 1, Expected: expected(content)})
		}
	}
	w.step(id, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: id}, Owner: "ann", Holder: "browser", Lease: time.Minute,
		Bucket: bucket, Prefix: "up", Declared: len(contents), Expect: expect, ByEvents: byEvents,
	})
}

func expected(content string) upload.Expected {
	return upload.Expected{Stated: true, Size: int64(len(content)), Checksum: checksum(content)}
}

func checksum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return objects.Checksum(sum[:])
}

// put stores an object with its checksum, as a presigned put does, and returns
// what S3 tells of it.
func (w *world) put(id string, attempt int64, seq int, content string) storageevent.Created {
	w.t.Helper()
	key := w.record(id).ObjectKey(upload.Key{Attempt: attempt, Seq: seq})
	sum := sha256.Sum256([]byte(content))
	stored, err := w.store.Put(context.Background(), bucket, key, strings.NewReader(content),
		objects.Content{Size: int64(len(content)), SHA256: sum[:]})
	w.must(err)
	return storageevent.Created{
		Bucket: bucket, Key: key, VersionID: stored.VersionID, Size: int64(len(content)), ETag: stored.ETag, At: w.now,
	}
}

// written stores an object of which the store keeps no checksum.
func (w *world) written(id string, attempt int64, seq int, content string) storageevent.Created {
	w.t.Helper()
	key := w.record(id).ObjectKey(upload.Key{Attempt: attempt, Seq: seq})
	v := w.store.Write(bucket, key, []byte(content), w.now)
	return storageevent.Created{Bucket: bucket, Key: key, VersionID: v.VersionID, Size: v.Size, ETag: v.ETag, At: w.now}
}

// confirm hands events over, and returns what became of each in words.
func (w *world) confirm(all ...storageevent.Created) string {
	w.t.Helper()
	var words []string
	for _, o := range w.recorder.Confirm(fault.As(context.Background(), "recorder"), all) {
		word := string(o.Kind)
		if o.Reason != "" {
			word += ": " + o.Reason
		}
		words = append(words, word)
	}
	if log := w.log.String(); strings.Contains(log, "up/acme") {
		w.t.Fatalf("the log names a key: %s", log)
	}
	return strings.Join(words, ", ")
}

func (w *world) want(got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Fatalf("it is %q, want %q", got, want)
	}
}

// wantState compares an upload's state and its recorded objects: "1/2 of 5
// bytes" is sequence 2 of attempt 1, and in brackets if it is listed.
func (w *world) wantState(id string, state upload.State, recorded ...string) upload.Record {
	w.t.Helper()
	r := w.record(id)
	var got []string
	for _, o := range r.Manifest.Objects {
		if o.VersionID == "" {
			continue
		}
		word := fmt.Sprintf("%d/%d of %d bytes", o.Attempt, o.Seq, o.Size)
		if r.Manifest.Listed(o.Key) {
			word = "[" + word + "]"
		}
		got = append(got, word)
	}
	if r.State != state || strings.Join(got, ", ") != strings.Join(recorded, ", ") {
		w.t.Fatalf("upload %s is %s with %q, want %s with %q", id, r.State, got, state, recorded)
	}
	return r
}

// whats are the decisions in the audit trail, in order.
func (w *world) whats() string {
	var all []string
	for _, l := range w.audited {
		all = append(all, l.What+" "+l.Upload+" ("+l.Why+")"+l.Outcome)
	}
	return strings.Join(all, ", ")
}

var _ fataler = (*testing.T)(nil)
