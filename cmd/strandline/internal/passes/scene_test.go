package passes

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	queues "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// scene is an installation in memory on a clock that stands still, and a person
// at its desk.
type scene struct {
	t      *testing.T
	now    time.Time
	ledger *ledgers.Store
	gate   *gates.Gate
	queue  *queues.Queue
	clerk  Clerk
	out    strings.Builder
	answer bool
	nobody error
	asked  int
	made   int
	last   error
}

// newScene is an installation as it is deployed: in report-only, never counted.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), ledger: ledgers.New(), answer: true}
	clock := func() time.Time { return s.now }
	s.gate, s.queue = gates.New(clock), queues.New(clock, 12*time.Minute)
	s.clerk = Clerk{
		Office: Office{
			Pass: cleanup.Pass{
				Policy: policy.Default(), Candidates: s.ledger, Documents: s.ledger, Switch: s.gate, Queue: s.queue,
				Now: clock, Log: slog.New(slog.DiscardHandler),
			},
			Out: &s.out, Tenants: 2,
		},
		Who: "ann",
		Ask: func(question string) (bool, error) {
			s.asked++
			fmt.Fprintf(&s.out, "%s [y/N] %v\n", question, s.answer)
			return s.answer, s.nobody
		},
	}
	return s
}

// put makes an upload of so many objects and takes it through the events.
func (s *scene) put(tenant, bucket string, objects int, hold time.Duration, events ...upload.Event) upload.ID {
	s.t.Helper()
	s.made++
	id := upload.ID{Tenant: tenant, Upload: fmt.Sprintf("u-%04d", s.made)}
	reserve := upload.Reserve{
		ID: id, Owner: "owner", Holder: "writer", Lease: time.Minute, Deadline: time.Minute, Bucket: bucket, Declared: objects,
	}
	if hold > 0 {
		reserve.HoldUntil = s.now.Add(hold)
	}
	r := upload.Record{}
	for _, e := range append([]upload.Event{reserve}, events...) {
		change, err := upload.Step(s.clerk.Pass.Policy, r, e, s.now)
		must(s.t, err)
		must(s.t, s.ledger.Commit(s.t.Context(), change))
		r = change.After
	}
	return id
}

// cancelled are n uploads that were given up.
func (s *scene) cancelled(n int, tenant, bucket string, objects int) {
	s.t.Helper()
	for range n {
		s.put(tenant, bucket, objects, 0,
			upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v-1", Size: 5 << 20}, upload.Cancel{Fence: 1, Reason: "test"})
	}
}

// leftovers are uploads of every kind, due after a day.
func (s *scene) leftovers() {
	s.t.Helper()
	s.cancelled(12, "acme", "uploads-eu", 10)
	s.cancelled(3, "globex", "uploads-us", 4)
	s.cancelled(1, "initech", "uploads-eu", 1)
	s.put("acme", "uploads-eu", 7, 0)
	s.put("globex", "uploads-eu", 5, time.Hour)
	s.put("umbrella", "uploads-eu", 3, time.Hour)
	s.put("acme", "uploads-eu", 2, 0, upload.BeginAssembly{Fence: 1})
	s.now = s.now.Add(25 * time.Hour)
}

func (s *scene) recount() {
	s.t.Helper()
	_, err := cleanup.Census{Ledger: s.ledger, Now: s.clerk.Pass.Now, Log: s.clerk.Pass.Log}.Recount(s.t.Context())
	must(s.t, err)
}

func (s *scene) open() { s.t.Helper(); must(s.t, s.gate.SetMode(s.t.Context(), gate.Delete)) }

func (s *scene) queued() int64 {
	s.t.Helper()
	n, err := s.queue.Depth(s.t.Context())
	must(s.t, err)
	return n
}

// typed writes a command line and what it prints; last is how it ended. An
// error is a line, as the command shows it.
func (s *scene) typed(line string, do func() error) {
	fmt.Fprintf(&s.out, "$ strandline %s\n", line)
	s.last = do()
	if s.last != nil && !errors.Is(s.last, ErrNeedsAPerson) {
		fmt.Fprintln(&s.out, "strandline:", s.last)
	}
	fmt.Fprintln(&s.out)
}

// runs are all that are stored.
func (s *scene) runs() (all []cleanup.Report) {
	s.t.Helper()
	for r, err := range s.clerk.Pass.Runs(s.t.Context(), s.now.Add(-48*time.Hour)) {
		must(s.t, err)
		all = append(all, r)
	}
	return all
}
