package checkup_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/gate"
)

// sick is an installation with a little of everything.
func sick() checkup.Facts {
	f := healthy()
	f.Gate.Got = gate.State{}
	f.Buckets[0].Versioning.Got.Status = "Suspended"
	f.Buckets[0].Lock = checkup.Look[checkup.Lock]{Failed: checkup.Failure{Kind: checkup.Denied, Says: "denied: S3 GetObjectLockConfiguration: AccessDenied: status 403"}}
	schedule(&f, "census").Look = absent[checkup.Timer]()
	return f
}

// What a person reads is in testdata, to be looked at. -update writes it anew.
func TestTheReportAsAPersonReadsIt(t *testing.T) {
	for file, f := range map[string]checkup.Facts{"healthy.txt": healthy(), "sick.txt": sick()} {
		var got bytes.Buffer
		if err := checkup.ReportOf(f).Text(&got); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, file, got.String())
	}
}

// A heading with nothing below it would read as if all were in order.
func TestAReportInWhichNothingIsInOrderDoesNotSayThatAnythingIs(t *testing.T) {
	report := checkup.ReportOf(checkup.Facts{})
	report.Checks = slices.DeleteFunc(report.Checks, func(r checkup.Result) bool { return r.Level == checkup.OK })
	var got bytes.Buffer
	if err := report.Text(&got); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.String(), "in order") || !strings.HasSuffix(got.String(), " findings\n") {
		t.Errorf("it says\n%s", got.String())
	}
}

func TestTheReportAsAProgramReadsIt(t *testing.T) {
	var out bytes.Buffer
	if err := checkup.ReportOf(sick()).JSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Table    string              `json:"table"`
		Findings int                 `json:"findings"`
		Checks   []map[string]string `json:"checks"`
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range got.Checks {
		if c["fix"] != "" {
			n++
		}
	}
	if got.Table != "acme-ledger" || got.Findings != 3 || n != 3 || bytes.Count(out.Bytes(), []byte("\n")) != 1 {
		t.Errorf("%d findings, %d fixes: %s", got.Findings, n, out.Bytes())
	}
}
