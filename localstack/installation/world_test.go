package installation_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

const day = 24 * time.Hour

// world is one installation, its applications, and what may go wrong.
type world struct {
	*installation.Installation
	hands    hands
	recorder *recorder
	script   *script
	log      *logbook
	witness  *witness
	// app is an intake service whose writes are recorded; nothing of the script
	// reaches it.
	app *intake.Service
	// stores are those of the functions, recorded and scripted.
	stores installation.Stores
	// strangers are versions that no upload owns, by key: nobody may touch them.
	strangers map[string]string
	// shard, where not negative, is the index shard of new uploads.
	shard  int
	naming sync.Mutex // of named
	named  int
	wire   bool
}

// place is where a world stands.
type place struct {
	name string
	// make takes sources whose tables are to be made by whoever asks for them.
	make func(t *testing.T, p policy.Policy, sources ...source.Source) *world
}

func places() []place { return []place{{"memory", inMemory}, {"wire", onTheWire}} }

// usual is the policy of a world unless its race changes it: the defaults, and
// a rate that nobody waits for.
func usual() policy.Policy {
	p := policy.Default()
	p.DeleteRate, p.Burst = 20_000, 5_000
	return p
}

func newWorld() *world {
	return &world{script: &script{}, log: &logbook{}, witness: newWitness(), strangers: map[string]string{}, shard: -1}
}

// options are those of the world's installation.
func (w *world) options(p policy.Policy, clock *installation.Clock, sources ...source.Source) installation.Options {
	return installation.Options{
		Policy: p, Clock: clock, Real: time.Now, Log: w.log,
		Wrap: func(s installation.Stores) installation.Stores {
			w.recorder = newRecorder(s, clock.Now)
			w.stores = w.recorder.over(s)
			w.stores.Ledger = w.witness.beneath(w.stores.Ledger)
			w.stores = w.script.over(w.stores)
			w.stores.Ledger = w.witness.above(w.stores.Ledger)
			return w.stores
		},
		Trail: w.witness.trail, Sources: sources,
	}
}

func inMemory(t *testing.T, p policy.Policy, sources ...source.Source) *world {
	w := newWorld()
	clock := installation.NewStillClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	i, memory, err := installation.InMemory(t.Context(), w.options(p, clock, sources...))
	must(t, err)
	w.hands = memoryHands{memory, i.Bucket}
	return w.settled(t, i)
}

// onTheWire makes an installation of its own on the emulator of this process:
// that takes some 50 ms, and then no race sees another's.
func onTheWire(t *testing.T, p policy.Policy, sources ...source.Source) *world {
	w := newWorld()
	w.wire = true
	cfg := localstacktest.Config(t) // a receive whose answer is lost hides its message
	clock := installation.NewClock(time.Now, time.Now())
	i, cloud, err := installation.OnCloud(t.Context(), cfg, "race-"+strings.ToLower(rand.Text()[:12]), w.options(p, clock, sources...))
	must(t, err)
	t.Cleanup(func() {
		if err := i.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	w.hands = wireHands{cloud, i.Bucket}
	return w.settled(t, i)
}

// settled gives the world its installation and its application.
func (w *world) settled(t *testing.T, i *installation.Installation) *world {
	t.Helper()
	w.Installation = i
	seen := w.recorder.over(i.Stores)
	app, err := intake.New(intake.Config{
		Records: seen.Ledger, Lookups: seen.Ledger, Objects: i.Stores.Objects,
		Policy: i.Policy, Now: i.Clock.Now, NewID: w.newID,
	})
	must(t, err)
	w.app = app
	return w
}

// newID makes ids that a reader can tell apart, in the wanted shard.
func (w *world) newID() string {
	w.naming.Lock()
	defer w.naming.Unlock()
	for {
		w.named++
		id := upload.ID{Tenant: tenant, Upload: fmt.Sprintf("u-%d", w.named)}
		if w.shard < 0 || ledger.Shard(id) == w.shard {
			return id.Upload
		}
	}
}

// pass makes a census and a pass of its own, and checks the pass's sums.
func (w *world) pass(t *testing.T) cleanup.Report {
	t.Helper()
	w.Clock.Advance(time.Second) // a run is named by the second in which it fired
	must(t, w.Census(t.Context()))
	report, err := w.Pass(t.Context())
	must(t, err)
	must(t, report.Tally.Check())
	return report
}

// wantPass makes a pass, and compares the uploads in its tally: "marked 1",
// "skipped: index stale 1". What is not named must be none.
func (w *world) wantPass(t *testing.T, want ...string) cleanup.Report {
	t.Helper()
	report := w.pass(t)
	wantTally(t, report, want...)
	return report
}

func wantTally(t *testing.T, report cleanup.Report, want ...string) {
	t.Helper()
	var got []string
	for _, row := range []struct {
		name   string
		amount cleanup.Amount
	}{
		{"kept", report.Tally.Kept},
		{"marked", report.Tally.Marked},
		{"repaired", report.Tally.Repaired},
		{"stuck", report.Tally.Stuck},
		{"published", report.Tally.Published},
	} {
		if row.amount.Uploads > 0 {
			got = append(got, fmt.Sprintf("%s %d", row.name, row.amount.Uploads))
		}
	}
	for reason, amount := range report.Tally.Skipped {
		got = append(got, fmt.Sprintf("skipped: %s %d", reason, amount.Uploads))
	}
	wantSame(t, "the pass ("+string(report.State)+" "+report.Reason+")", got, want)
}

// letTimePass lets the installation go on by itself for some days, with nothing
// in its way, and then expects it at rest: everything condemned gone.
func (w *world) letTimePass(t *testing.T) {
	t.Helper()
	w.script.clear()
	must(t, w.Stores.Gate.Resume(t.Context()))
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.Delete))
	for range 3 {
		w.Clock.Advance(25 * time.Hour)
		report := w.pass(t)
		if report.State == cleanup.RunPaused {
			_, err := w.Approve(t.Context(), report)
			must(t, err)
		}
		w.drain(t)
	}
	for _, r := range w.records(t) {
		parked := r.State == upload.StateDeleting && !r.ParkedAt.IsZero()
		if r.State != upload.StateComplete && r.State != upload.StateDeleted && r.State != upload.StateAssembling && !parked {
			t.Errorf("upload %s is %s at rest", r.Upload, r.State)
		}
	}
}

// records reads every upload that was ever written.
func (w *world) records(t *testing.T) []upload.Record {
	t.Helper()
	records, err := w.Stores.Ledger.LoadMany(context.Background(), w.recorder.uploads())
	must(t, err)
	return records
}

func (w *world) load(t *testing.T, id upload.ID) upload.Record {
	t.Helper()
	r, err := w.Stores.Ledger.Load(t.Context(), id)
	must(t, err)
	return r
}

func (w *world) wantState(t *testing.T, s *intake.Session, want upload.State) upload.Record {
	t.Helper()
	r := w.load(t, s.ID())
	if r.State != want {
		t.Errorf("upload %s is %s, want %s", r.Upload, r.State, want)
	}
	return r
}

// wantStanding counts the versions below the upload's folder.
func (w *world) wantStanding(t *testing.T, s *intake.Session, want int) {
	t.Helper()
	got := 0
	for _, err := range w.Stores.Objects.Versions(t.Context(), w.Bucket, s.Record().Folder()) {
		must(t, err)
		got++
	}
	if got != want {
		t.Errorf("%d versions of upload %s stand, want %d", got, s.ID().Upload, want)
	}
}

// wantTrail compares what was done about the upload since its cleanup began:
// from the first of the given steps on.
func (w *world) wantTrail(t *testing.T, s *intake.Session, want ...string) {
	t.Helper()
	trail := w.recorder.of(w.load(t, s.ID()))
	for i, what := range trail {
		if what == want[0] {
			trail = trail[i:]
			break
		}
	}
	if strings.Join(trail, ", ") != strings.Join(want, ", ") {
		t.Errorf("about upload %s was done\n  %s, want\n  %s", s.ID().Upload, strings.Join(trail, ", "), strings.Join(want, ", "))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, kind, err error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("got %v, want %v", err, kind)
	}
}

// wantSame compares two lists without regard to order.
func wantSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	if g, w := sorted(got), sorted(want); g != w {
		t.Errorf("%s: got %q, want %q", what, g, w)
	}
}
