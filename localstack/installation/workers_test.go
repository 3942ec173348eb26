package installation_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// drain has the worker take what the queue shows.
func (w *world) drain(t *testing.T) {
	t.Helper()
	_, err := w.Drain(t.Context(), 10)
	must(t, err)
}

// take receives so many messages.
func (w *world) take(t *testing.T, n int) []command.Received {
	t.Helper()
	var batch []command.Received
	for range 50 {
		some, err := w.Stores.Queue.Receive(t.Context(), min(10, n-len(batch)), time.Second)
		must(t, err)
		if batch = append(batch, some...); len(batch) == n {
			return batch
		}
	}
	t.Fatalf("received %d messages, want %d", len(batch), n)
	return nil
}

// work hands messages to a worker, acknowledges what its answer strikes off,
// and returns how many are left.
func (w *world) work(t *testing.T, at *installation.Installation, batch []command.Received) int {
	t.Helper()
	return w.workUntil(t, at, batch, w.Clock.Now().Add(w.Policy.WorkerTimeout))
}

// workUntil is work in an invocation that ends at the deadline.
func (w *world) workUntil(t *testing.T, at *installation.Installation, batch []command.Received, deadline time.Time) int {
	t.Helper()
	left, err := at.Handle(t.Context(), batch, deadline)
	must(t, err)
	for _, m := range batch {
		if left[m.MessageID] {
			continue
		}
		// Another delivery of it may have been acknowledged meanwhile.
		if err := w.Stores.Queue.Acknowledge(t.Context(), m.Receipt); !errors.Is(err, upload.ErrAbsent) {
			must(t, err)
		}
	}
	return len(left)
}

// perish hands messages to a worker that will not live to answer.
func (w *world) perish(t *testing.T, batch []command.Received) {
	t.Helper()
	_, err := w.Handle(t.Context(), batch, w.Clock.Now().Add(w.Policy.WorkerTimeout))
	must(t, err)
	w.script.clear()
}

// another is one more worker of the installation.
func (w *world) another(t *testing.T) *installation.Installation {
	t.Helper()
	other, err := w.Restarted(w.stores)
	must(t, err)
	return other
}

// about picks the messages about one upload.
func about(batch []command.Received, s *intake.Session) []command.Received {
	var some []command.Received
	for _, m := range batch {
		if c, err := command.Decode([]byte(m.Body)); err == nil && c.ID == s.ID() {
			some = append(some, m)
		}
	}
	return some
}

// again delivers messages once more, some time later. SQS hides a message by
// its own clock, for which nobody waits here: over the wire the delivery is
// repeated by hand.
func (w *world) again(t *testing.T, batch []command.Received, later time.Duration) []command.Received {
	t.Helper()
	w.Clock.Advance(later)
	if !w.wire {
		return w.take(t, len(batch))
	}
	next := make([]command.Received, len(batch))
	for i, m := range batch {
		m.Receives++
		next[i] = m
	}
	return next
}

// send puts commands into the queue that no pass has sent.
func (w *world) send(t *testing.T, commands ...upload.Command) {
	t.Helper()
	_, err := w.Stores.Queue.Send(t.Context(), commands)
	must(t, err)
}

// wantOutcomes compares what became of the messages since it was last asked:
// "deleted: cancelled".
func (w *world) wantOutcomes(t *testing.T, want ...string) []line {
	t.Helper()
	lines := w.log.take()
	var got []string
	for _, l := range lines {
		got = append(got, l.String())
	}
	wantSame(t, "the workers", got, want)
	if len(lines) != len(want) {
		t.FailNow()
	}
	return lines
}

// wantEmptyQueue expects that no message waits, is hidden or in flight.
func (w *world) wantEmptyQueue(t *testing.T) {
	t.Helper()
	depth, err := w.Stores.Queue.Depth(t.Context())
	must(t, err)
	if depth != 0 {
		t.Errorf("%d messages are in the queue", depth)
	}
}
