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

// A command that README does not name is found by nobody, and one that it names
// and is not there by everybody.
func TestReadmesTableNamesEveryCommandAndNoOther(t *testing.T) {
	named := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`strandline [^|]*) \\|").FindAllStringSubmatch(string(readFile(t, "../../README.md")), -1) {
		group := ""
		for i, quoted := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			words := slices.DeleteFunc(strings.Fields(strings.TrimPrefix(quoted[1], "strandline ")), func(w string) bool {
				return strings.HasPrefix(w, "-") || strings.ToUpper(w) == w
			})
			switch {
			case i == 0 || strings.HasPrefix(quoted[1], "strandline "):
				group = words[0]
			case len(words) == 0: // only flags
				continue
			default:
				words = append([]string{group}, words...)
			}
			named[strings.Join(words, " ")] = true
		}
	}
	all := leaves(dressed())
	for path := range all {
		if !named[path] && !strings.HasPrefix(path, "completion ") {
			t.Errorf("README's table does not name strandline %s", path)
		}
	}
	for path := range named {
		cmd, rest, err := dressed().Find(strings.Fields(path))
		if err != nil || len(cmd.ValidArgs) == 0 && len(rest) > 0 {
			t.Errorf("README's table names strandline %s: there is no such command", path)
		}
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
