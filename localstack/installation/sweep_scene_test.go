package installation_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Who makes external calls in a story. What nobody makes is done beside it: by
// people, by other programs, by the test, and by Lambda's event source.
const (
	nobody      = ""
	byWriter    = "intake"
	byScheduler = "scheduler"
	byWorker    = "worker"
)

// act is a part of a story: it may fail, and may then simply be done again.
type act struct {
	actor, name string
	do          func(ctx context.Context, s *scene) error
}

// scene is a world in which a story is played, with a fault in it or none.
type scene struct {
	*world
	t   *testing.T
	set *fault.Set
	// functions and client are in front of the faults; all else of the world is
	// behind them.
	functions *installation.Installation
	stores    installation.Stores
	client    *intake.Service
	// sessions are what a living writer knows, ids what is known of it by name.
	sessions map[string]*intake.Session
	ids      map[string]upload.ID
	pending  []command.Received
	// check is what must hold at any time.
	check func()
}

// roomy is the usual policy, with a limit that a story which is told several
// times over does not come to.
func roomy() policy.Policy {
	p := usual()
	p.MaxDeleteCount = 1_000
	return p
}

// sceneIn puts the set in front of everything that the functions and the
// application of a world call.
func sceneIn(t *testing.T, w *world, set *fault.Set, stores installation.Stores) *scene {
	t.Helper()
	w.shard = 3 // what a pass does is the same in each
	stores.Ledger = w.witness.above(stores.Ledger)
	s := &scene{world: w, t: t, set: set, stores: stores, sessions: map[string]*intake.Session{}, ids: map[string]upload.ID{}}
	s.check = func() { assertInvariants(t, w) }
	s.restart()
	app, err := intake.New(intake.Config{
		Records: stores.Ledger, Lookups: stores.Ledger, Objects: stores.Objects,
		Policy: w.Policy, Now: w.Clock.Now, NewID: w.newID,
	})
	must(t, err)
	s.client = app
	return s
}

// faulty are the stores with the set in front. What of them the functions do
// not call passes.
func faulty(set *fault.Set, s installation.Stores) installation.Stores {
	return installation.Stores{
		Ledger:  faultyLedger{set.Ledger(s.Ledger), restOfLedger{s.Ledger}},
		Objects: faultyObjects{set.Objects(s.Objects), restOfObjects{s.Objects}},
		Gate:    faultyGate{set.Gate(s.Gate), restOfGate{s.Gate}},
		Queue:   faultyQueue{set.Queue(s.Queue), restOfQueue{s.Queue}},
		Rows:    s.Rows,

		Releases: s.Releases, ReleasesDead: s.ReleasesDead,
	}
}

// What is one level deeper gives way to what is in front.
type (
	restOfLedger  struct{ installation.Ledger }
	restOfObjects struct{ installation.Objects }
	restOfGate    struct{ installation.Gate }
	restOfQueue   struct{ installation.Queue }
	faultyLedger  struct {
		*fault.Ledger
		restOfLedger
	}
	faultyObjects struct {
		*fault.Objects
		restOfObjects
	}
	faultyGate struct {
		*fault.Gate
		restOfGate
	}
	faultyQueue struct {
		*fault.Queue
		restOfQueue
	}
)

// restart has other processes take the place of scheduler and worker.
func (s *scene) restart() {
	s.t.Helper()
	functions, err := s.Restarted(s.stores)
	must(s.t, err)
	s.functions = functions
}

// context says who makes the calls of an act: each act counts its own.
func (a act) context(ctx context.Context) context.Context {
	if a.actor == nobody {
		return ctx
	}
	return fault.As(ctx, a.String())
}

func (a act) String() string { return a.actor + ": " + a.name }

// play plays a story. An act in which a fault strikes is done again with
// nothing in the way, whether it noticed or not: after each failure the
// protocol holds, and a clean repetition completes the work.
func (s *scene) play(story []act) {
	s.t.Helper()
	for _, a := range story {
		before := len(s.set.Missed())
		err := a.do(a.context(s.t.Context()), s)
		if len(s.set.Missed()) == before {
			if err != nil {
				s.t.Fatalf("%s fails with nothing in the way: %v", a, err)
			}
			continue
		}
		if s.set.Dead(a.String()) {
			s.set.Revive(a.String())
			clear(s.sessions)
			s.restart()
		}
		if !s.wire || a.actor != byWriter { // over HTTP a look takes as long as the act
			s.check()
		}
		s.again(a)
	}
}

// again repeats an act until it succeeds, as whoever does it would.
func (s *scene) again(a act) {
	s.t.Helper()
	var err error
	for range 6 {
		if a.actor != byWriter {
			s.later(20 * time.Minute) // the lease of a dead one is over
		}
		if err = a.do(s.t.Context(), s); err == nil {
			return
		}
		if errors.Is(err, upload.ErrFenceLost) || errors.Is(err, intake.ErrTaken) {
			clear(s.sessions) // as their documentation says: acquire again
		}
	}
	s.t.Fatalf("%s does not succeed any more: %v", a, err)
}

// later moves the clock. What was hidden comes back: in memory by itself, from
// SQS, which counts hours for which nobody waits, by hand.
func (s *scene) later(d time.Duration) {
	s.Clock.Advance(d)
	if !s.wire {
		s.pending = nil
	}
	for i := range s.pending {
		s.pending[i].Receives++
	}
}

// sweep is a pass, and if its trigger fails the same one again.
func (s *scene) sweep(ctx context.Context, fired time.Time) error {
	report, err := s.functions.PassAt(ctx, fired)
	if err != nil {
		return err
	}
	if report.State != cleanup.RunDone {
		return fmt.Errorf("the pass is %s: %s", report.State, report.Reason)
	}
	return report.Tally.Check()
}

// work has the worker take the messages about an upload, or with "" those about
// none that is known, until none is left.
func (s *scene) work(ctx context.Context, role string) error {
	for range 12 {
		if err := s.receive(); err != nil {
			return err
		}
		i := s.firstAbout(role)
		if i < 0 {
			return nil
		}
		done, err := s.purge(ctx, s.pending[i])
		switch {
		case err != nil:
			return err
		case done:
			s.pending = slices.Delete(s.pending, i, i+1)
		default:
			s.later(150 * time.Minute)
		}
	}
	return fmt.Errorf("messages about the %s upload are still there", role)
}

// purge hands the worker one message, and acknowledges it if it is done. Of a
// worker that is dead nobody hears an answer.
func (s *scene) purge(ctx context.Context, m command.Received) (done bool, err error) {
	left, err := s.functions.Handle(ctx, []command.Received{m}, s.Clock.Now().Add(s.Policy.WorkerTimeout))
	if s.set.Dead(fault.Actor(ctx)) {
		err = fault.ErrDead
	}
	if err != nil || left[m.MessageID] {
		return false, err
	}
	return true, s.Stores.Queue.Acknowledge(s.t.Context(), m.Receipt)
}

// receive takes what the queue shows.
func (s *scene) receive() error {
	for {
		more, err := s.Stores.Queue.Receive(s.t.Context(), command.MaxBatch, 0)
		if err != nil || len(more) == 0 {
			return err
		}
		s.pending = append(s.pending, more...)
	}
}

// firstAbout is the place of the message about a role's upload, of several the
// one with the earliest cutoff: a queue has no order. -1 for none.
func (s *scene) firstAbout(role string) int {
	first, cutoff := -1, time.Time{}
	for i, m := range s.pending {
		c, err := command.Decode([]byte(m.Body))
		known := ""
		for name, id := range s.ids {
			if err == nil && c.ID == id {
				known = name
			}
		}
		if known == role && (first < 0 || c.Cutoff.Before(cutoff)) {
			first, cutoff = i, c.Cutoff
		}
	}
	return first
}

// settle lets days pass in which nothing goes wrong.
func (s *scene) settle(rounds int) {
	s.t.Helper()
	for range rounds {
		s.later(25 * time.Hour)
		must(s.t, s.functions.Census(s.t.Context()))
		must(s.t, s.sweep(s.t.Context(), s.Clock.Now()))
		for _, role := range append(slices.Sorted(maps.Keys(s.ids)), "") {
			must(s.t, s.work(s.t.Context(), role))
		}
	}
}

// outcome is what a story comes to, in words that do not depend on how often
// something had to be tried.
func (s *scene) outcome() string {
	s.t.Helper()
	var all []string
	for _, role := range slices.Sorted(maps.Keys(s.ids)) {
		r := s.load(s.t, s.ids[role])
		standing := 0
		for _, err := range s.standing(r) {
			must(s.t, err)
			standing++
		}
		all = append(all, fmt.Sprintf("%s is %s, %d versions stand, %d references, parked %v",
			role, r.State, standing, r.Refs, !r.ParkedAt.IsZero()))
	}
	used, err := s.Stores.Ledger.QuotaUsed(s.t.Context(), tenant, owner)
	must(s.t, err)
	unfinished := 0
	for _, err := range s.Stores.Objects.Multiparts(s.t.Context(), s.Bucket, "") {
		must(s.t, err)
		unfinished++
	}
	letters := s.hands.letters(s.t)
	slices.Sort(letters)
	all = append(all, fmt.Sprintf("%d places of the quota are used", used), fmt.Sprintf("%d multipart uploads are unfinished", unfinished))
	all = append(all, slices.Compact(letters)...) // sent before a death, and again after it
	return strings.Join(all, "\n")
}

func (s *scene) standing(r upload.Record) func(func(objects.Version, error) bool) {
	return s.Stores.Objects.Versions(s.t.Context(), s.Bucket, r.Folder())
}
