package cleanup_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// toldGate counts the throttles that it is told of, and may fail at it.
type toldGate struct {
	cleanup.Gate
	told int
	fail func() error
}

func (g *toldGate) Throttled(ctx context.Context) (gate.State, error) {
	g.told++
	if g.fail != nil {
		if err := g.fail(); err != nil {
			return gate.State{}, err
		}
	}
	return g.Gate.Throttled(ctx)
}

func (w *purgeWorld) told() *toldGate {
	g := &toldGate{Gate: w.gate}
	w.worker.Gate = g
	return g
}

func throttleAll(_ int, v []upload.Condemned) []objects.Result {
	return everyResult(v, objects.Throttled, "SlowDown")
}

// Told once for each call, the gate would be asked as often as the store was:
// with a write each, while the ledger may be what is overloaded.
func TestAThrottledBatchSlowsTheGateOnce(t *testing.T) {
	for name, throttle := range map[string]func(*purgeWorld){
		"the store, every call":       func(w *purgeWorld) { w.store.deleting = throttleAll },
		"the ledger, every claim":     func(w *purgeWorld) { w.records.before = func(upload.Change) error { return upload.ErrThrottled } },
		"the ledger, while it reads":  func(w *purgeWorld) { w.records.loading = func([]upload.ID) error { return upload.ErrThrottled } },
		"the store, while it is read": func(w *purgeWorld) { w.store.listing = func() error { return upload.ErrThrottled } },
	} {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			w.must(w.gate.SetRate(t.Context(), 1000, 2)) // a call for each upload
			one, other := w.cancelled("u1", 2, 0), w.cancelled("u2", 2, 1)
			w.send(one, other)
			g := w.told()
			throttle(w)
			for _, o := range w.purge() {
				w.wantOutcome(o, cleanup.KindThrottled, "throttled")
			}
			state, err := w.gate.Read(t.Context())
			w.must(err)
			if g.told != 1 || state.RateAt(w.clock.now()) != 500 {
				t.Errorf("the gate was told %d times, and gives %d of 1000", g.told, state.RateAt(w.clock.now()))
			}
			if !strings.Contains(w.log.String(), "the gate is slowed for everybody") {
				t.Error("the log does not say so")
			}
		})
	}
}

// A gate that cannot be slowed must cost nothing else: the message waits as it
// would have, and no attempt is counted.
func TestAGateThatCannotBeSlowedChangesNothingElse(t *testing.T) {
	for name, fail := range map[string]func() error{
		"an error": func() error { return errors.New("ledger is gone") },
		"a panic":  func() error { panic("gate") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newPurgeWorld(t)
			r := w.cancelled("u1", 2, 2)
			g := w.told()
			g.fail = fail
			w.store.deleting = throttleAll
			w.wantOutcome(w.one(r), cleanup.KindThrottled, "delete: throttled")
			state, err := w.gate.Read(t.Context())
			w.must(err)
			if stored := w.record(r.ID); g.told != 1 || stored.Attempts != 0 || state.SlowedTo != 0 {
				t.Errorf("told %d times, %d attempts, slowed to %d", g.told, stored.Attempts, state.SlowedTo)
			}
			w.store.deleting, g.fail = nil, nil
			w.clock.to(w.record(r.ID).LeaseUntil.Add(cleanup.Backoff(1)))
			w.wantOutcome(w.purge()[0], cleanup.KindDeleted, "")
			if g.told != 1 {
				t.Error("a batch that nothing throttled slowed the gate")
			}
		})
	}
}
