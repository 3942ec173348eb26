package installation_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/google/go-cmp/cmp"
	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/upload"
)

// onTheWireWith is a scene on the emulator, with the set behind the SDK.
func onTheWireWith(t *testing.T, set *fault.Set) *scene {
	w := newWorld()
	w.wire = true
	cfg := localstacktest.Config(t)
	cfg.HTTPClient = set.Transport(cfg.HTTPClient)
	cfg.Retryer = impatient
	clock := installation.NewClock(time.Now, time.Now())
	i, cloud, err := installation.OnCloud(t.Context(), cfg, "sweep-"+strings.ToLower(rand.Text()[:12]), w.options(roomy(), clock))
	must(t, err)
	t.Cleanup(func() {
		if err := i.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.hands = wireHands{cloud, i.Bucket}
	w.settled(t, i)
	w.recorder.ledger = unseen{w.recorder.ledger}
	w.stores.Ledger = lookingLedger{w.stores.Ledger, w.recorder, w.witness}
	return sceneIn(t, w, set, w.stores)
}

// unseen makes the recorder's own look at a record nobody's call.
type unseen struct{ installation.Ledger }

func (l unseen) LoadMany(_ context.Context, ids []upload.ID) ([]upload.Record, error) {
	return l.Ledger.LoadMany(context.Background(), ids)
}

// lookingLedger tells recorder and witness, who hear only what the SDK says in
// the end, of a write that was done although its caller was told otherwise.
type lookingLedger struct {
	installation.Ledger
	recorder *recorder
	witness  *witness
}

func (l lookingLedger) Commit(ctx context.Context, c upload.Change) error {
	err := l.Ledger.Commit(ctx, c)
	if err == nil || c.Nothing() {
		return err
	}
	stored, failed := l.recorder.ledger.Load(context.Background(), c.After.ID)
	if failed != nil {
		return errors.Join(err, failed)
	}
	r, id := l.recorder, c.After.ID
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.ContainsFunc(r.written[id], func(g generation) bool { return g.version == c.After.Version })
	if !known && cmp.Equal(stored, c.After) {
		r.written[id] = append(r.written[id], generation{c.After.Version, c.After.Fence})
		l.witness.did(c)
	}
	delete(r.unsure, id) // one who has looked is sure
	return err
}

// impatient repeats as often as the product's own clients do, and at once.
func impatient() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxBackoff = time.Millisecond })
}

// The same over HTTP, where the SDK and the adapters read what went wrong: all
// attempts of a call fail, or the first only. One play has a fault in each of
// its acts, which are done again before the next begins. As a rule each
// operation fails in every way and in every act; with full bounds each call in
// every way, which takes minutes, and with reduced ones some plays are left out.
func TestEveryCallFailsOnTheWire(t *testing.T) {
	calls, want := recorded(t, onTheWireWith)
	faults, step := some(calls), 1
	switch os.Getenv("STRANDLINE_BOUNDS") {
	case "full":
		faults = each(calls)
	case "reduced":
		step = 8
	}
	for i, together := range packed(faults) {
		if i%step != 0 {
			continue
		}
		t.Run(fmt.Sprintf("play %d", i+1), func(t *testing.T) {
			t.Parallel()
			defer func() {
				if t.Failed() {
					t.Logf("the faults are\n%v", together)
				}
			}()
			// An act may go another way after what struck in the acts before it.
			for _, alone := range endure(t, onTheWireWith, want, together...) {
				for _, missed := range endure(t, onTheWireWith, want, alone) {
					t.Errorf("no call met the fault: %s", missed)
				}
			}
		})
	}
}

// packed puts the faults into as few plays as can be, one in each act.
func packed(faults []fault.Fault) [][]fault.Fault {
	var plays [][]fault.Fault
	acts := map[string]int{}
	for _, f := range faults {
		n := acts[f.Call.Actor]
		acts[f.Call.Actor]++
		if n == len(plays) {
			plays = append(plays, nil)
		}
		plays[n] = append(plays[n], f)
	}
	return plays
}

// did is a write of a function that was done, and of which it may not know.
func (w *witness) did(c upload.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.Contains(ofFunctions, c.Event) {
		w.done[keyOf(c)] = true
	}
}
