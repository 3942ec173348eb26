package explanation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

const bucket = "uploads-eu"

// scene is an installation in memory that deletes, on a clock that stands
// still until it is told.
type scene struct {
	t      *testing.T
	now    time.Time
	ledger *ledgers.Store
	gate   *gates.Gate
	policy policy.Policy
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), ledger: ledgers.New(), policy: policy.Default()}
	s.gate = gates.New(s.clock)
	s.must(s.gate.SetMode(t.Context(), gate.Delete))
	return s
}

func (s *scene) clock() time.Time { return s.now }

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) later(d time.Duration) { s.now = s.now.Add(d) }

func (s *scene) sources() Sources {
	return Sources{Ledger: s.ledger, Gate: s.gate, Policy: s.policy, Now: s.clock}
}

// do applies events, each now, and returns the record.
func (s *scene) do(id upload.ID, events ...upload.Event) upload.Record {
	s.t.Helper()
	r, err := s.ledger.Load(s.t.Context(), id)
	s.must(err)
	for _, e := range events {
		change, err := upload.Step(s.policy, r, e, s.now)
		s.must(err)
		s.must(s.ledger.Commit(s.t.Context(), change))
		r = change.After
	}
	return r
}

// begun is 2026-11-30 12:00 UTC, as a UUID of version 7 begins.
var begun = fmt.Sprintf("%012x", time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())

func named(n int) upload.ID {
	return upload.ID{Tenant: "acme", Upload: fmt.Sprintf("%s-%s-7000-8000-%012d", begun[:8], begun[8:], n)}
}

// reserve begins an upload of three keys, the first of which is recorded.
func (s *scene) reserve(with ...func(*upload.Reserve)) upload.ID {
	s.t.Helper()
	e := upload.Reserve{
		ID: named(1), Owner: "alice", QuotaLimit: 10, Holder: "writer-1", Lease: 10 * time.Minute,
		Bucket: bucket, Prefix: "up", Declared: 3,
	}
	for _, change := range with {
		change(&e)
	}
	s.do(e.ID, e, upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v-1", Size: 1_200_000, ETag: "e"})
	return e.ID
}

func held(until time.Time) func(*upload.Reserve) {
	return func(e *upload.Reserve) { e.HoldUntil = until }
}

func (s *scene) explain(id upload.ID) Facts {
	s.t.Helper()
	f, err := s.sources().Gather(s.t.Context(), id)
	s.must(err)
	return f
}

func (s *scene) text(id upload.ID) string {
	s.t.Helper()
	var out strings.Builder
	s.must(s.explain(id).Text(&out, 20))
	return out.String()
}

// shows compares with the file of that name, which a person has read.
func shows(t *testing.T, name, got string) {
	t.Helper()
	golden.Compare(t, strings.NewReplacer(", ", "_", " ", "_").Replace(name)+".txt", got)
}

func (s *scene) document(id upload.ID) map[string]any {
	s.t.Helper()
	var out strings.Builder
	s.must(s.explain(id).JSON(&out, 20))
	var page map[string]any
	s.must(json.Unmarshal([]byte(out.String()), &page))
	return page
}
