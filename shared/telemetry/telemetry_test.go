package telemetry

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestALineIsInTheEmbeddedMetricFormat(t *testing.T) {
	var out bytes.Buffer
	at := time.Date(2026, 11, 30, 12, 15, 0, 0, time.UTC)
	if err := To(&out, "acme-ledger").Put(at, map[Name]float64{Parked: 2, BacklogAge: 90}); err != nil {
		t.Fatal(err)
	}
	want := `{"BacklogAge":90,"Ledger":"acme-ledger","Parked":2,"_aws":{"Timestamp":1796040900000,"CloudWatchMetrics":` +
		`[{"Namespace":"Strandline","Dimensions":[["Ledger"]],"Metrics":` +
		`[{"Name":"BacklogAge","Unit":"Seconds"},{"Name":"Parked","Unit":"Count"}]}]}}` + "\n"
	if out.String() != want {
		t.Errorf("got  %swant %s", out.String(), want)
	}
}

// A number that nobody lists has no alarm and no line in the document: it would
// be paid for and never seen.
func TestAMetricThatIsNotListedIsRefused(t *testing.T) {
	var out bytes.Buffer
	err := To(&out, "acme-ledger").Put(time.Unix(0, 0), map[Name]float64{"Parkd": 1, Parked: 1})
	if err == nil || out.Len() > 0 {
		t.Errorf("error %v, wrote %q", err, out.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	if err := To(broken{}, "acme-ledger").Put(time.Unix(0, 0), map[Name]float64{Parked: 1}); err == nil {
		t.Error("no error")
	}
}

func TestWithoutASinkNothingIsWritten(t *testing.T) {
	var none *Sink
	if err := none.Put(time.Unix(0, 0), map[Name]float64{Parked: 1}); err != nil {
		t.Error(err)
	}
}

func TestTheDocumentListsExactlyTheseMetrics(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	var want []string
	for _, m := range List() {
		want = append(want, "| `"+string(m.Name)+"` | "+string(m.Unit)+" | "+m.Function+" | "+m.Means+" |")
	}
	if got, want := strings.Join(rows, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("docs/metrics.md has\n%s\nwant\n%s", got, want)
	}
}
