package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
)

// group is a log group that keeps what it takes, and may fail or hang.
type group struct {
	mu    sync.Mutex
	calls [][]Event
	err   error
	hangs bool
}

func (g *group) Put(ctx context.Context, events []Event) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, events)
	if g.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return errors.Join(ctx.Err(), g.err)
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func decision(n int, at time.Time) audit.Line {
	return audit.Line{
		At: at, Who: "worker-1", What: "finish", Why: "cancelled", Run: "r", Operation: "claim", Tenant: "acme",
		Upload: fmt.Sprintf("u-%d", n), Version: 4, Fence: 2, Before: "deleting", After: "deleted",
	}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestALineOfTheTrailIsJSONWithIDsOnly(t *testing.T) {
	var out bytes.Buffer
	TrailTo(&out, nil, quiet()).Writer().Write(t.Context(), decision(1, noon))
	want := `{"audit":1,"at":"2026-11-30T12:00:00Z","who":"worker-1","what":"finish","why":"cancelled","run":"r","operation":"claim",` +
		`"tenant":"acme","upload":"u-1","version":4,"fence":2,"before":"deleting","after":"deleted"}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

// A process may be killed at any instant: what waits for its batch would be lost
// with it. Standard output is not.
func TestALineIsInTheOwnLogBeforeItIsSentAnywhere(t *testing.T) {
	var out bytes.Buffer
	g := &group{}
	trail := TrailTo(&out, g, quiet())
	trail.Writer().Write(t.Context(), decision(1, noon))
	if len(g.calls) != 0 || !strings.Contains(out.String(), "u-1") {
		t.Fatalf("%d calls, the log has %q", len(g.calls), out.String())
	}
	if lost := trail.Flush(t.Context(), time.Second); lost != 0 || len(g.calls) != 1 || g.calls[0][0].Text+"\n" != out.String() {
		t.Errorf("%d lost, the group has %+v", lost, g.calls)
	}
	if trail.Flush(t.Context(), time.Second); len(g.calls) != 1 {
		t.Error("nothing was sent once more")
	}
}

func TestWhatTheGroupDoesNotTakeIsCountedAndIsInTheOwnLog(t *testing.T) {
	var out, log bytes.Buffer
	g := &group{err: errors.New("denied")}
	trail := TrailTo(&out, g, slog.New(slog.NewTextHandler(&log, nil)))
	for n := range 3 {
		trail.Writer().Write(t.Context(), decision(n, noon))
	}
	if lost := trail.Flush(t.Context(), time.Second); lost != 3 || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("%d lost, the log has %q", lost, out.String())
	}
	if !strings.Contains(log.String(), "lines=3 error=denied") {
		t.Errorf("it says %q", log.String())
	}
	g.err = nil
	trail.Writer().Write(t.Context(), decision(4, noon))
	if lost := trail.Flush(t.Context(), time.Second); lost != 0 {
		t.Errorf("%d lost of the next invocation", lost)
	}
}

// Without the bound, a log group that hangs would keep a worker from answering,
// and its whole batch would come back.
func TestAGroupThatHangsCostsOneBoundedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &group{hangs: true}
		trail := TrailTo(&bytes.Buffer{}, g, quiet())
		began := time.Now() //nolint:forbidigo // the clock of synctest
		for n := range MaxEvents + 5 {
			trail.Writer().Write(t.Context(), decision(n, noon))
		}
		lost := trail.Flush(t.Context(), time.Hour)
		waited := time.Since(began) //nolint:forbidigo // the same
		if waited != sendWithin || len(g.calls) != 1 || lost != MaxEvents+5 {
			t.Errorf("waited %v for %d calls, %d lost", waited, len(g.calls), lost)
		}
	})
}

// What ends the work of an invocation (its context) must not end the last words
// about it; what ends the invocation must.
func TestTheDeadlineBoundsSendingAndTheContextDoesNot(t *testing.T) {
	g := &group{}
	trail := TrailTo(&bytes.Buffer{}, g, quiet())
	over, cancel := context.WithCancel(t.Context())
	cancel()
	trail.Writer().Write(over, decision(1, noon))
	if lost := trail.Flush(over, time.Minute); lost != 0 || len(g.calls) != 1 {
		t.Errorf("%d lost, %d calls", lost, len(g.calls))
	}
	late, stop := context.WithDeadline(t.Context(), noon.Add(time.Second))
	defer stop()
	trail.Writer().Write(late, decision(2, noon))
	if lost := trail.Flush(late, Within(late, noon)); lost != 1 || len(g.calls) != 1 {
		t.Errorf("a second before the end: %d lost, %d calls", lost, len(g.calls))
	}
	if w := Within(t.Context(), noon); w != sendWithin {
		t.Errorf("without a deadline it is %v", w)
	}
}

// One call that is too large is refused whole: ten thousand decisions would be
// missing.
func TestBatchesStayWithinWhatTheServiceTakes(t *testing.T) {
	g := &group{}
	trail := TrailTo(&bytes.Buffer{}, g, quiet())
	for n := range 12_000 { // 2.6 MB of some 220 bytes each
		trail.Writer().Write(t.Context(), decision(n, noon.Add(time.Duration(n%2000)*time.Minute)))
	}
	if lost := trail.Flush(t.Context(), time.Minute); lost != 0 {
		t.Fatalf("%d lost", lost)
	}
	sent := 0
	for _, call := range g.calls {
		bytes := 0
		for i, e := range call {
			bytes += len(e.Text) + eventOverhead
			if i > 0 && e.At.Before(call[i-1].At) {
				t.Fatal("a batch is not in the order of time")
			}
		}
		if sent += len(call); len(call) > MaxEvents || bytes > MaxEventBytes || call[len(call)-1].At.Sub(call[0].At) >= maxEventSpan {
			t.Errorf("a batch has %d events, %d bytes, from %v to %v", len(call), bytes, call[0].At, call[len(call)-1].At)
		}
	}
	if sent != 12_000 {
		t.Errorf("%d lines were sent", sent)
	}
}

// An operator lets a million parked uploads go on: held until the end, their
// lines would be 250 MB, and all of them lost with the process.
func TestATrailWithoutALogOfItsOwnHoldsOneBatchAndKeepsWhatIsNotTaken(t *testing.T) {
	var instead bytes.Buffer
	g := &group{}
	trail := TrailOrElse(g, &instead, quiet())
	const lines = 3*MaxEvents + 7
	for n := range lines {
		trail.Writer().Write(t.Context(), decision(n, noon))
		if held := len(trail.pending); held > MaxEvents || trail.bytes > MaxEventBytes {
			t.Fatalf("%d lines are held, %d bytes", held, trail.bytes)
		}
		if n == lines/2 {
			g.err = errors.New("denied")
		}
	}
	lost := trail.Flush(t.Context(), time.Second)
	taken := 0
	for _, call := range g.calls[:len(g.calls)-1] { // the last is the one that failed
		taken += len(call)
	}
	if written := strings.Count(instead.String(), "\n"); taken < MaxEvents || written != lost || taken+written != lines {
		t.Errorf("of %d lines %d were taken, %d not, %d written", lines, taken, lost, written)
	}
	if !strings.Contains(instead.String(), `"upload":"u-30006"`) {
		t.Error("the last line is nowhere")
	}
}

func TestManyWriteAtOnce(t *testing.T) {
	var out bytes.Buffer
	g := &group{}
	trail := TrailTo(&out, g, quiet())
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			for range 20 {
				trail.Writer().Write(t.Context(), decision(n, noon))
			}
		})
	}
	all.Wait()
	if lost := trail.Flush(t.Context(), time.Second); lost != 0 || len(g.calls) != 1 || len(g.calls[0]) != 1000 || strings.Count(out.String(), "\n") != 1000 {
		t.Errorf("%d lost, %d calls", lost, len(g.calls))
	}
}

func TestWithoutATrailNothingIsWritten(t *testing.T) {
	var none *Trail
	none.Writer().Write(t.Context(), decision(1, noon))
	if lost := none.Flush(t.Context(), time.Second); lost != 0 {
		t.Errorf("%d lost", lost)
	}
}
