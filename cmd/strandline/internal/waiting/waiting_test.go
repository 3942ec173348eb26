package waiting

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/explanation"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

var update = flag.Bool("update", false, "write the golden files anew")

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

// golden compares with a file that a person has read. -update writes it anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is another (-want +got):\n%s", name, diff)
	}
	if strings.Contains(got, "secret-prefix") {
		t.Error("the name of an object is shown")
	}
}

func TestStuckUploadsAreListedWithWhatHelps(t *testing.T) {
	d := newDesk(t)
	found, err := d.Stuck(t.Context())
	if err != nil || found != 0 || d.out.String() != "nothing is stuck\n" {
		t.Fatalf("%d, %v:\n%s", found, err, d.out.String())
	}
	d.out.Reset()
	d.assembling("acme")
	d.assembling("umbrella corp")
	d.now = d.now.Add(60 * time.Hour)
	d.reserved("acme")
	d.now = d.now.Add(time.Hour)
	d.reserved("acme")
	d.now = d.now.Add(-time.Hour)
	found, err = d.Stuck(t.Context())
	if err != nil || found != 3 {
		t.Fatalf("%d, %v", found, err)
	}
	golden(t, "stuck", d.out.String())
	d.out.Reset()
	d.Tenant, d.JSON = "acme", true
	found, err = d.Stuck(t.Context())
	if lines := strings.Split(strings.TrimSpace(d.out.String()), "\n"); err != nil || found != 2 || len(lines) != 2 {
		t.Errorf("of one tenant: %d, %v:\n%s", found, err, d.out.String())
	}
	var page map[string]any
	d.must(json.Unmarshal([]byte(strings.SplitN(d.out.String(), "\n", 2)[0]), &page))
	if page["tenant"] != "acme" || page["bucket"] != "uploads-eu" {
		t.Errorf("%v", page)
	}
}

func TestParkedPurgesAreListedWithTheirLastFailure(t *testing.T) {
	d := newDesk(t)
	found, err := d.Parked(t.Context())
	if err != nil || found != 0 || d.out.String() != "nothing is parked\n" {
		t.Fatalf("%d, %v:\n%s", found, err, d.out.String())
	}
	d.out.Reset()
	d.parked("acme", "delete: access denied")
	d.parked("acme", "list: a failure that is told in very many words\nand in more than one line of them")
	d.reserved("acme")
	d.now = d.now.Add(72 * time.Hour)
	found, err = d.Parked(t.Context())
	if err != nil || found != 2 {
		t.Fatalf("%d, %v", found, err)
	}
	golden(t, "parked", d.out.String())
}

// What a person sees when a parked purge is let go on: what it is, the question,
// what comes next and what is in its way.
func TestAParkedPurgeIsShownAskedAboutAndLetGoOn(t *testing.T) {
	d := newDesk(t)
	id := d.parked("acme", "delete: access denied")
	d.now = d.now.Add(72 * time.Hour)
	d.must(d.Retry(t.Context(), id))
	golden(t, "retry", d.out.String())
	r := d.record(id)
	if !r.ParkedAt.IsZero() || r.Attempts != 0 || !r.DueAt.Equal(d.now) {
		t.Errorf("%+v", r)
	}
	want := audit.Line{
		Schema: audit.Schema, At: d.now, Who: "ann", What: "unpark", Why: "mended", Tenant: "acme", Upload: id.Upload,
		Version: r.Version, Fence: r.Fence, Before: "deleting", After: "deleting",
	}
	if diff := cmp.Diff([]audit.Line{want}, d.trail); diff != "" {
		t.Errorf("audit trail (-want +got):\n%s", diff)
	}
	err := d.Retry(t.Context(), id)
	if err == nil || !strings.Contains(err.Error(), "is not parked: it is deleting") || len(d.asked) != 1 {
		t.Errorf("once more: %v, asked %q", err, d.asked)
	}
}

func TestAllThatIsParkedIsShownByFailureAskedAboutAndLetGoOn(t *testing.T) {
	d := newDesk(t)
	first := []upload.ID{d.parked("acme", "delete: access denied"), d.parked("acme", "delete: access denied"), d.parked("rival", "list: unclear")}
	d.now = d.now.Add(72 * time.Hour)
	var late upload.ID
	d.meanwhile = func() { d.now = d.now.Add(time.Second); late = d.parked("acme", "late") }
	d.must(d.RetryAll(t.Context()))
	golden(t, "retry-all", d.out.String())
	for _, id := range first {
		if r := d.record(id); !r.ParkedAt.IsZero() {
			t.Errorf("%s is parked still", id)
		}
	}
	// Nobody was shown what was parked meanwhile, and nobody said yes to it.
	if r := d.record(late); r.ParkedAt.IsZero() {
		t.Errorf("%s, parked while the person was asked, was let go on", late)
	}
	if len(d.trail) != 3 {
		t.Errorf("%d lines in the audit trail", len(d.trail))
	}
}

func TestOnlyTheNamedTenantsPurgesAreLetGoOn(t *testing.T) {
	d := newDesk(t)
	ours, theirs := d.parked("acme", "x"), d.parked("rival", "x")
	d.Tenant, d.JSON, d.Ask = "acme", true, nil
	d.must(d.RetryAll(t.Context()))
	if !d.record(ours).ParkedAt.IsZero() || d.record(theirs).ParkedAt.IsZero() {
		t.Error("another tenant's was taken, or the named one's was not")
	}
	var page map[string]any
	d.must(json.Unmarshal([]byte(d.out.String()), &page))
	if page["outcome"] != "retried" || page["upload"] != ours.Upload {
		t.Errorf("%v", page)
	}
}

// Whatever is asked for by mistake must still be there after a "no".
func TestWhoDoesNotSayYesLetsNothingGoOn(t *testing.T) {
	nobody := errors.New("nobody there")
	for _, c := range []struct {
		yes  bool
		err  error
		want error
	}{{false, nil, errDeclined}, {true, nobody, nobody}} {
		d := newDesk(t)
		id := d.parked("acme", "x")
		before := d.record(id)
		d.Ask = d.answer(c.yes, c.err)
		for _, err := range []error{d.Retry(t.Context(), id), d.RetryAll(t.Context())} {
			if !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		}
		if r := d.record(id); r.Version != before.Version || len(d.trail) != 0 {
			t.Errorf("it was changed: version %d, %d lines in the trail", r.Version, len(d.trail))
		}
	}
}

func TestWhatIsNotParkedIsRefusedBeforeAnybodyIsAsked(t *testing.T) {
	d := newDesk(t)
	id := d.reserved("acme")
	for _, c := range []struct {
		id   upload.ID
		says string
	}{
		{id, "is not parked: it is receiving"},
		{upload.ID{Tenant: "rival", Upload: id.Upload}, "tenant rival has no upload"},
		{upload.ID{Tenant: "acme"}, "upload id is empty"},
	} {
		if err := d.Retry(t.Context(), c.id); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.id, err)
		}
	}
	if len(d.asked) != 0 {
		t.Errorf("asked %q", d.asked)
	}
	d.must(d.RetryAll(t.Context()))
	if d.out.String() != "nothing is parked\n" || len(d.asked) != 0 {
		t.Errorf("%q", d.out.String())
	}
}

// Somebody else may be first, while the person thinks.
func TestAPurgeThatSomebodyElseLetGoOnIsNoFailure(t *testing.T) {
	d := newDesk(t)
	one, two := d.parked("acme", "x"), d.parked("acme", "x")
	d.meanwhile = func() { d.do(one, upload.Unpark{}) }
	d.must(d.Retry(t.Context(), one))
	if !strings.Contains(d.out.String(), one.Upload+"  not parked any more\n") || len(d.trail) != 0 {
		t.Errorf("%s\n%d lines in the trail", d.out.String(), len(d.trail))
	}
	d.meanwhile = nil
	d.must(d.RetryAll(t.Context()))
	if !d.record(two).ParkedAt.IsZero() {
		t.Error("the other one is parked still")
	}
}
