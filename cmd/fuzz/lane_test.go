package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// binaryThat is a package's tests in the form of a script.
func binaryThat(t *testing.T, does string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.test")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+does+"\n"), 0o700))
	return path
}

// Without the look at how it ended, what fuzzing finds is a line among others.
func TestWhatATargetFindsFailsTheRunAndIsSaid(t *testing.T) {
	l := &lanes{root: t.TempDir(), cache: t.TempDir(), each: time.Second}
	must(t, os.MkdirAll(filepath.Join(l.root, "a", "b"), 0o700))
	one := target{"a/b", "FuzzOne"}
	_, err := l.fuzz(t.Context(), binaryThat(t, `echo "Failing input written to testdata/fuzz/FuzzOne/ff"; exit 1`), one)
	if err == nil || !strings.Contains(err.Error(), "a/b FuzzOne") || !strings.Contains(err.Error(), "\ninput: a/b/testdata/fuzz/FuzzOne/ff\nagain: go test -run '^FuzzOne$/^ff$' ./a/b\n") {
		t.Errorf("said %v", err)
	}
	says, err := l.fuzz(t.Context(), binaryThat(t, `echo "fuzz: elapsed: 1s, execs: 7 (7/sec), new interesting: 0 (total: 3)"
		echo "fuzz: elapsed: 2s, execs: 4711 (2000/sec), new interesting: 12 (total: 15)"; echo PASS`), one)
	if err != nil || says != "4711 inputs, 12 reached further" {
		t.Errorf("said %q, %v", says, err)
	}
}

// Go calls it a failure when the time is up in the middle of an input; whatever
// else is said beside it is one.
func TestATargetWhoseTimeIsUpHasFoundNothing(t *testing.T) {
	l := &lanes{root: t.TempDir(), cache: t.TempDir(), each: time.Second}
	must(t, os.MkdirAll(filepath.Join(l.root, "a"), 0o700))
	const ends = `echo "--- FAIL: FuzzOne (10.10s)"; echo "    context deadline exceeded"; echo FAIL; exit 1`
	const tried = `echo; echo "fuzz: elapsed: 10s, execs: 36 (4/sec), new interesting: 2 (total: 3)"; `
	says, err := l.fuzz(t.Context(), binaryThat(t, tried+ends), target{"a", "FuzzOne"})
	if err != nil || says != "36 inputs, 2 reached further" {
		t.Errorf("said %q, %v", says, err)
	}
	for _, does := range []string{
		tried + `echo "fuzz: minimizing 62-byte failing input file"; ` + ends, tried + "echo panic: x; " + ends, ends, tried + "exit 1",
		tried + `echo "--- FAIL: FuzzOne (10.10s)"; echo "    context deadline exceeded"; echo "    Failing input written to testdata/fuzz/FuzzOne/ff"; echo FAIL; exit 1`,
	} {
		if _, err := l.fuzz(t.Context(), binaryThat(t, does), target{"a", "FuzzOne"}); err == nil {
			t.Errorf("not a failure: %s", does)
		}
	}
}

// Else whoever interrupts is told that all targets have failed.
func TestWhatIsInterruptedHasFoundNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	l := &lanes{root: t.TempDir(), bin: t.TempDir(), cache: t.TempDir(), each: time.Second}
	err := everyPackage(ctx, l, []target{{"a", "FuzzOne"}, {"a", "FuzzTwo"}, {"b", "FuzzThree"}}, 2)
	if err == nil || err.Error() != "interrupted" {
		t.Errorf("said %v", err)
	}
}

func TestAnInputThatFailsIsNamedWithTheCommandThatRunsIt(t *testing.T) {
	for said, want := range map[string]string{
		"fuzz: x\nfailure while testing seed corpus entry: FuzzOne/0123abcd\n": "input: a/b/testdata/fuzz/FuzzOne/0123abcd\nagain: go test -run '^FuzzOne$/^0123abcd$' ./a/b\n",
		"failure while testing seed corpus entry: FuzzOne/seed#3\n":            "again: go test -run '^FuzzOne$/^seed#3$' ./a/b\n",
		"panic: before anything was tried":                                     "",
	} {
		if got := reproducer(target{"a/b", "FuzzOne"}, said); got != want {
			t.Errorf("%q: said %q", said, got)
		}
	}
}

// Without the bound every run begins with what all runs before have kept.
func TestACacheHoldsSoManyInputsTheShortest(t *testing.T) {
	dir := t.TempDir()
	for n, name := range []string{"longest", "long", "short", "shorter"} {
		must(t, os.WriteFile(filepath.Join(dir, name), make([]byte, 100-n), 0o600))
	}
	must(t, prune(dir, 3))
	must(t, prune(dir, 3))
	must(t, prune(filepath.Join(dir, "nothing yet"), 3))
	entries, err := os.ReadDir(dir)
	must(t, err)
	if names := fmt.Sprint(entries); len(entries) != 3 || strings.Contains(names, "longest") {
		t.Errorf("%s are left", names)
	}
}

func TestATargetIsFuzzedInItsOwnFolderForItsTimeOnOneProcessor(t *testing.T) {
	l := &lanes{root: t.TempDir(), cache: "/cache", each: 3 * time.Second}
	must(t, os.MkdirAll(filepath.Join(l.root, "a", "b"), 0o700))
	out := filepath.Join(t.TempDir(), "asked")
	_, err := l.fuzz(t.Context(), binaryThat(t, `{ pwd; echo "$GOMAXPROCS $*"; } >`+out), target{"a/b", "FuzzOne"})
	must(t, err)
	asked, err := os.ReadFile(out)
	must(t, err)
	for _, want := range []string{"/a/b\n1 ", "-test.fuzz=^FuzzOne$", "-test.fuzztime=3s", "-test.fuzzminimizetime=100x", "-test.parallel=1", "-test.fuzzcachedir=/cache/a/b"} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("asked for %s: expected %q", asked, want)
		}
	}
}

// An input that is tried lies in a file of 100 MB, which goes with its folder
// only where fuzzing is interrupted.
func TestWhatIsStoppedLeavesItsFilesInTheFolderThatGoes(t *testing.T) {
	l := &lanes{root: t.TempDir(), bin: t.TempDir(), cache: t.TempDir(), each: time.Second}
	must(t, os.MkdirAll(filepath.Join(l.root, "a", "b"), 0o700))
	script := binaryThat(t, `: >"${GOTMPDIR:-$TMPDIR}/left"; kill -KILL $$`)
	must(t, os.Rename(script, filepath.Join(filepath.Dir(script), "go")))
	t.Setenv("PATH", filepath.Dir(script)+":"+os.Getenv("PATH"))
	for what, do := range map[string]func() error{
		"build": func() error { _, err := l.build(t.Context(), "a/b"); return err },
		"fuzz": func() error {
			_, err := l.fuzz(t.Context(), filepath.Join(filepath.Dir(script), "go"), target{"a/b", "FuzzOne"})
			return err
		},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		if err := do(); err == nil {
			t.Fatalf("%s: no error of what was stopped", what)
		}
		if err := os.Remove(filepath.Join(l.bin, "left")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
