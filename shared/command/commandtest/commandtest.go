package commandtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Queue is what an adapter offers.
type Queue interface {
	Send(ctx context.Context, commands []upload.Command) (accepted []bool, err error)
	Depth(ctx context.Context) (int64, error)
	Receive(ctx context.Context, most int, wait time.Duration) ([]command.Received, error)
	Hide(ctx context.Context, receipt string, d time.Duration) error
	Acknowledge(ctx context.Context, receipt string) error
	DeadLetter(ctx context.Context, m command.Received, reason string) error
	Park(ctx context.Context, m command.Received, source, reason string) error
}

// Dead is a message among the dead letters.
type Dead struct {
	Body, Reason, MessageID string
	Receives                int
}

// Subject is an empty queue and what stands around it. Its visibility timeout
// is [Visibility].
type Subject struct {
	Queue
	// Put places any message in the queue, as others than Send can.
	Put func(t *testing.T, body string)
	// Dead returns the dead letters since the last call.
	Dead func(t *testing.T) []Dead
	// Pass lets time pass on the queue's clock.
	Pass func(d time.Duration)
}

// Visibility is the visibility timeout that the suite counts on.
const Visibility = 2 * time.Second

// Run runs the suite; open makes a new queue each time.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Subject)
	}{
		{"an empty queue gives nothing", empty},
		{"what was sent is received, once, until acknowledged", sentAndReceived},
		{"twenty-five commands are received ten at most at a time", twentyFive},
		{"nothing to send is no error", nothing},
		{"a command that cannot be is not accepted and harms no other", oneImpossible},
		{"ids with spaces and unicode arrive as they are", unicodeTenant},
		{"a message not acknowledged comes back after its visibility", redelivered},
		{"a hidden message comes back when it was told to", hidden},
		{"a message hidden for no time comes back at once", notHidden},
		{"a message can be hidden for as long as anybody wants", hiddenForDays},
		{"hiding what is acknowledged says that it is absent", hideAcknowledged},
		{"a poison message arrives as it is", poison},
		{"a dead letter keeps body and reason, and stays until acknowledged", deadLetter},
		{"a dead letter's reason is cut and cleaned, never empty", deadReasons},
		{"a cancelled call sends nothing", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // over the wire, time passes at its own pace
			c.test(t, open(t))
		})
	}
}

// Command is the n-th of a series of different commands.
func Command(n int) upload.Command {
	return upload.Command{
		Run:       "every-15m@2026-11-30T08:15:00.000Z",
		Operation: upload.OpClaim,
		ID:        upload.ID{Tenant: fmt.Sprintf("tenant-%d", n%3), Upload: fmt.Sprintf("u-%04d", n)},
		Version:   int64(n),
		Cutoff:    time.Date(2026, 11, 30, 8, 10, 0, 0, time.UTC),
		Reason:    "cancelled",
	}
}

// Commands is a series of n.
func Commands(n int) []upload.Command {
	all := make([]upload.Command, n)
	for i := range all {
		all[i] = Command(i + 1)
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wait is how long the suite waits for a message that must be there; a queue
// in memory does not wait.
const wait = 2 * time.Second

func (s Subject) receive(t *testing.T, most int) []command.Received {
	t.Helper()
	got, err := s.Receive(t.Context(), most, wait)
	must(t, err)
	return got
}

// one receives the only message that must be there.
func (s Subject) one(t *testing.T) command.Received {
	t.Helper()
	got := s.receive(t, 10)
	if len(got) != 1 {
		t.Fatalf("received %d messages: expected one", len(got))
	}
	return got[0]
}

// none makes sure that no message is visible now.
func (s Subject) none(t *testing.T) {
	t.Helper()
	got, err := s.Receive(t.Context(), 10, 0)
	must(t, err)
	if len(got) > 0 {
		t.Fatalf("received %d messages, the first %+v: expected none", len(got), got[0])
	}
}

func (s Subject) wantDepth(t *testing.T, want int64) {
	t.Helper()
	got, err := s.Depth(t.Context())
	must(t, err)
	if got != want {
		t.Errorf("depth is %d: expected %d", got, want)
	}
}

// sendOne sends the first command and receives it.
func (s Subject) sendOne(t *testing.T) command.Received {
	t.Helper()
	_, err := s.Send(t.Context(), Commands(1))
	must(t, err)
	return s.one(t)
}
