package telemetry

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

func plain(v map[Name]float64) Values { return Values{Plain: v} }

func TestALineIsInTheEmbeddedMetricFormat(t *testing.T) {
	var out bytes.Buffer
	at := time.Date(2026, 11, 30, 12, 15, 0, 0, time.UTC)
	if err := To(&out, "acme-ledger").Put(at, plain(map[Name]float64{Parked: 2, BacklogAge: 90})); err != nil {
		t.Fatal(err)
	}
	want := `{"BacklogAge":90,"Ledger":"acme-ledger","Parked":2,"_aws":{"Timestamp":1796040900000,"CloudWatchMetrics":` +
		`[{"Namespace":"Strandline","Dimensions":[["Ledger"]],"Metrics":` +
		`[{"Name":"BacklogAge","Unit":"Seconds"},{"Name":"Parked","Unit":"Count"}]}]}}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

func TestEachReasonHasALineOfItsOwn(t *testing.T) {
	var out bytes.Buffer
	var v Values
	v.Count(Skipped, "parked", 2)
	v.Count(Skipped, ReasonOf("nobody has heard of it"), 1)
	v.Count(Skipped, "parked", 1)
	if err := To(&out, "acme-ledger").Put(time.UnixMilli(5).UTC(), v); err != nil {
		t.Fatal(err)
	}
	line := func(reason string, n int) string {
		return `{"Ledger":"acme-ledger","Reason":"` + reason + `","Skipped":` + strconv.Itoa(n) + `,"_aws":{"Timestamp":5,"CloudWatchMetrics":` +
			`[{"Namespace":"Strandline","Dimensions":[["Ledger","Reason"]],"Metrics":[{"Name":"Skipped","Unit":"Count"}]}]}}` + "\n"
	}
	if want := line("other", 1) + line("parked", 3); out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

// Each value of a dimension is a metric of its own, and is billed: a reason with
// an id in it would make one for every upload.
func TestWhatIsNotInAListIsRefusedAndNothingIsWritten(t *testing.T) {
	byReason := func(name Name, r Reason) Values {
		v := Values{Plain: map[Name]float64{Parked: 1}}
		v.Count(name, r, 1)
		return v
	}
	for what, v := range map[string]Values{
		"a reason":                        byReason(Skipped, "claim u-1842"),
		"a metric":                        byReason("Skipt", "parked"),
		"a reason of a plain metric":      byReason(Stuck, "parked"),
		"no reason, where there must be":  plain(map[Name]float64{Skipped: 1}),
		"an empty reason is not a reason": byReason(Skipped, ""),
	} {
		var out bytes.Buffer
		if err := To(&out, "acme-ledger").Put(time.Unix(0, 0), v); err == nil || out.Len() > 0 {
			t.Errorf("%s: error %v, wrote %q", what, err, out.String())
		}
	}
}

// A number that nobody lists has no alarm and no line in the document: it would
// be paid for and never seen.
func TestAMetricThatIsNotListedIsRefused(t *testing.T) {
	var out bytes.Buffer
	err := To(&out, "acme-ledger").Put(time.Unix(0, 0), plain(map[Name]float64{"Parkd": 1, Parked: 1}))
	if err == nil || out.Len() > 0 {
		t.Errorf("error %v, wrote %q", err, out.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	if err := To(broken{}, "acme-ledger").Put(time.Unix(0, 0), plain(map[Name]float64{Parked: 1})); err == nil {
		t.Error("no error")
	}
}

func TestWithoutASinkNothingIsWritten(t *testing.T) {
	var none *Sink
	if err := none.Put(time.Unix(0, 0), plain(map[Name]float64{Parked: 1})); err != nil {
		t.Error(err)
	}
}

func TestTheDocumentListsExactlyTheseMetrics(t *testing.T) {
	var want []string
	for _, m := range List() {
		unit := string(m.Unit)
		if m.ByReason {
			unit += ", by reason"
		}
		want = append(want, "| `"+string(m.Name)+"` | "+unit+" | "+m.Function+" | "+m.Means+" |")
	}
	isTable(t, "# Metrics", want)
}

func TestTheDocumentListsExactlyTheseReasons(t *testing.T) {
	var want []string
	for _, r := range Reasons() {
		want = append(want, "| `"+string(r)+"` |")
	}
	isTable(t, "## Reasons", want)
}

func TestTheDocumentListsExactlyTheseFields(t *testing.T) {
	var want []string
	for _, f := range Fields() {
		want = append(want, "| `"+f.Name+"` | "+f.Means+" |")
	}
	isTable(t, "## Logs", want)
}

func TestTheDocumentListsExactlyTheFieldsOfAnAuditLine(t *testing.T) {
	var want []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[audit.Line]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want = append(want, "| `"+name+"` |")
	}
	isTable(t, "## Audit trail", want)
}

// Who looks for a decision in the trail looks for its word in the document.
func TestTheDocumentNamesEveryDecisionAndNoOther(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(text), "\n| `what` | ")
	row, _, _ = strings.Cut(row, "\n")
	var got []string
	for i, word := range strings.Split(row, "`") {
		if i%2 == 1 {
			got = append(got, word)
		}
	}
	var want []string
	for _, k := range upload.Kinds() { // those that cleanup, reconciliation and operators apply
		if !slices.Contains(ofApplications, k) {
			want = append(want, string(k))
		}
	}
	want = append(want, audit.Decisions()...)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the document has %q, want %q", got, want)
	}
}

// ofApplications are the events that are applied for an application alone: by
// shared/intake, and by the relay for a row of its own.
var ofApplications = []upload.Kind{
	upload.KindReserve, upload.KindAcquire, upload.KindRenew, upload.KindHeartbeat, upload.KindDeclare, upload.KindRecordObject,
	upload.KindBeginAssembly, upload.KindRelease, upload.KindDropReference,
}

// isTable compares the first table below a heading of the document with rows,
// as far as those go.
func isTable(t *testing.T, heading string, want []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, _ := strings.Cut("\n"+string(text), "\n"+heading+"\n")
	var rows []string
	for line := range strings.Lines(below) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") && len(rows) > 0 {
			break
		}
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, line)
		}
	}
	for i := range max(len(rows), len(want)) {
		switch {
		case i >= len(rows):
			t.Errorf("under %q the document lacks %s", heading, want[i])
		case i >= len(want) || !strings.HasPrefix(rows[i], want[i]):
			t.Errorf("under %q, row %d of the document is\n%s\nexpected\n%s", heading, i+1, rows[i], append(want, "none")[min(i, len(want))])
			return
		}
	}
}
