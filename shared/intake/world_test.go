package intake_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	ledgermemory "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/objects"
	objectsmemory "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// theLedger and theStore are what the tests use of the adapters: what intake
// asks for, and what the stand-in for cleanup does.
type theLedger interface {
	intake.Records
	intake.Lookups
	QuotaUsed(ctx context.Context, tenant, owner string) (int64, error)
}

type theStore interface {
	intake.Objects
	Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	Abort(ctx context.Context, bucket, key, uploadID string) error
}

// world is a service with its ledger, its bucket and its own clock.
type world struct {
	t      *testing.T
	ctx    context.Context
	policy policy.Policy
	ledger theLedger
	store  theStore
	tenant string
	bucket string
	redeem func(objects.Presigned, []byte) error

	mu    sync.Mutex
	clock time.Time
	ids   []upload.ID // in the order in which they were made
	quiet bool        // do not look after the invariants at the end
}

const owner = "ann"

var morning = time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)

// newWorld is a world on the memory adapters.
func newWorld(t *testing.T) *world {
	w := &world{t: t, ctx: t.Context(), policy: policy.Default(), tenant: "acme", bucket: "uploads", clock: morning}
	store := objectsmemory.New(w.now)
	store.CreateBucket(w.bucket, objectsmemory.BucketOptions{})
	w.ledger, w.store = ledgermemory.New(), store
	w.redeem = func(p objects.Presigned, body []byte) error {
		_, err := store.Redeem(w.ctx, p, bytes.NewReader(body))
		return err
	}
	t.Cleanup(w.checkInvariants)
	return w
}

// everywhere runs a story on the memory adapters and over the wire.
func everywhere(t *testing.T, story func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) { story(t, newWorld(t)) })
	t.Run("wire", func(t *testing.T) { story(t, newWireWorld(t)) })
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clock
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clock = w.clock.Add(d)
}

// newID makes ids that a reader can tell apart.
func (w *world) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := fmt.Sprintf("u-%d", len(w.ids)+1)
	w.ids = append(w.ids, upload.ID{Tenant: w.tenant, Upload: id})
	return id
}

func (w *world) service() *intake.Service {
	return w.serviceOn(w.ledger, w.store)
}

func (w *world) serviceOn(l interface {
	intake.Records
	intake.Lookups
}, o intake.Objects,
) *intake.Service {
	s, err := intake.New(intake.Config{
		Records: l, Lookups: l, Objects: o, Policy: w.policy, Now: w.now, NewID: w.newID,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// request is a valid one, of three chunks.
func (w *world) request() intake.Request {
	return intake.Request{
		Tenant: w.tenant, Owner: owner, QuotaLimit: 5, Holder: "writer-1", Lease: 10 * time.Minute,
		Bucket: w.bucket, Prefix: "in", Chunks: 3,
	}
}

func (w *world) reserve() *intake.Session {
	w.t.Helper()
	session, err := w.service().Reserve(w.ctx, w.request())
	w.must(err)
	return session
}

func chunk(seq int) (intake.Chunk, []byte) {
	body := fmt.Appendf(nil, "the bytes of chunk %d", seq)
	sum := sha256.Sum256(body)
	return intake.Chunk{Seq: seq, Size: int64(len(body)), SHA256: sum[:]}, body
}

func put(ctx context.Context, s *intake.Session, seq int) (upload.Object, error) {
	c, body := chunk(seq)
	return s.Put(ctx, c, bytes.NewReader(body))
}

func (w *world) put(s *intake.Session, seqs ...int) []upload.Key {
	w.t.Helper()
	var keys []upload.Key
	for _, seq := range seqs {
		o, err := put(w.ctx, s, seq)
		w.must(err)
		keys = append(keys, o.Key)
	}
	return keys
}

// complete puts three chunks and publishes them.
func (w *world) complete(hold time.Duration) *intake.Session {
	w.t.Helper()
	s := w.reserve()
	until := time.Time{}
	if hold > 0 {
		until = w.now().Add(hold)
	}
	w.must(s.Complete(w.ctx, w.put(s, 1, 2, 3), until))
	return s
}

func (w *world) load(id upload.ID) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(context.WithoutCancel(w.ctx), id)
	w.must(err)
	return r
}

// standing lists what stands below the upload's folder.
func (w *world) standing(id upload.ID) []objects.Version {
	w.t.Helper()
	var all []objects.Version
	for v, err := range w.store.Versions(context.WithoutCancel(w.ctx), w.bucket, w.load(id).Folder()) {
		w.must(err)
		all = append(all, v)
	}
	return all
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// want fails unless err is of the kind.
func (w *world) want(kind, err error) {
	w.t.Helper()
	if !errors.Is(err, kind) {
		w.t.Fatalf("got %v, want %v", err, kind)
	}
}

func (w *world) wantState(id upload.ID, state upload.State) {
	w.t.Helper()
	if r := w.load(id); r.State != state {
		w.t.Fatalf("upload %s is %s, want %s", id.Upload, r.State, state)
	}
}

func (w *world) wantQuota(used int64) {
	w.t.Helper()
	n, err := w.ledger.QuotaUsed(context.WithoutCancel(w.ctx), w.tenant, owner)
	w.must(err)
	if n != used {
		w.t.Fatalf("%d places of the quota are used, want %d", n, used)
	}
}

// neverRead is the body of a put that must not be sent.
type neverRead struct{ t *testing.T }

func (r neverRead) Read([]byte) (int, error) {
	r.t.Error("a put was sent")
	return 0, io.EOF
}
