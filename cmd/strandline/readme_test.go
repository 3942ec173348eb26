package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exampleLine is README's comparison of the sample, over several lines.
var exampleLine = regexp.MustCompile(`(?m)^    go run \./cmd/strandline (reconcile (?:.*\\\n)*.*)$`)

// Whoever tries the project begins with this line, in a fresh clone.
func TestReadmesExampleFindsWhatItSays(t *testing.T) {
	t.Chdir("../..")
	found := exampleLine.FindStringSubmatch(string(readFile(t, "README.md")))
	if found == nil {
		t.Fatal("README has no such line")
	}
	args := strings.Fields(strings.ReplaceAll(found[1], "\\\n", " "))
	file := filepath.Join(t.TempDir(), "findings.jsonl")
	args[slices.Index(args, "findings.jsonl")] = file
	got := runLine(t.Context(), append(args, "--json")...)
	if got.code != exitFindings {
		t.Fatalf("exit %d, says %q", got.code, got.errs)
	}
	var summary expectation
	decode(t, []byte(got.out), &summary)
	for verdict, says := range map[string]int64{
		"orphan": 9, "missing": 5, "changed": 1, "corrupt": 1, "hidden": 1, "undead": 1, "conflict": 1,
	} {
		if summary.Counts[verdict] != says {
			t.Errorf("%d %s, README says %d", summary.Counts[verdict], verdict, says)
		}
	}
	if n := len(readFindings(t, file)); n != 19 {
		t.Errorf("%d lines", n)
	}
}

// A flag that only the help knows is one that nobody finds.
func TestTheDocumentsNameEveryFlagOfReconcile(t *testing.T) {
	doc := string(readFile(t, "../../docs/reconcile.md"))
	flags := regexp.MustCompile(`--[a-z-]+`).FindAllString(newReconcile().Flags().FlagUsages(), -1)
	for _, flag := range flags {
		if !strings.Contains(doc, flag) {
			t.Errorf("docs/reconcile.md does not name %s", flag)
		}
	}
	if len(flags) < 10 {
		t.Errorf("found %d flags", len(flags))
	}
}
