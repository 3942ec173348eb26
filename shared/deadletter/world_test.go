package deadletter_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// world is a queue with dead letters, a ledger, and what may go wrong.
type world struct {
	deadletter.Desk
	now     time.Time
	queue   *memory.Queue
	records map[upload.ID]upload.Record

	refused   map[string]bool // uploads whose command the queue does not take
	sendFails error
	// discarding, if set, is asked before a letter is discarded.
	discarding func(receipt string) error
	unread     error
	receiving  func(letters []command.Letter)
}

func newWorld() *world {
	w := &world{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), records: map[upload.ID]upload.Record{}, refused: map[string]bool{}}
	clock := func() time.Time { return w.now }
	w.queue = memory.New(clock, 15*time.Minute)
	w.Desk = deadletter.Desk{Letters: letters{w, w.queue.Letters()}, Queue: w, Records: w, Policy: policy.Default(), Now: clock}
	return w
}

func (w *world) LoadMany(_ context.Context, ids []upload.ID) ([]upload.Record, error) {
	if w.unread != nil {
		return nil, w.unread
	}
	out := make([]upload.Record, len(ids))
	for i, id := range ids {
		out[i] = w.records[id]
	}
	return out, nil
}

func (w *world) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	accepted := make([]bool, len(commands))
	if w.sendFails != nil {
		return accepted, w.sendFails
	}
	var err error
	for i, c := range commands {
		if w.refused[c.ID.Upload] {
			err = fmt.Errorf("upload %s: %w", c.ID.Upload, upload.ErrThrottled)
			continue
		}
		if _, err := w.queue.Send(ctx, []upload.Command{c}); err != nil {
			return accepted, err
		}
		accepted[i] = true
	}
	return accepted, err
}

type letters struct {
	w *world
	*memory.Letters
}

func (l letters) Receive(ctx context.Context, most int, wait, hide time.Duration) ([]command.Letter, error) {
	got, err := l.Letters.Receive(ctx, most, wait, hide)
	if l.w.receiving != nil {
		l.w.receiving(got)
	}
	return got, err
}

func (l letters) Discard(ctx context.Context, receipt string) error {
	if l.w.discarding != nil {
		if err := l.w.discarding(receipt); err != nil {
			return err
		}
	}
	return l.Letters.Discard(ctx, receipt)
}

// cancelled is an upload that a command about it may delete.
func (w *world) cancelled(name string) upload.Record {
	r := upload.Record{
		ID: upload.ID{Tenant: "acme", Upload: name}, Schema: upload.Schema, State: upload.StateCancelled, Version: 7,
		DueAt: w.now.Add(-time.Hour), Bucket: "uploads", Prefix: "in",
	}
	w.records[r.ID] = r
	return r
}

// about is a command about an upload of acme, as a pass sends it.
func (w *world) about(name string) upload.Command {
	return upload.Command{
		Run: "passes@2026-11-30T11:00:00.000Z", Operation: upload.OpClaim, ID: upload.ID{Tenant: "acme", Upload: name},
		Version: 7, Cutoff: w.now.Add(-10 * time.Minute), Reason: "cancelled",
	}
}

// dies puts a message about the upload among the dead letters, as a worker does.
func (w *world) dies(t *testing.T, c upload.Command) {
	t.Helper()
	body, err := command.Encode(c)
	must(t, err)
	must(t, w.queue.DeadLetter(t.Context(), command.Received{MessageID: "m", Body: string(body), Receives: 1}, "no such upload of this tenant"))
}

func (w *world) die(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		name := fmt.Sprintf("u-%d", i+1)
		w.cancelled(name)
		w.dies(t, w.about(name))
	}
}

// dead are the uploads with a letter that anybody could receive now.
func (w *world) dead(t *testing.T) []string {
	t.Helper()
	var receipts, names []string
	for {
		got, err := w.queue.Letters().Receive(t.Context(), 10, 0, time.Hour)
		must(t, err)
		if len(got) == 0 {
			break
		}
		for _, l := range got {
			receipts = append(receipts, l.Receipt)
			names = append(names, nameOf(l.Body))
		}
	}
	must(t, w.queue.Letters().GiveBack(t.Context(), receipts))
	slices.Sort(names)
	return names
}

// queued are the uploads with a message in the queue.
func (w *world) queued(t *testing.T) []string {
	t.Helper()
	var names []string
	for {
		got, err := w.queue.Receive(t.Context(), 10, 0)
		must(t, err)
		if len(got) == 0 {
			slices.Sort(names)
			return names
		}
		for _, m := range got {
			names = append(names, nameOf(m.Body))
			must(t, w.queue.Acknowledge(t.Context(), m.Receipt))
		}
	}
}

func nameOf(body string) string {
	c, err := command.Decode([]byte(body))
	if err != nil {
		return body
	}
	return c.ID.Upload
}

func all(command.Letter) bool { return true }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantNames(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
