package intake_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// lossy is a ledger that fails one call: before its effect, or after it, so
// that only the answer is lost.
type lossy struct {
	theLedger
	failAt int // the call that fails, counted from 1; 0 for none
	after  bool
	err    error
	calls  int
}

func (l *lossy) arm(failAt int, after bool, err error) {
	l.calls, l.failAt, l.after, l.err = 0, failAt, after, err
}

// fails reports whether this call fails before its effect, or its answer does.
func (l *lossy) fails() (before, answer bool) {
	l.calls++
	here := l.calls == l.failAt
	return here && !l.after, here && l.after
}

func (l *lossy) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	if before, answer := l.fails(); before || answer {
		return upload.Record{}, l.err
	}
	return l.theLedger.Load(ctx, id)
}

func (l *lossy) Commit(ctx context.Context, c upload.Change) error {
	before, answer := l.fails()
	if before {
		return l.err
	}
	if err := l.theLedger.Commit(ctx, c); err != nil || !answer {
		return err
	}
	return l.err
}

func (l *lossy) Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error) {
	if before, answer := l.fails(); before || answer {
		return ledger.ReferenceUnknown, l.err
	}
	return l.theLedger.Reference(ctx, id, ref)
}

func (l *lossy) KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error) {
	if before, answer := l.fails(); before || answer {
		return ledger.KeyUse{}, l.err
	}
	return l.theLedger.KeyUse(ctx, tenant, owner, key)
}

// errBroken is an error of no kind that anybody knows.
var errBroken = errors.New("connection reset by peer")

// scene is what one method is called on.
type scene struct {
	w       *world
	service *intake.Service
	session *intake.Session
	keys    []upload.Key
}

// method is one call that a lost answer may hit, what has to be there before
// it, and what has to be there after it.
type method struct {
	name    string
	prepare func(*scene)
	call    func(*scene) error
	state   upload.State
	version int64 // of the record, if no call needed a repetition; 0 if it may differ
	holds   func(upload.Record) bool
}

// keep goes on with a new session, if there is one.
func (s *scene) keep(session *intake.Session, err error) error {
	if err == nil {
		s.session = session
	}
	return err
}

func inSession(s *scene)  { s.session = s.w.reserveOn(s.service) }
func withChunks(s *scene) { inSession(s); s.keys = s.w.put(s.session, 1, 2, 3) }

func completed(s *scene) {
	withChunks(s)
	s.w.must(s.session.Complete(s.w.ctx, s.keys, s.w.now().Add(time.Hour)))
}

func referred(s *scene) {
	completed(s)
	s.w.must(s.service.AddReference(s.w.ctx, s.session.ID(), post, 5))
}

func released(s *scene) {
	completed(s)
	s.w.must(s.service.Release(s.w.ctx, s.session.ID(), owner, ""))
}

func (w *world) reserveOn(service *intake.Service) *intake.Session {
	w.t.Helper()
	session, err := service.Reserve(w.ctx, w.keyed())
	w.must(err)
	return session
}

// keyed is the request with everything that a reservation can take.
func (w *world) keyed() intake.Request {
	r := w.request()
	r.IdempotencyKey, r.ContentHash, r.QuotaLimit = "order-17", strings.Repeat("ab", 32), 1
	return r
}

func anything(upload.Record) bool { return true }

var methods = []method{
	{
		"reserve", func(*scene) {}, func(s *scene) error {
			return s.keep(s.service.Reserve(s.w.ctx, s.w.keyed()))
		},
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.QuotaHeld && r.HashHeld },
	},
	{
		"reserve once more", inSession, func(s *scene) error {
			return s.keep(s.service.Reserve(s.w.ctx, s.w.keyed()))
		},
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.Fence > 1 },
	},
	{
		"acquire", withChunks, func(s *scene) error {
			return s.keep(s.service.Acquire(s.w.ctx, s.session.ID(), "writer-1", time.Minute))
		},
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.Fence > 1 },
	},
	{
		"attach", withChunks, func(s *scene) error {
			_, err := s.service.Attach(s.w.ctx, s.session.ID(), s.session.Fence())
			return err
		},
		upload.StateReceiving, 0, anything,
	},
	{
		"renew", inSession, func(s *scene) error { return s.session.Renew(s.w.ctx, 15*time.Minute) },
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.LeaseUntil.Equal(morning.Add(15 * time.Minute)) },
	},
	{
		"heartbeat", inSession, func(s *scene) error { return s.session.Heartbeat(s.w.ctx) },
		upload.StateReceiving, 0, anything,
	},
	{
		"declare", inSession, func(s *scene) error { return s.session.Declare(s.w.ctx, 9) },
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.Objects == 9 },
	},
	{
		"put", inSession, func(s *scene) error { _, err := put(s.w.ctx, s.session, 7); return err },
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.Objects == 7 && len(r.Manifest.Objects) == 1 },
	},
	{
		"presign", inSession, func(s *scene) error {
			c, _ := chunk(7)
			_, err := s.session.Presign(s.w.ctx, c, time.Minute)
			return err
		},
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.Objects == 7 },
	},
	{
		"begin multipart", inSession, func(s *scene) error {
			_, err := s.session.BeginMultipart(s.w.ctx, 7, "")
			return err
		},
		upload.StateReceiving, 0, func(r upload.Record) bool {
			return r.Objects == 7 && len(r.Manifest.Object(upload.Key{Attempt: 1, Seq: 7}).Multiparts) > 0
		},
	},
	{
		"record object", inSession, func(s *scene) error {
			return s.session.RecordObject(s.w.ctx, upload.Object{Key: s.session.Key(2), VersionID: "v", Size: 3})
		},
		upload.StateReceiving, 0, func(r upload.Record) bool { return r.Bytes == 3 },
	},
	{
		"begin assembly", withChunks, func(s *scene) error { return s.session.BeginAssembly(s.w.ctx) },
		upload.StateAssembling, 5, anything,
	},
	{
		"complete", withChunks, func(s *scene) error {
			return s.session.Complete(s.w.ctx, s.keys, time.Time{})
		},
		upload.StateComplete, 5, func(r upload.Record) bool { return r.Fence == 2 && r.DueAt.IsZero() },
	},
	{
		"cancel", withChunks, func(s *scene) error { return s.session.Cancel(s.w.ctx, "no") },
		upload.StateCancelled, 5, func(r upload.Record) bool { return !r.QuotaHeld && !r.HashHeld },
	},
	{
		"release", completed, func(s *scene) error {
			return s.service.Release(s.w.ctx, s.session.ID(), owner, "no")
		},
		upload.StateCancelled, 6, func(r upload.Record) bool { return !r.QuotaHeld && !r.HashHeld },
	},
	{
		"extend hold", completed, func(s *scene) error {
			return s.service.ExtendHold(s.w.ctx, s.session.ID(), morning.Add(9*time.Hour))
		},
		upload.StateComplete, 6, func(r upload.Record) bool { return r.HoldExpiresAt.Equal(morning.Add(9 * time.Hour)) },
	},
	{
		"add reference", completed, func(s *scene) error {
			return s.service.AddReference(s.w.ctx, s.session.ID(), post, 1)
		},
		upload.StateComplete, 6, func(r upload.Record) bool { return r.Refs == 1 },
	},
	{
		"add reference that revives", released, func(s *scene) error {
			return s.service.AddReference(s.w.ctx, s.session.ID(), post, 1)
		},
		upload.StateComplete, 7, func(r upload.Record) bool { return r.Refs == 1 && r.QuotaHeld && r.HashHeld },
	},
	{
		"drop one of two references", func(s *scene) {
			referred(s)
			s.w.must(s.service.AddReference(s.w.ctx, s.session.ID(), upload.Reference{Source: "x", Entity: "y"}, 1))
		}, func(s *scene) error {
			return s.service.DropReference(s.w.ctx, s.session.ID(), post)
		},
		upload.StateComplete, 8, func(r upload.Record) bool { return r.Refs == 1 },
	},
	{
		"drop the last reference", referred, func(s *scene) error {
			return s.service.DropReference(s.w.ctx, s.session.ID(), post)
		},
		upload.StateCancelled, 7, func(r upload.Record) bool { return r.Refs == 0 && !r.QuotaHeld },
	},
}

// Every ledger call of every method fails once, before its effect and after
// it. A lost answer (ErrUnclear) to a write is made good within the call; after
// any failure the same call again completes; and nothing is taken, given back
// or counted twice.
func TestALostAnswerToAnyLedgerCallIsMadeGoodByARepetition(t *testing.T) {
	for _, m := range methods {
		for _, kind := range []error{upload.ErrUnclear, upload.ErrThrottled, errBroken} {
			for _, after := range []bool{false, true} {
				if after && errors.Is(kind, upload.ErrThrottled) {
					continue // nothing was done, says this kind
				}
				name := fmt.Sprintf("%s/%v/after %v", m.name, kind, after)
				t.Run(name, func(t *testing.T) { loseEachAnswer(t, m, kind, after) })
			}
		}
	}
}

func loseEachAnswer(t *testing.T, m method, kind error, after bool) {
	for failAt := 1; ; failAt++ {
		w := newWorld(t)
		l := &lossy{theLedger: w.ledger}
		s := &scene{w: w, service: w.serviceOn(l, w.store)}
		m.prepare(s)
		l.arm(failAt, after, kind)
		err := m.call(s)
		hit := l.calls >= failAt
		l.arm(0, false, nil)
		if err != nil {
			w.want(kind, err)
			w.must(m.call(s))
		}
		w.checkOutcome(s, m)
		if !hit {
			if failAt == 1 {
				t.Fatal("no ledger call was made")
			}
			return
		}
	}
}

func (w *world) checkOutcome(s *scene, m method) {
	w.t.Helper()
	r := w.load(s.session.ID())
	if r.State != m.state || !m.holds(r) || m.version != 0 && r.Version != m.version {
		w.t.Fatalf("%s: got %s version %d: %+v", m.name, r.State, r.Version, r)
	}
	w.checkInvariants()
	// A writer whose upload goes on can go on with it.
	if m.state == upload.StateReceiving && m.name != "attach" {
		w.must(s.session.Heartbeat(w.ctx))
	}
}

// Without the second try on ErrUnclear, every lost answer would reach the user.
func TestALostAnswerToAWriteIsMadeGoodWithinTheCall(t *testing.T) {
	for _, m := range methods {
		t.Run(m.name, func(t *testing.T) {
			w := newWorld(t)
			l := &lossy{theLedger: w.ledger}
			s := &scene{w: w, service: w.serviceOn(writesOnly{l}, w.store)}
			m.prepare(s)
			l.arm(1, true, upload.ErrUnclear)
			w.must(m.call(s))
			w.checkOutcome(s, m)
		})
	}
}

// writesOnly lets only commits fail.
type writesOnly struct{ l *lossy }

func (o writesOnly) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	return o.l.theLedger.Load(ctx, id)
}

func (o writesOnly) Commit(ctx context.Context, c upload.Change) error { return o.l.Commit(ctx, c) }

func (o writesOnly) Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error) {
	return o.l.theLedger.Reference(ctx, id, ref)
}

func (o writesOnly) KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error) {
	return o.l.theLedger.KeyUse(ctx, tenant, owner, key)
}
