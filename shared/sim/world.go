package sim

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	objectstores "github.com/strandline-dev/strandline/shared/objects/memory"

	"github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload/invariant"
)

// maxDrift is how far a host's clock may be off the true time, either way: two
// clocks, and a call that is under way, together make no more than the policy's
// SafetyMargin.
const maxDrift = 2 * time.Minute

// wrongDrift is that of a clock that is simply wrong.
const wrongDrift = time.Hour

// usualBackstop is how many deliveries a queue makes before it gives a message up
// by itself.
const usualBackstop = 200

// world is one installation, everybody around it, and the truth about both.
type world struct {
	*desk
	policy  policy.Policy
	ledger  *ledgers.Store
	store   *objectstores.Store
	gate    *gates.Gate
	queue   *memory.Queue
	witness *witness

	broken    quirk
	backstop  int           // how many deliveries the queue makes of one message
	gateDrift time.Duration // of whoever asks the gate just now
	outage    way           // what becomes of every delete just now
	actors    sync.WaitGroup

	// Under the desk's lock.
	storm     bool              // until time is up
	named     int               // uploads that have an id
	strangers map[string]string // versions that no upload owns, by key
	notices   []storageevent.Created
	adopted   int
	persons   int            // who watched
	rubbish   map[string]int // messages that nobody should have sent, and how often each was
	// beginnings are multipart uploads that no upload owns.
	beginnings map[string]bool
	pauses     []approval // what a person was asked to approve
}

// policyOf is what the run's policy is: delays at their floors, so that days of
// story are few steps.
func policyOf(d *dice) policy.Policy {
	p := policy.Default()
	p.ActivityGrace, p.SecondGrace, p.StuckAfter, p.ReleaseGrace = time.Hour, time.Hour, time.Hour, time.Minute
	p.UploadDeadline, p.ClientTimeout, p.URLLife = 90*time.Minute, 5*time.Minute, 20*time.Minute
	p.RepublishAfter = 2 * p.ClaimLease
	p.MaxAttempts = 3 + d.draw("scene", 4)
	p.DeleteRate, p.Burst = 5_000, 5_000
	if d.in1000("scene", 200) {
		p.DeleteRate, p.Burst = 1, 2
	}
	p.MaxDeletePercent, p.MaxDeleteCount = 100, 1_000
	if d.in1000("scene", 100) {
		p.MaxDeletePercent, p.MaxDeleteCount = 5, 3
	}
	if d.in1000("scene", 200) {
		p.MaxPerPass = 32
	}
	return p
}

func newWorld(d *dice, clock Clock) *world {
	w := &world{
		desk:     &desk{dice: d, clock: clock, counts: map[string]int{}},
		backstop: usualBackstop, storm: true, strangers: map[string]string{}, rubbish: map[string]int{}, beginnings: map[string]bool{},
	}
	w.policy = policyOf(d)
	w.trouble = d.draw("trouble", 4)
	w.ledger = ledgers.New()
	w.store = objectstores.New(w.now)
	w.store.CreateBucket(bucketName, objectstores.BucketOptions{})
	w.gate = gates.New(func() time.Time { return w.now().Add(w.gateDrift) })
	w.queue = memory.New(w.now, w.policy.VisibilityTimeout)
	if d.in1000("scene", 250) {
		w.backstop = 3 + d.draw("scene", 6)
	}
	w.queue.MoveAfter(w.backstop)
	w.witness = newWitness(w)
	return w
}

// open sets rate and mode, as an operator does at first.
func (w *world) open() error {
	if err := w.gate.SetRate(context.Background(), w.policy.DeleteRate, w.policy.Burst); err != nil {
		return err
	}
	return w.gate.SetMode(context.Background(), gate.Delete)
}

// drift is that of a host's clock: dull is none. Once in a while that of a
// function is so wrong that it has to keep its hands off.
func (w *world) drift(name string) time.Duration {
	const steps = 10
	if strings.HasPrefix(name, "worker-2") || strings.HasPrefix(name, "scheduler-2") {
		if w.chance("wrong clocks", 100) {
			return wrongDrift
		}
	}
	by := w.draw("drift of "+name, 2*steps+1)
	if by > steps {
		by = steps - by
	}
	return maxDrift * time.Duration(by) / steps
}

// start lets an actor begin, once it is let go.
func (w *world) start(name string, act func(name string)) {
	begins := &process{host: &host{desk: w.desk, name: name}}
	w.actors.Go(func() {
		if begins.enter("begins") != dead {
			act(name)
		}
	})
}

// stormy reports whether actors still go on.
func (w *world) stormy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.storm
}

// calm ends the storm: nothing goes wrong any more, and nobody sleeps longer.
func (w *world) calm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.storm, w.quiet = false, true
	for _, c := range w.waiting {
		if c.process.host.mortal || c.process.host.name != calmName {
			c.wake = time.Time{}
		}
	}
	w.note("clock", "faults are off", asked)
}

// draw and chance are for actors, which run one at a time.
func (w *world) draw(stream string, n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dice.draw(stream, n)
}

func (w *world) chance(stream string, in1000 int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dice.in1000(stream, in1000)
}

func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

// say puts a line of an actor's own into the trace.
func (w *world) say(who, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(who, fmt.Sprintf(format, args...), asked)
}

// newID names the next upload.
func (w *world) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.named++
	return fmt.Sprintf("u-%d", w.named)
}

// stands reports whether that version stands.
func (w *world) stands(key, version string) bool {
	_, err := w.store.Stat(context.Background(), bucketName, key, version)
	return err == nil
}

// standing is the version ids that stand under each key.
func (w *world) standing() invariant.Standing {
	all := invariant.Standing{}
	for _, v := range w.store.All(bucketName) {
		all[v.Key] = append(all[v.Key], v.VersionID)
	}
	return all
}

// stored has the storage tell of an object, once or more, at some time.
func (w *world) stored(key, version string) {
	w.witness.dirty = true
	facts, err := w.store.Stat(context.Background(), bucketName, key, version)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, storageevent.Created{
		Bucket: bucketName, Key: key, VersionID: version, Size: facts.Size, ETag: facts.ETag, At: facts.LastModified,
	})
}

// stranger puts a version that nobody owns.
func (w *world) stranger(key string) objects.Version {
	v := w.store.Write(bucketName, key, []byte("nobody's"), time.Time{})
	w.strangers[key] = v.VersionID
	return v
}

// log is for nobody: what engines log is held against its rules elsewhere.
func (w *world) log() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (w *world) trail(p *process) *telemetry.Trail {
	return telemetry.TrailTo(trailOf{p, w.witness}, nil, w.log())
}
