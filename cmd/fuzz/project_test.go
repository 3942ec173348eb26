package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const projectRoot = "../.."

// reads is how code takes bytes apart that somebody else may have written.
var reads = regexp.MustCompile(`\b(json|xml)\.(Unmarshal|NewDecoder)\(|\burl\.(Parse|PathUnescape|QueryUnescape)\(|` +
	`\bUnmarshalMap\(|\b(csv|gzip)\.NewReader\(|\bstrictjson\.Object\(`)

// notFuzzed are the folders, with what is below them, whose code reads bytes and
// has no target of its own, each with the reason.
var notFuzzed = map[string]string{
	"cmd/bench":                            "reads what its own processes have written",
	"cmd/strandline/internal/checkup/look": "reads AWS's settings; what cannot be read is shown, nothing is done",
	"localstack":                           "serves tests",
	"shared/fault":                         "serves tests",
	"shared/lease":                         "reads its own document, of which a name is shown and an instant compared",
	"shared/ledger/ledgertest":             "serves tests",
	"shared/meter":                         "serves tests and measurements",
	"shared/objects/memory":                "serves tests",
	"shared/schema/create":                 "reads a policy that it has written; what cannot be read is written again",
	"shared/sim":                           "serves tests",
}

// A decoder that nobody throws bytes at in anger has them thrown at it by somebody
// else. A package that begins to read them has a target, or says why not.
func TestWhatReadsForeignBytesIsFuzzed(t *testing.T) {
	targets, err := find(projectRoot)
	must(t, err)
	used := map[string]bool{}
	for _, dir := range readers(t) {
		if slices.ContainsFunc(targets, func(one target) bool { return one.dir == dir }) {
			continue
		}
		without := excusedBy(dir)
		if without == "" {
			t.Errorf("%s reads foreign bytes and has neither a fuzz target nor a reason why not", dir)
		}
		used[without] = true
	}
	for dir := range notFuzzed {
		if !used[dir] {
			t.Errorf("%s needs no reason any more", dir)
		}
	}
}

// excusedBy is the folder of notFuzzed that this one is, or is below.
func excusedBy(dir string) string {
	for excused := range notFuzzed {
		if dir == excused || strings.HasPrefix(dir, excused+"/") {
			return excused
		}
	}
	return ""
}

// readers are the folders with code that reads bytes.
func readers(t *testing.T) (dirs []string) {
	t.Helper()
	for _, top := range []string{"cmd", "examples", "functions", "infra", "localstack", "shared"} {
		must(t, filepath.WalkDir(filepath.Join(projectRoot, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if dir, relErr := filepath.Rel(projectRoot, filepath.Dir(path)); relErr == nil && reads.Match(text) {
				dirs = append(dirs, filepath.ToSlash(dir))
			}
			return err
		}))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// The corpus is what was found before: with it `go test` meets each of those again
// in milliseconds, and fuzzing begins where it ended. It stays small.
func TestEveryTargetHasASmallCorpus(t *testing.T) {
	targets, err := find(projectRoot)
	must(t, err)
	for _, one := range targets {
		entries, err := os.ReadDir(filepath.Join(projectRoot, filepath.FromSlash(one.dir), "testdata", "fuzz", one.name))
		if err != nil || len(entries) < 4 {
			t.Errorf("%s %s has %d inputs committed: expected 4 or more (%v)", one.dir, one.name, len(entries), err)
		}
		total := int64(0)
		for _, entry := range entries {
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
		}
		if total > 96<<10 {
			t.Errorf("%s %s has a corpus of %d bytes", one.dir, one.name, total)
		}
	}
}

// A target that is called otherwise leaves its corpus behind, and nothing runs it.
func TestEveryCorpusHasItsTarget(t *testing.T) {
	targets, err := find(projectRoot)
	must(t, err)
	corpora := 0
	must(t, filepath.WalkDir(projectRoot, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return err
		case path != projectRoot && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "/testdata/fuzz"):
			return nil
		}
		corpora++
		dir, err := filepath.Rel(projectRoot, filepath.Join(path, "..", "..", ".."))
		if !slices.Contains(targets, target{filepath.ToSlash(dir), filepath.Base(path)}) {
			t.Errorf("%s is no target's", path)
		}
		return err
	}))
	if corpora != len(targets) {
		t.Errorf("%d corpora, %d targets", corpora, len(targets))
	}
}
