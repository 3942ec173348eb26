package waiting

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/explanation"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// desk is an installation in memory with a clerk before it, on a clock that
// stands still until it is told.
type desk struct {
	Clerk
	t      *testing.T
	now    time.Time
	ledger *ledgers.Store
	out    strings.Builder
	asked  []string
	trail  []audit.Line
	made   int
	// meanwhile happens while the person thinks.
	meanwhile func()
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), ledger: ledgers.New()}
	clock := func() time.Time { return d.now }
	switches := gates.New(clock)
	d.must(switches.SetMode(t.Context(), gate.Delete))
	p := policy.Default()
	d.Clerk = Clerk{
		Office: Office{
			Ledger: d.ledger, Policy: p, Now: clock, Out: &d.out,
			Progress: func(string, int64) {}, Clear: func() {},
		},
		Around: explanation.Sources{Ledger: d.ledger, Gate: switches, Policy: p, Now: clock},
		Who:    "ann", Why: "mended", Ask: d.answer(true, nil),
		Audit: func(_ context.Context, l audit.Line) { d.trail = append(d.trail, l) },
	}
	return d
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) answer(yes bool, err error) func(string) (bool, error) {
	return func(question string) (bool, error) {
		d.asked = append(d.asked, question)
		fmt.Fprintf(&d.out, "%s [y/N] %v\n", question, yes)
		if d.meanwhile != nil {
			d.meanwhile()
		}
		return yes, err
	}
}

func (d *desk) record(id upload.ID) upload.Record {
	d.t.Helper()
	r, err := d.ledger.Load(d.t.Context(), id)
	d.must(err)
	return r
}

func (d *desk) do(id upload.ID, events ...upload.Event) upload.Record {
	d.t.Helper()
	r := d.record(id)
	for _, e := range events {
		change, err := upload.Step(d.Policy, r, e, d.now)
		d.must(err)
		d.must(d.ledger.Commit(d.t.Context(), change))
		r = change.After
	}
	return r
}

func (d *desk) reserved(tenant string) upload.ID {
	d.t.Helper()
	d.made++
	id := upload.ID{Tenant: tenant, Upload: fmt.Sprintf("u-%04d", d.made)}
	d.do(id, upload.Reserve{
		ID: id, Owner: "alice", Holder: "writer-1", Lease: time.Minute, Bucket: "uploads-eu", Prefix: "secret-prefix", Declared: 3,
	}, upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v-1", Size: 1_200_000})
	return id
}

func (d *desk) assembling(tenant string) upload.ID {
	d.t.Helper()
	id := d.reserved(tenant)
	d.do(id, upload.BeginAssembly{Fence: 1})
	return id
}

// parked lets a purge fail until its attempts are used up.
func (d *desk) parked(tenant, failure string) upload.ID {
	d.t.Helper()
	id := d.reserved(tenant)
	due := d.do(id, upload.Cancel{Fence: 1}).DueAt
	d.now = due.Add(time.Hour)
	r := d.record(id)
	r = d.do(id, upload.Claim{Version: r.Version, Cutoff: d.now.Add(-d.Policy.SafetyMargin), Worker: "w", Token: "t-0"})
	for r.ParkedAt.IsZero() {
		r = d.do(id, upload.Retry{Fence: r.Fence, Error: failure})
		if r.ParkedAt.IsZero() {
			r = d.do(id, upload.Reclaim{Worker: "w", Token: fmt.Sprintf("t-%d", r.Attempts)})
		}
	}
	return id
}

// shows compares with a file that a person has read, which has no object's name.
func shows(t *testing.T, name, got string) {
	t.Helper()
	golden.Compare(t, name+".txt", got)
	if strings.Contains(got, "secret-prefix") {
		t.Error("the name of an object is shown")
	}
}
