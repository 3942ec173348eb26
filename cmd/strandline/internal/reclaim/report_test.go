package reclaim_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/reclaim"
	"github.com/strandline-dev/strandline/shared/source"
)

// sick has one source of each verdict.
func sick() reclaim.Facts {
	f := healthy()
	fragile := f.Sources[0]
	fragile.Name, fragile.Index = "avatars", nil
	fragile.Sample = checkup.Saw(reclaim.Sample{Rows: 200, Named: 190, Unreadable: map[string]int{"tenant: the row has none": 10}})
	fragile.Orphans = denied[reclaim.Orphans]()
	f.Waiting = checkup.Saw(reclaim.Waiting{"avatars": {Count: 3, Oldest: now.Add(-40 * time.Hour), Parked: 1}})
	f.Dead = checkup.Saw(reclaim.Dead{BySource: map[string]int64{"avatars": 2}})
	orphaned := f.Sources[0]
	orphaned.Name, orphaned.Table = "pages", "shop-pages"
	orphaned.Stream.Got.View = ""
	f.Sources = append(f.Sources, fragile, orphaned)
	f.Relay.Got.Sources = append([]source.Source{fragile.Source}, f.Relay.Got.Sources...)
	return f
}

// What a person reads is in testdata, to be looked at. -update writes it anew.
func TestTheReportAsAPersonReadsIt(t *testing.T) {
	for file, f := range map[string]reclaim.Facts{"healthy.txt": healthy(), "sick.txt": sick()} {
		var got bytes.Buffer
		if err := reclaim.ReportOf(f).Text(&got); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, file, got.String())
	}
}

func TestTheReportAsAProgramReadsIt(t *testing.T) {
	var out bytes.Buffer
	if err := reclaim.ReportOf(sick()).JSON(&out); err != nil {
		t.Fatal(err)
	}
	var got reclaim.Report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]reclaim.Verdict{}
	for _, s := range got.Sources {
		verdicts[s.Name] = s.Verdict
	}
	if len(verdicts) != 4 || verdicts["avatars"] != reclaim.Fragile || verdicts["pages"] != reclaim.Orphaned || got.Reclaimed() {
		t.Errorf("verdicts are %v", verdicts)
	}
	if bytes.Count(out.Bytes(), []byte("\n")) != 1 || !reclaim.ReportOf(healthy()).Reclaimed() {
		t.Errorf("not one document: %s", out.Bytes())
	}
}
