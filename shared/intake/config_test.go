package intake_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestAWrongConfigurationIsOneClearLine(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		edit func(*intake.Config)
		says string
	}{
		"no ledger":       {func(c *intake.Config) { c.Records = nil }, "required"},
		"no clock":        {func(c *intake.Config) { c.Now = nil }, "required"},
		"no policy":       {func(c *intake.Config) { c.Policy = policy.Policy{} }, "SafetyMargin"},
		"slow client":     {func(c *intake.Config) { c.Policy.ClientTimeout = c.Policy.UploadDeadline }, "ClientTimeout is 6h0m0s: it must be less than UploadDeadline, 6h0m0s"},
		"URL and client":  {func(c *intake.Config) { c.Policy.URLLife = c.Policy.UploadDeadline }, "must not exceed UploadDeadline"},
		"keys for ever":   {func(c *intake.Config) { c.KeyLife = c.Policy.TombstoneTTL }, "KeyLife"},
		"keys of no life": {func(c *intake.Config) { c.KeyLife = -1 }, "KeyLife"},
	} {
		config := intake.Config{Records: w.ledger, Lookups: w.ledger, Objects: w.store, Policy: policy.Default(), Now: w.now}
		c.edit(&config)
		_, err := intake.New(config)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", name, err, c.says)
		}
	}
}

func TestIdsAreTimeOrderedUUIDs(t *testing.T) {
	w := newWorld(t)
	w.quiet = true // the ids are not the world's
	service, err := intake.New(intake.Config{
		Records: w.ledger, Lookups: w.ledger, Objects: w.store, Policy: w.policy, Now: w.now,
	})
	w.must(err)
	s, err := service.Reserve(w.ctx, w.request())
	w.must(err)
	if id, err := uuid.Parse(s.ID().Upload); err != nil || id.Version() != 7 {
		t.Fatalf("the id is %s", s.ID().Upload)
	}
}

func TestAWrongRequestIsOneClearLineAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	for says, edit := range map[string]func(*intake.Request){
		"tenant id is empty":                    func(r *intake.Request) { r.Tenant = "" },
		"owner id has 129 bytes":                func(r *intake.Request) { r.Owner = strings.Repeat("o", 129) },
		"holder id holds a control character":   func(r *intake.Request) { r.Holder = "a\nb" },
		"idempotency key id is not UTF-8":       func(r *intake.Request) { r.IdempotencyKey = "\xff" },
		"lease is 0s":                           func(r *intake.Request) { r.Lease = 0 },
		"lease is 16m0s":                        func(r *intake.Request) { r.Lease = 16 * time.Minute },
		"quota limit is -1":                     func(r *intake.Request) { r.QuotaLimit = -1 },
		"content hash has 5 characters":         func(r *intake.Request) { r.ContentHash = "abcde" },
		"content hash has 64 characters":        func(r *intake.Request) { r.ContentHash = strings.Repeat("AB", 32) },
		"hold is -1s":                           func(r *intake.Request) { r.Hold = -time.Second },
		"deadline is 15m0s":                     func(r *intake.Request) { r.Deadline = 15 * time.Minute },
		"deadline is -1s":                       func(r *intake.Request) { r.Deadline = -time.Second },
		"deadline is 168h0m0s":                  func(r *intake.Request) { r.Deadline = 168 * time.Hour },
		"chunks is -1":                          func(r *intake.Request) { r.Chunks = -1 },
		"chunks is 10001":                       func(r *intake.Request) { r.Chunks = 10_001 },
		"bucket is empty":                       func(r *intake.Request) { r.Bucket = "" },
		`prefix begins with "/"`:                func(r *intake.Request) { r.Prefix = "/in" },
		"prefix is not UTF-8":                   func(r *intake.Request) { r.Prefix = "\xff" },
		"prefix has 1000 bytes: keys would be ": func(r *intake.Request) { r.Prefix = strings.Repeat("p", 1_000) },
	} {
		r := w.request()
		edit(&r)
		_, err := w.service().Reserve(w.ctx, r)
		w.wantInvalid(err, says)
	}
	if len(w.ids) != 0 {
		t.Fatalf("%d ids were made for requests that are wrong", len(w.ids))
	}
}

func TestAWrongCallIsOneClearLineAndWritesNothing(t *testing.T) {
	w := newWorld(t)
	s, service := w.reserve(), w.service()
	before := w.load(s.ID())
	calls := map[string]func() error{
		"lease is 0s":                     func() error { return s.Renew(w.ctx, 0) },
		"lease is -1s":                    func() error { _, err := service.Acquire(w.ctx, s.ID(), "writer-1", -time.Second); return err },
		"holder id is empty":              func() error { _, err := service.Acquire(w.ctx, s.ID(), "", time.Minute); return err },
		"tenant id is empty":              func() error { _, err := service.Attach(w.ctx, upload.ID{Upload: "u"}, 1); return err },
		"upload id is empty":              func() error { return service.Release(w.ctx, upload.ID{Tenant: w.tenant}, owner, "") },
		"count is 10001":                  func() error { return s.Declare(w.ctx, 10_001) },
		"sequence is 0":                   func() error { _, err := s.BeginMultipart(w.ctx, 0, ""); return err },
		"sequence is 10001":               func() error { _, err := s.Put(w.ctx, intake.Chunk{Seq: 10_001}, neverRead{t}); return err },
		"size is -5":                      func() error { _, err := s.Put(w.ctx, intake.Chunk{Seq: 1, Size: -5}, neverRead{t}); return err },
		"SHA-256 has 3 bytes":             func() error { _, err := s.Presign(w.ctx, intake.Chunk{Seq: 1, SHA256: []byte("abc")}, 0); return err },
		"life is -1ns":                    func() error { _, err := s.Presign(w.ctx, intake.Chunk{Seq: 1}, -1); return err },
		"the key is of attempt 7":         func() error { return s.RecordObject(w.ctx, upload.Object{Key: upload.Key{Attempt: 7, Seq: 1}}) },
		"the object has no version id":    func() error { return s.RecordObject(w.ctx, upload.Object{Key: s.Key(1)}) },
		"size is -1":                      func() error { return s.RecordObject(w.ctx, upload.Object{Key: s.Key(1), VersionID: "v", Size: -1}) },
		"source id is empty":              func() error { return service.AddReference(w.ctx, s.ID(), upload.Reference{Entity: "e"}, 0) },
		"entity id is empty":              func() error { return service.DropReference(w.ctx, s.ID(), upload.Reference{Source: "s"}) },
		"quota limit is -1: it must not ": func() error { return service.AddReference(w.ctx, s.ID(), post, -1) },
	}
	for says, call := range calls {
		w.wantInvalid(call(), says)
	}
	if after := w.load(s.ID()); after.Version != before.Version {
		t.Fatalf("the record went from version %d to %d", before.Version, after.Version)
	}
}

func (w *world) wantInvalid(err error, says string) {
	w.t.Helper()
	if !errors.Is(err, intake.ErrInvalid) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		w.t.Errorf("got %v, want one line with %q", err, says)
	}
}

func TestStoreUploadsOneObjectWhole(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		service, r := w.service(), w.request()
		r.IdempotencyKey = "order-17"
		c, body := chunk(1)
		first, err := service.Store(w.ctx, r, c, bytes.NewReader(body), time.Time{})
		w.must(err)
		again, err := service.Store(w.ctx, r, c, neverRead{t}, time.Time{})
		w.must(err)
		if first.State != upload.StateComplete || again.ID != first.ID || again.Version != first.Version {
			t.Fatalf("got %s %s, and again %s", first.State, first.ID, again.ID)
		}
		w.wantQuota(1)
	})
}

func TestStoreGivesUpWhatItCouldNotPut(t *testing.T) {
	w := newWorld(t)
	refusing := scripted{w.store, func(context.Context, func() (objects.Stored, error)) (objects.Stored, error) {
		return objects.Stored{}, upload.ErrDenied
	}}
	c, body := chunk(1)
	r, err := w.serviceOn(w.ledger, refusing).Store(w.ctx, w.request(), c, bytes.NewReader(body), time.Time{})
	w.want(upload.ErrDenied, err)
	if r.State != upload.StateCancelled {
		t.Fatalf("the upload is %s", r.State)
	}
	w.wantQuota(0)
}

// Without joining them, the user would read about a cancel and not about what
// went wrong before it.
func TestACancelThatFailsDoesNotHideTheFirstError(t *testing.T) {
	w := newWorld(t)
	l := &lossy{theLedger: w.ledger}
	refusing := scripted{w.store, func(context.Context, func() (objects.Stored, error)) (objects.Stored, error) {
		l.arm(1, false, errBroken)
		return objects.Stored{}, upload.ErrDenied
	}}
	c, body := chunk(1)
	r, err := w.serviceOn(l, refusing).Store(w.ctx, w.request(), c, bytes.NewReader(body), time.Time{})
	w.want(upload.ErrDenied, err)
	w.want(errBroken, err)
	first, _, _ := strings.Cut(err.Error(), "\n")
	if !strings.Contains(first, upload.ErrDenied.Error()) {
		t.Fatalf("the first line is %q", first)
	}
	// Cleanup does what the cancel could not.
	w.live(48*time.Hour, time.Hour)
	w.wantState(r.ID, upload.StateDeleted)
	w.wantQuota(0)
}

// A caller that goes away takes its put with it, and not its cancel.
func TestStoreCancelsAlsoWhenItsCallerHasGone(t *testing.T) {
	w := newWorld(t)
	ctx, leave := context.WithCancel(w.ctx)
	leaving := scripted{w.store, func(ctx context.Context, _ func() (objects.Stored, error)) (objects.Stored, error) {
		leave()
		return objects.Stored{}, ctx.Err()
	}}
	c, body := chunk(1)
	r, err := w.serviceOn(w.ledger, leaving).Store(ctx, w.request(), c, bytes.NewReader(body), time.Time{})
	w.want(context.Canceled, err)
	w.wantState(r.ID, upload.StateCancelled)
}
