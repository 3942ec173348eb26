package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTargetsAreFoundInEveryTestFileThatIsOurs(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"a/a_test.go":             "package a\nimport \"testing\"\nfunc FuzzOne(f *testing.F) {}\nfunc helper() {}\nfunc FuzzTwo(f *testing.F) {}\n",
		"a/a.go":                  "package a\nfunc FuzzNone(n int) {}\n",
		"a/b/c/deep_test.go":      "package c\nimport \"testing\"\ntype s struct{}\nfunc (s) FuzzMethod(f *testing.F) {}\nfunc FuzzDeep(f *testing.F) {}\n",
		".tools/x_test.go":        "package x\nfunc FuzzHidden(f int) {}\n",
		"a/testdata/x_test.go":    "package x\nfunc FuzzData(f int) {}\n",
		"node_modules/y_test.go":  "package y\nfunc FuzzForeign(f int) {}\n",
		"tagged/tag_test.go":      "//go:build never\n\npackage tagged\nimport \"testing\"\nfunc FuzzTagged(f *testing.F) {}\n",
		"tagged/several_test.txt": "func FuzzText(f *testing.F) {}",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	all, err := find(root)
	must(t, err)
	var names []string
	for _, target := range all {
		names = append(names, target.dir+" "+target.name)
	}
	if got := strings.Join(names, ", "); got != "a FuzzOne, a FuzzTwo, a/b/c FuzzDeep, tagged FuzzTagged" {
		t.Errorf("found %s", got)
	}
}

func TestAChoiceThatMatchesNothingIsRefused(t *testing.T) {
	if _, err := chosen(projectRoot, "^nothing is called so$"); err == nil {
		t.Error("nothing is chosen, and nothing is said")
	}
	if _, err := chosen(projectRoot, "("); err == nil {
		t.Error("a choice that cannot be read is taken")
	}
}

// Without the looks a word that is no flag is passed by and everything runs, no
// time fails every target, and none at once waits for ever.
func TestWhatCannotBeMeantIsRefusedInOneLine(t *testing.T) {
	for _, args := range [][]string{{"-wrong"}, {"shared/command"}, {"-time", "soon"}, {"-time", "0s"}, {"-time", "-1s"}, {"-at-once", "0"}, {"-list", "here"}} {
		if _, err := read(args); err == nil || strings.Contains(err.Error(), "\n") || !strings.HasSuffix(err.Error(), "-h lists the flags") {
			t.Errorf("%v: want an error of one line, got %v", args, err)
		}
	}
	if o, err := read([]string{"-time", "1s", "-match=a", "-list"}); err != nil || !o.list || o.match != "a" || o.each != time.Second {
		t.Errorf("read %+v, %v", o, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
