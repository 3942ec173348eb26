package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/controls"
	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/upload"
)

const (
	queuedMessages = 1_000
	oneBatch       = 100
)

// stopping is an installation with a thousand commands queued, whose deletes
// are written down, and something that happens around them.
type stopping struct {
	*installation.Installation
	table, queueURL string

	mu      sync.Mutex
	started []time.Time // each version's delete, by the workers' clock
	// onDelete comes when a call has started, and before it reaches the store;
	// onClaim when a claim was written.
	onDelete, onClaim func()
}

// pausePolicy lets a pass publish everything, and the gate give a burst at once.
func pausePolicy(rate, burst int) policy.Policy {
	p := policy.Default()
	p.MaxDeleteCount, p.DeleteRate, p.Burst = 2*queuedMessages, rate, burst
	return p
}

func (s *stopping) options(p policy.Policy, clock *installation.Clock) installation.Options {
	return installation.Options{Policy: p, Clock: clock, Real: time.Now, Wrap: func(bare installation.Stores) installation.Stores {
		bare.Objects, bare.Ledger = stoppedObjects{bare.Objects, s}, stoppedLedger{bare.Ledger, s}
		return bare
	}}
}

type stoppedObjects struct {
	installation.Objects
	s *stopping
}

func (o stoppedObjects) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	o.s.mu.Lock()
	for range versions {
		o.s.started = append(o.s.started, o.s.Clock.Now())
	}
	o.s.mu.Unlock()
	if o.s.onDelete != nil {
		o.s.onDelete()
	}
	return o.Objects.Delete(ctx, bucket, versions)
}

type stoppedLedger struct {
	installation.Ledger
	s *stopping
}

func (l stoppedLedger) Commit(ctx context.Context, c upload.Change) error {
	err := l.Ledger.Commit(ctx, c)
	if err == nil && c.Event == upload.KindClaim && l.s.onClaim != nil {
		l.s.onClaim()
	}
	return err
}

// queue gives up so many uploads of one object and has a pass publish them,
// then repeats the commands until a thousand messages wait.
func (s *stopping) queue(t *testing.T, uploads int) {
	t.Helper()
	var ids []upload.ID
	var mu sync.Mutex
	var writers errgroup.Group
	writers.SetLimit(16)
	for range uploads {
		writers.Go(func() error {
			id, err := s.giveUp(t.Context())
			mu.Lock()
			defer mu.Unlock()
			ids = append(ids, id)
			return err
		})
	}
	must(t, writers.Wait())
	s.Clock.Advance(7 * time.Hour) // past all that a cancelled upload was promised
	must(t, s.Census(t.Context()))
	report, err := s.Pass(t.Context())
	must(t, err)
	if report.Tally.Published.Uploads != int64(uploads) {
		t.Fatalf("published %v, want %d; %s %s", report.Tally.Published, uploads, report.State, report.Reason)
	}
	records, err := s.Stores.Ledger.LoadMany(t.Context(), ids)
	must(t, err)
	for range queuedMessages/uploads - 1 {
		var again []upload.Command
		for _, r := range records {
			again = append(again, s.Command(r))
		}
		_, err := s.Stores.Queue.Send(t.Context(), again)
		must(t, err)
	}
}

func (s *stopping) giveUp(ctx context.Context) (upload.ID, error) {
	session, err := s.Intake.Reserve(ctx, intake.Request{
		Tenant: "acme", Owner: "ann", Holder: "writer", Lease: 10 * time.Minute, Bucket: s.Bucket, Prefix: "in", Chunks: 1,
	})
	if err != nil {
		return upload.ID{}, err
	}
	body := []byte("chunk")
	sum := sha256.Sum256(body)
	if _, err := session.Put(ctx, intake.Chunk{Seq: 1, Size: int64(len(body)), SHA256: sum[:]}, bytes.NewReader(body)); err != nil {
		return upload.ID{}, err
	}
	return session.ID(), session.Cancel(ctx, "user left the page")
}

// deliver brings the worker batches until nothing is visible, and lets time go
// by after each. It returns how many messages were taken and not acknowledged.
func (s *stopping) deliver(t *testing.T, between time.Duration) (taken, left int) {
	t.Helper()
	for {
		n, done, err := s.Deliver(t.Context(), oneBatch)
		must(t, err)
		if n == 0 {
			return taken, left
		}
		taken, left = taken+n, left+n-done
		s.Clock.Advance(between)
	}
}

// wantNoneAfter expects so many versions' deletes, and none that started later
// than ten seconds after the pause.
func (s *stopping) wantNoneAfter(t *testing.T, paused time.Time, want int) {
	t.Helper()
	for _, at := range s.started {
		if late := at.Sub(paused); late > gate.SlotLife {
			t.Errorf("a delete started %s after the pause", late)
		}
	}
	if paused.IsZero() || len(s.started) != want {
		t.Errorf("%d versions were deleted, want %d; paused at %s", len(s.started), want, paused)
	}
}

// A worker that holds slots when somebody pauses may use them for ten seconds,
// to the millisecond, and not one longer; everything else that is queued is
// turned away, and goes when it is resumed. Without the look at the slots' age
// before each call (slots.take), the slow worker deletes a hundred versions
// after the pause; without the gate in every reservation, all thousand go.
func TestAPauseWithAThousandMessagesQueuedStopsDeletesWithinTenSeconds(t *testing.T) {
	for _, c := range []struct {
		name  string
		claim time.Duration // how long each of the hundred claims takes
		want  int
	}{
		{"a worker with slots in hand starts within the ten seconds", 100 * time.Millisecond, 2 * oneBatch},
		{"a worker that is slower than its slots starts nothing", 101 * time.Millisecond, oneBatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &stopping{}
			clock := installation.NewStillClock(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
			var err error
			s.Installation, _, err = installation.InMemory(t.Context(), s.options(pausePolicy(20_000, 5_000), clock))
			must(t, err)
			s.queue(t, queuedMessages)
			operator := controls.Controls{
				Gate: s.Stores.Gate, By: func(gate.Decision) controls.Switch { return s.Stores.Gate }, Queue: s.Stores.Queue,
				Name: "main", Table: "memory", Now: clock.Now, Who: "ann", Out: io.Discard,
			}
			_, _, err = s.Deliver(t.Context(), oneBatch)
			must(t, err)
			paused, once := time.Time{}, sync.Once{}
			s.onClaim = func() { // of the second batch
				once.Do(func() {
					must(t, operator.Pause(t.Context()))
					paused = clock.Now()
				})
				clock.Advance(c.claim)
			}
			taken, left := s.deliver(t, time.Second)
			s.onClaim = nil
			s.wantNoneAfter(t, paused, c.want)
			if taken != queuedMessages-oneBatch || left != queuedMessages-c.want {
				t.Errorf("%d messages were taken after the first batch and %d left, want %d left", taken, left, queuedMessages-c.want)
			}
			must(t, operator.Resume(t.Context()))
			clock.Advance(20 * time.Minute) // what was turned away comes back
			s.deliver(t, 0)
			if len(s.started) != queuedMessages {
				t.Errorf("%d of %d versions were deleted in the end", len(s.started), queuedMessages)
			}
		})
	}
}

// The same over HTTP, with the command as it is typed. The worker is in the
// middle of its first batch, with nine tenths of it to go.
func TestPauseTypedWithAThousandMessagesQueuedStopsDeletesOnTheWire(t *testing.T) {
	onWire(t)
	s := &stopping{}
	prefix := "pause-" + strings.ToLower(rand.Text()[:10])
	p := pausePolicy(20, 10)
	in, err := schema.New(prefix, p, "uploads")
	must(t, err)
	clock := installation.NewClock(time.Now, time.Now())
	i, cloud, err := installation.OnCloud(t.Context(), localstacktest.Config(t), prefix, s.options(p, clock))
	must(t, err)
	t.Cleanup(func() { must(t, i.Remove(context.WithoutCancel(t.Context()))) })
	s.Installation, s.table, s.queueURL = i, in.Ledger.Name, cloud.QueueURL
	s.queue(t, 50) // twenty messages about each: a thousand uploads take a minute to make
	t.Setenv("STRANDLINE_TABLE", s.table)
	t.Setenv("STRANDLINE_QUEUE_URL", s.queueURL)
	paused, once := time.Time{}, sync.Once{}
	s.onDelete = func() {
		once.Do(func() {
			if got := runLine(t.Context(), "pause", "--who", "ann"); got.code != exitOK || !strings.HasPrefix(got.out, "paused: no delete starts later than 10s from now") {
				t.Errorf("pause: exit %d, says %q, prints %q", got.code, got.errs, got.out)
			}
			paused = clock.Now()
		})
	}
	began := len(s.started)
	taken, _ := s.deliver(t, 2*time.Second)
	if taken != queuedMessages || began != 0 {
		t.Errorf("%d messages were taken, want all %d", taken, queuedMessages)
	}
	s.wantNoneAfter(t, paused, len(s.started))
	if n := len(s.started); n == 0 || n > 20 {
		t.Errorf("%d of 50 versions were deleted: expected the call that had started, and at most what a worker had in hand", n)
	}
	for _, step := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"mode"}, exitOK, "paused   yes\n"},
		{[]string{"mode", "--json"}, exitOK, `"paused":true,"deletes":false,"rate":20,"burst":10,"queued":`},
		{[]string{"mode", "--json"}, exitOK, `"decided_by":"ann"`},
		{[]string{"resume"}, exitFailed, "there is nobody to ask"},
		{[]string{"rate", "set", "5"}, exitFailed, "there is nobody to ask"},
		{[]string{"rate", "set", "5", "--yes"}, exitOK, "the rate is set\n"},
		{[]string{"rate", "show"}, exitOK, "5 object versions a second, 10 at once\n"},
		{[]string{"mode", "report-only"}, exitOK, "report-only: no delete starts later"},
		{[]string{"mode", "delete"}, exitFailed, "there is nobody to ask"},
		{[]string{"resume", "--yes", "--json"}, exitOK, `"mode":"report-only","paused":false,"deletes":false`},
		{[]string{"mode", "delete", "--yes", "--rate", "7"}, exitOK, "deletes  what the ledger condemns\n"},
	} {
		got := runLine(t.Context(), step.args...)
		if got.code != step.code || !strings.Contains(got.out+got.errs, step.says) {
			t.Errorf("%v: exit %d, expected %d with %q; it says\n%s%s", step.args, got.code, step.code, step.says, got.out, got.errs)
		}
		if got.code == exitFailed && strings.Count(got.errs, "\n") != 1 {
			t.Errorf("%v: more than one line: %q", step.args, got.errs)
		}
	}
}

// A delay that is spelled wrong keeps a pass from starting; it must not keep
// anybody from stopping.
func TestAPolicyThatIsSpelledWrongKeepsNobodyFromStopping(t *testing.T) {
	table, _, _ := heldOnWire(t, "command-stop", "k")
	t.Setenv("STRANDLINE_TABLE", table)
	t.Setenv("STRANDLINE_ACTIVITY_GRACE", "soon")
	for _, args := range [][]string{{"pause"}, {"mode", "report-only"}} {
		if got := runLine(t.Context(), args...); got.code != exitOK {
			t.Errorf("%v: exit %d, says %q", args, got.code, got.errs)
		}
	}
	if got := runLine(t.Context(), "resume", "--yes"); got.code != exitFailed || !strings.Contains(got.errs, "STRANDLINE_ACTIVITY_GRACE") {
		t.Errorf("resume: exit %d, says %q", got.code, got.errs)
	}
}

// Whoever interrupts a pause must not read that something was stopped.
func TestAnInterruptedPauseSaysThatDeletesMayGoOn(t *testing.T) {
	onWire(t)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	got := runLine(ctx, "pause", "--table", "any")
	if got.code != exitInterrupted || !strings.HasPrefix(got.errs, "strandline: interrupted: deletes may go on: ") || strings.Count(got.errs, "\n") != 1 {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
}
