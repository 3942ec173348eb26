package waiting

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

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
	shows(t, "stuck", d.out.String())
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
	shows(t, "parked", d.out.String())
}

// What a person sees when a parked purge is let go on: what it is, the question,
// what comes next and what is in its way.
func TestAParkedPurgeIsShownAskedAboutAndLetGoOn(t *testing.T) {
	d := newDesk(t)
	id := d.parked("acme", "delete: access denied")
	d.now = d.now.Add(72 * time.Hour)
	d.must(d.Retry(t.Context(), id))
	shows(t, "retry", d.out.String())
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
	shows(t, "retry-all", d.out.String())
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
	}{{false, nil, consent.ErrDeclined}, {true, nobody, nobody}} {
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
