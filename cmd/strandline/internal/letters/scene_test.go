package letters

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// scene is two queues of dead letters in memory, and a clerk over them.
type scene struct {
	Clerk
	now           time.Time
	queue, events *memory.Queue
	records       records
	out, notes    *strings.Builder
	asked         []string
	trail         []audit.Line
}

type records map[upload.ID]upload.Record

func (r records) LoadMany(_ context.Context, ids []upload.ID) (all []upload.Record, err error) {
	for _, id := range ids {
		all = append(all, r[id])
	}
	return all, nil
}

func newScene() *scene {
	s := &scene{
		now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), records: records{}, out: &strings.Builder{}, notes: &strings.Builder{},
	}
	clock := func() time.Time { return s.now }
	s.queue, s.events = memory.New(clock, 15*time.Minute), memory.New(clock, 15*time.Minute)
	s.Clerk = Clerk{
		Office: Office{
			Now: clock, Out: s.out, Notes: s.notes,
			Boxes: []Box{
				{Name: Purge, Desk: deadletter.Desk{Letters: s.queue.Letters(), Queue: s.queue, Records: s.records, Policy: policy.Default(), Now: clock}},
				{Name: Events, Desk: deadletter.Desk{Letters: s.events.Letters(), Policy: policy.Default(), Now: clock}},
			},
		},
		Ask:   s.answer(true, nil),
		Who:   "ann",
		Audit: func(_ context.Context, l audit.Line) { s.trail = append(s.trail, l) },
	}
	return s
}

func (s *scene) answer(yes bool, err error) func(string) (bool, error) {
	return func(question string) (bool, error) {
		s.asked = append(s.asked, question)
		fmt.Fprintf(s.out, "%s [y/N] \n", question)
		return yes, err
	}
}

// dies puts a message about the upload among the dead letters.
func (s *scene) dies(t *testing.T, name, reason string) {
	t.Helper()
	body, err := command.Encode(upload.Command{
		Run: "every-15m@2026-11-30T08:15:00.000Z", Operation: upload.OpClaim, ID: upload.ID{Tenant: "acme", Upload: name},
		Version: 7, Cutoff: s.now.Add(-10 * time.Minute), Reason: "cancelled",
	})
	must(t, err)
	must(t, s.queue.DeadLetter(t.Context(), command.Received{MessageID: "original-" + name, Body: string(body), Receives: 4}, reason))
}

func (s *scene) known(name string, change func(*upload.Record)) {
	r := upload.Record{
		ID: upload.ID{Tenant: "acme", Upload: name}, Schema: upload.Schema, State: upload.StateCancelled, Version: 7,
		DueAt: s.now.Add(-time.Hour), Bucket: "uploads", Prefix: "in",
	}
	change(&r)
	s.records[r.ID] = r
}

func parked(r *upload.Record) {
	r.State, r.ParkedAt = upload.StateDeleting, time.Date(2026, 11, 30, 8, 30, 0, 0, time.UTC)
}

func asItIs(*upload.Record) {}

// usual has one letter of each sort: redrivable (m-1), parked (m-2), no command
// (m-3), moved by the queue (m-5), a trigger (m-1 of the other queue).
func usual(t *testing.T) *scene {
	s := newScene()
	s.known("u-1", asItIs)
	s.dies(t, "u-1", "no such upload of this tenant")
	s.known("u-2", parked)
	s.dies(t, "u-2", "attempts used up: delete: access denied (AccessDenied)")
	must(t, s.queue.DeadLetter(t.Context(), command.Received{MessageID: "x", Body: "not JSON \x1b[31m", Receives: 1},
		"command rejected: message is not a JSON object, and this goes on for longer than a row is wide"))
	elsewhere := upload.ID{Tenant: "Küche 1", Upload: "u-5"}
	s.known("u-5", func(r *upload.Record) { r.ID, r.Version = elsewhere, 9 })
	s.queue.MoveAfter(1)
	body, err := command.Encode(upload.Command{
		Run: "r", Operation: upload.OpClaim, ID: elsewhere, Version: 7, Cutoff: s.now.Add(-time.Hour),
	})
	must(t, err)
	s.queue.Put(string(body))
	_, err = s.queue.Receive(t.Context(), 1, 0)
	must(t, err)
	s.now = s.now.Add(3 * time.Hour)
	_, err = s.queue.Receive(t.Context(), 1, 0)
	must(t, err)
	s.events.Letters().Put(`{"task":"pass","schedule":"every-15m","time":"2026-11-30T11:45:00Z"}`)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("it writes\n%s\nexpected\n%s", got, want)
	}
}
