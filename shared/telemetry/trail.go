package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
)

// Event is one line on its way into a log group.
type Event struct {
	At   time.Time
	Text string
}

// Group is a log group of the trail's own. Put takes at most [MaxEvents] events
// and [MaxEventBytes], earliest first; an error says that it may not have all.
type Group interface {
	Put(ctx context.Context, events []Event) error
}

// What CloudWatch Logs takes in one call
// (https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html):
// at most 10,000 events, and 1,048,576 bytes where each event counts 26 bytes
// more than its text, over at most 24 hours.
const (
	MaxEvents     = 10_000
	MaxEventBytes = 1 << 20
	eventOverhead = 26
	maxEventSpan  = 24 * time.Hour
)

// sendWithin bounds what all sending of one invocation may take.
const sendWithin = 5 * time.Second

// Trail writes the audit trail: each line at once into the function's own log,
// then in batches into the trail's group. What the group did not take, or the
// process did not live to send, is thus never lost; and no decision waits for,
// or fails with, the group. A nil Trail writes nothing.
type Trail struct {
	out     io.Writer
	group   Group     // nil: the own log is all there is
	instead io.Writer // gets what the group did not take; nil where out has it
	log     *slog.Logger

	mu      sync.Mutex
	pending []Event
	bytes   int
	lost    int // not taken by the group since the last Flush
	broken  bool
	failed  error
}

// TrailTo returns a trail that writes lines of JSON to out, one call of Write
// each, and brings them to the group, which may be nil. Log says what could not
// be brought there.
func TrailTo(out io.Writer, group Group, log *slog.Logger) *Trail {
	return &Trail{out: out, group: group, log: log}
}

// TrailOrElse returns a trail of somebody who has no log of their own: lines go
// to the group, a batch as soon as it is full, and those that it does not take
// to instead. No more than a batch is held, however many decisions there are,
// and no more than that is lost with the process.
func TrailOrElse(group Group, instead io.Writer, log *slog.Logger) *Trail {
	return &Trail{out: io.Discard, group: group, instead: instead, log: log}
}

// Writer is where an engine writes its decisions to.
func (t *Trail) Writer() audit.To {
	if t == nil {
		return nil
	}
	return t.add
}

// add writes a line down, and sends a batch when one is full.
func (t *Trail) add(ctx context.Context, l audit.Line) {
	text, err := json.Marshal(l)
	if err != nil { // there is nothing in a line that JSON has no form for
		t.log.ErrorContext(ctx, "audit line not written", "error", err)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.out.Write(append(slices.Clip(text), '\n')); err != nil {
		t.log.ErrorContext(ctx, "audit line not written", "error", err)
	}
	if t.group == nil {
		return
	}
	if len(t.pending) > 0 && (len(t.pending) == MaxEvents || t.bytes+len(text)+eventOverhead > MaxEventBytes) {
		t.send(ctx, sendWithin)
	}
	t.pending = append(t.pending, Event{l.At, string(text)})
	t.bytes += len(text) + eventOverhead
}

// Flush sends what is left, within the time given, and returns how many lines
// since the last Flush the group has not, or may not have; they are in the own
// log. Each function calls it before it ends.
func (t *Trail) Flush(ctx context.Context, within time.Duration) (lost int) {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.send(ctx, min(within, sendWithin))
	lost = t.lost
	if lost > 0 {
		t.log.ErrorContext(ctx, "audit lines only in this log", "lines", lost, "error", t.failed)
	}
	t.lost, t.broken, t.failed = 0, false, nil
	return lost
}

// send brings the pending lines to the group. Once it has failed nothing more
// is sent until the next Flush: a group that does not answer may not cost more
// than one wait.
func (t *Trail) send(ctx context.Context, within time.Duration) {
	events := t.pending
	t.pending, t.bytes = nil, 0
	if len(events) == 0 {
		return
	}
	// What ends the invocation must not end this: the time given does.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	slices.SortStableFunc(events, func(a, b Event) int { return a.At.Compare(b.At) })
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].At.Sub(events[0].At) < maxEventSpan {
			n++
		}
		t.put(ctx, within, events[:n])
		events = events[n:]
	}
}

func (t *Trail) put(ctx context.Context, within time.Duration, events []Event) {
	if !t.broken && within <= 0 {
		t.broken, t.failed = true, fmt.Errorf("no time is left: %w", context.DeadlineExceeded)
	}
	if !t.broken {
		if t.failed = t.group.Put(ctx, events); t.failed == nil {
			return
		}
		t.broken = true
	}
	t.lost += len(events)
	for _, e := range events {
		if t.instead == nil {
			break
		}
		if _, err := io.WriteString(t.instead, e.Text+"\n"); err != nil {
			t.log.ErrorContext(ctx, "audit line not written", "error", err)
		}
	}
}

// Within is how long sending may take at an instant: until shortly before the
// context's deadline, so that the invocation still answers.
func Within(ctx context.Context, now time.Time) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return sendWithin
	}
	return deadline.Sub(now) - answerWithin
}

// answerWithin is what an invocation keeps for its answer.
const answerWithin = 2 * time.Second
