package reconcile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// The sample is one inventory in three formats, and its owner's key list; each
// verdict of it was written down by a person.

func openInventory(t testing.TB, manifestPath string) inventory.Reader {
	t.Helper()
	files, key, err := inventory.Local(manifestPath)
	if err != nil {
		t.Fatal(err)
	}
	r, err := inventory.Open(t.Context(), files, key, inventory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func openLists(t testing.TB, folder string, names ...string) manifest.Reader {
	t.Helper()
	var lists []manifest.List
	for _, name := range names {
		lists = append(lists, manifest.List{Files: inventory.Dir(folder), Name: name, Local: true})
	}
	r, err := manifest.OpenLists(t.Context(), lists)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sampleInventory(format inventory.Format) string {
	return filepath.Join("..", "inventory", "testdata", "sample", strings.ToLower(string(format)), "inv", "uploads-eu", "daily", "2026-11-28T01-00Z", "manifest.json")
}

type expectation struct {
	Created    time.Time         `json:"inventory_created"`
	ManifestAt time.Time         `json:"manifest_snapshot"`
	Rows       int64             `json:"rows"`
	Duplicates int64             `json:"duplicates"`
	Counts     map[Verdict]int64 `json:"counts"`
	Verdicts   []expected        `json:"verdicts"`
}

// expected is one line, in what the sample says of it.
type expected struct {
	Verdict     Verdict `json:"verdict"`
	Key         string  `json:"key"`
	VersionID   string  `json:"version_id"`
	KeyKnown    *bool   `json:"key_known"`
	NullVersion bool    `json:"null_version"`
}

func (e expected) String() string {
	text, _ := json.Marshal(e)
	return string(text)
}

func asExpected(findings []Finding) (all []string) {
	for _, f := range findings {
		e := expected{Verdict: f.Verdict, Key: f.Key, VersionID: f.VersionID, NullVersion: f.NullVersion}
		if f.Verdict == Orphan {
			e.KeyKnown = &f.KeyKnown
		}
		all = append(all, e.String())
	}
	slices.Sort(all)
	return all
}

func readExpectation(t testing.TB) (e expectation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "sample", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// compareReaders returns what comes to the sink.
func compareReaders(t testing.TB, inv inventory.Reader, own manifest.Reader, o Options) ([]Finding, Summary, error) {
	t.Helper()
	o.TempDir = t.TempDir()
	var findings []Finding
	summary, err := Compare(t.Context(), inv, own, o, func(f Finding) error {
		findings = append(findings, f)
		return nil
	})
	return findings, summary, err
}

func TestTheSampleIsJudgedRowByRowInEveryFormat(t *testing.T) {
	want := readExpectation(t)
	var lines, findings []string
	for _, e := range want.Verdicts {
		lines = append(lines, e.String())
		if e.Verdict.Finding() {
			findings = append(findings, e.String())
		}
	}
	slices.Sort(lines)
	slices.Sort(findings)
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet, inventory.ORC} {
		t.Run(string(format), func(t *testing.T) {
			inv := openInventory(t, sampleInventory(format))
			own := openLists(t, filepath.Join("testdata", "sample"), "manifest.jsonl")
			o := testOptions()
			o.ManifestAt, o.Against, o.All = want.ManifestAt, want.ManifestAt, true
			got, summary, err := compareReaders(t, inv, own, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(lines, asExpected(got)); diff != "" {
				t.Errorf("all lines:\n%s", diff)
			}
			if summary.Rows != want.Rows || summary.Duplicates != want.Duplicates || !summary.Created.Equal(want.Created) {
				t.Errorf("%d rows, %d duplicates, began %v; want %d, %d, %v", summary.Rows, summary.Duplicates, summary.Created, want.Rows, want.Duplicates, want.Created)
			}
			counts := map[Verdict]int64{}
			for v, n := range summary.Counts {
				counts[v] = n.Count
			}
			if diff := cmp.Diff(want.Counts, counts); diff != "" {
				t.Errorf("counts:\n%s", diff)
			}
			o.All = false
			got, again, err := compareReaders(t, inv, own, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(findings, asExpected(got)); diff != "" {
				t.Errorf("findings:\n%s", diff)
			}
			again.TempBytes, summary.TempBytes = 0, 0
			if diff := cmp.Diff(summary, again); diff != "" {
				t.Errorf("the summary depends on which lines are asked for:\n%s", diff)
			}
		})
	}
}
