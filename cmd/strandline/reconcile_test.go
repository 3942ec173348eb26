package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const keyList = "testdata/keys.jsonl"

// sample is the manifest of the sample's inventory in a format.
func sample(format string) string {
	return "../../shared/inventory/testdata/sample/" + format + "/inv/uploads-eu/daily/2026-11-28T01-00Z/manifest.json"
}

// reconciling is a command line that compares the sample.
func reconciling(format string, more ...string) []string {
	return append([]string{
		"reconcile", "--inventory", sample(format), "--manifest", keyList, "--manifest-time", "2026-11-29T12:00:00Z",
	}, more...)
}

// verdictLine is one verdict, as the sample's owner expects it.
type verdictLine struct {
	Verdict     string `json:"verdict"`
	Key         string `json:"key"`
	VersionID   string `json:"version_id"`
	KeyKnown    *bool  `json:"key_known"`
	NullVersion bool   `json:"null_version"`
}

func (v verdictLine) String() string {
	known := "-"
	if v.Verdict == "orphan" && v.KeyKnown != nil {
		known = fmt.Sprint(*v.KeyKnown)
	}
	null := v.NullVersion && v.Verdict == "orphan"
	return fmt.Sprintf("%s %q %s key known %s null %v", v.Verdict, v.Key, v.VersionID, known, null)
}

type expectation struct {
	Counts     map[string]int64 `json:"counts"`
	Rows       int64            `json:"rows"`
	Duplicates int64            `json:"duplicates"`
	Verdicts   []verdictLine    `json:"verdicts"`
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sortedLines(all []verdictLine) (lines []string) {
	for _, v := range all {
		lines = append(lines, v.String())
	}
	slices.Sort(lines)
	return lines
}

func readFindings(t *testing.T, path string) (all []verdictLine) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(readFile(t, path)))
	for lines.Scan() {
		var v verdictLine
		decode(t, lines.Bytes(), &v)
		all = append(all, v)
	}
	return all
}

func TestTheSampleGetsTheVerdictsThatItsOwnerExpectsRowByRowInAllFormats(t *testing.T) {
	var want expectation
	decode(t, readFile(t, "testdata/expected.json"), &want)
	for _, format := range []string{"csv", "parquet", "orc"} {
		t.Run(format, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "findings.jsonl")
			got := runLine(t.Context(), reconciling(format, "--findings", file, "--all", "--json")...)
			if got.code != exitFindings || got.errs != "" {
				t.Fatalf("exit %d, says %q", got.code, got.errs)
			}
			var summary expectation
			decode(t, []byte(got.out), &summary)
			if diff := cmp.Diff(want.Counts, summary.Counts); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if summary.Rows != want.Rows || summary.Duplicates != want.Duplicates {
				t.Errorf("%d rows, %d duplicates", summary.Rows, summary.Duplicates)
			}
			if diff := cmp.Diff(sortedLines(want.Verdicts), sortedLines(readFindings(t, file))); diff != "" {
				t.Errorf("verdicts (-want +got):\n%s", diff)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the findings' mode is %v, %v", info.Mode(), err)
			}
		})
	}
}

func TestWithoutAllOnlyFindingsAreWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "findings.jsonl")
	got := runLine(t.Context(), reconciling("csv", "--findings", file)...)
	if got.code != exitFindings || !strings.Contains(got.out, "19 lines in "+file) {
		t.Errorf("exit %d, says %q\n%s", got.code, got.errs, got.out)
	}
	for _, v := range readFindings(t, file) {
		switch v.Verdict {
		case "ok", "gone", "ignored", "marker", "too_fresh", "unsettled":
			t.Errorf("written: %v", v)
		}
	}
}

func TestAScopeWithoutAFindingIsClean(t *testing.T) {
	got := runLine(t.Context(), reconciling("parquet", "--prefix", "k/")...)
	if got.code != exitOK || !strings.Contains(got.out, "\nclean, in ") {
		t.Errorf("exit %d, says %q\n%s", got.code, got.errs, got.out)
	}
}

// What users have stored is told nobody but the reader of the findings file.
func TestNoKeyIsInTheSummary(t *testing.T) {
	for _, more := range [][]string{nil, {"--json"}} {
		got := runLine(t.Context(), reconciling("csv", more...)...)
		for _, v := range []string{"u-0040", "000060", "p/ux", "tenants/"} {
			if strings.Contains(got.out+got.errs, v) {
				t.Errorf("%v: %q is in\n%s%s", more, v, got.out, got.errs)
			}
		}
	}
}

// refusals are command lines that end with exit code 2, and what they say.
func refusals(t *testing.T) map[string][]string {
	empty, broken := filepath.Join(t.TempDir(), "empty.jsonl"), filepath.Join(t.TempDir(), "broken.jsonl")
	other := filepath.Join(t.TempDir(), "other.csv")
	for file, text := range map[string]string{
		empty:  "",
		broken: `{"bucket":"uploads-eu","key":"secret/name"}` + "\n" + `{"bucket":"uploads-eu","key":"secret/name","size":"many"}` + "\n",
		other:  "bucket,key\nanother,secret/name\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	with := func(flag, value string) []string {
		args := reconciling("csv")
		args[slices.Index(args, flag)+1] = value
		return args
	}
	return map[string][]string{
		"--inventory is not given":     {"reconcile", "--manifest", keyList, "--manifest-time", "2026-11-29T12:00:00Z"},
		"--manifest-time is not given": {"reconcile", "--inventory", sample("csv"), "--manifest", keyList},
		"name the manifest.json in it": with("--inventory", filepath.Dir(sample("csv"))),
		"no such file":                 with("--inventory", "no/manifest.json"),
		"keys.csv":                     with("--manifest", "no/keys.csv"),
		"take a newer one":             with("--manifest-time", "2026-12-29T12:00:00Z"),
		"--orphan-grace":               reconciling("csv", "--orphan-grace", "0s"),
		"--memory":                     reconciling("csv", "--memory", "96"),
		"would be an orphan":           with("--manifest", empty),
		"line 2":                       with("--manifest", broken),
		"bucket":                       with("--manifest", other),
	}
}

// A findings file of a run that failed would be taken for a whole report.
func TestWhatIsRefusedIsOneLineExitCodeTwoAndNoFindingsFile(t *testing.T) {
	for says, args := range refusals(t) {
		t.Run(says, func(t *testing.T) {
			dir := t.TempDir()
			got := runLine(t.Context(), append(args, "--findings", filepath.Join(dir, "findings.jsonl"))...)
			if got.code != exitFailed || got.out != "" {
				t.Errorf("exit %d, prints %q", got.code, got.out)
			}
			if strings.Count(got.errs, "\n") != 1 || !strings.HasPrefix(got.errs, "strandline: ") || !strings.Contains(got.errs, says) {
				t.Errorf("says %q, expected one line with %q", got.errs, says)
			}
			if strings.Contains(got.errs, "secret") {
				t.Errorf("a key is in %q", got.errs)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
}

func TestADamagedInventoryIsRefusedAndNothingIsConcluded(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../shared/inventory/testdata/sample/csv")); err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Glob(filepath.Join(root, "inv/uploads-eu/daily/data/*.csv.gz"))
	if err != nil || len(data) != 2 {
		t.Fatalf("%v, %v", data, err)
	}
	bytes := readFile(t, data[1])
	bytes[len(bytes)/2] ^= 1
	if err := os.WriteFile(data[1], bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	args := reconciling("csv", "--findings", filepath.Join(root, "f.jsonl"))
	args[slices.Index(args, "--inventory")+1] = filepath.Join(root, "inv/uploads-eu/daily/2026-11-28T01-00Z/manifest.json")
	got := runLine(t.Context(), args...)
	if got.code != exitFailed || !strings.Contains(got.errs, "file 2 of the inventory's 2: its MD5 is not the manifest's") {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
}

// Overwritten, the report that somebody works through would be gone.
func TestAFindingsFileThatExistsIsRefusedBeforeAnythingIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "findings.jsonl")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runLine(t.Context(), reconciling("csv", "--findings", file)...)
	if got.code != exitFailed || !strings.Contains(got.errs, "exists already") || string(readFile(t, file)) != "mine" {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
}

func TestAnInterruptedComparisonExitsWith130AndLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	got := runLine(ctx, reconciling("csv", "--findings", filepath.Join(dir, "f.jsonl"), "--tmp", dir)...)
	if got.code != exitInterrupted || strings.Count(got.errs, "\n") != 1 {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestAFolderNeedsNoAWS(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID"} {
		t.Setenv(name, "")
	}
	if got := runLine(t.Context(), reconciling("parquet")...); got.code != exitFindings {
		t.Errorf("exit %d, says %q", got.code, got.errs)
	}
	args := reconciling("parquet")
	args[slices.Index(args, "--manifest")+1] = "s3://exports/keys.csv"
	if got := runLine(t.Context(), args...); got.code != exitFailed || !strings.Contains(got.errs, "AWS_REGION is not set") {
		t.Errorf("a bucket: exit %d, says %q", got.code, got.errs)
	}
}

func TestOrphansAboveTheShareAreReportedAndTheReportSaysSo(t *testing.T) {
	got := runLine(t.Context(), reconciling("csv", "--max-orphan-percent", "10")...)
	if got.code != exitFindings || !strings.Contains(got.out, "More than 10 % of the inventory's rows are orphans") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
}

// Exit code 2 means that there is no findings file, also where all that failed
// was to print the summary.
func TestSummaryThatCannotBePrintedLeavesNoFindingsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "findings.jsonl")
	var errs bytes.Buffer
	if code := run(t.Context(), reconciling("csv", "--findings", file), full{}, &errs); code != exitFailed {
		t.Errorf("exit %d, says %q", code, errs.String())
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

// full is an output that nothing can be written to.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
