package main

import (
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
	if err == nil || !strings.Contains(err.Error(), "a/b FuzzOne") || !strings.Contains(err.Error(), "testdata/fuzz/FuzzOne/ff") {
		t.Errorf("said %v", err)
	}
	says, err := l.fuzz(t.Context(), binaryThat(t, `echo "fuzz: elapsed: 1s, execs: 7 (7/sec), new interesting: 0 (total: 3)"
		echo "fuzz: elapsed: 2s, execs: 4711 (2000/sec), new interesting: 12 (total: 15)"; echo PASS`), one)
	if err != nil || says != "4711 inputs, 12 reached further" {
		t.Errorf("said %q, %v", says, err)
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
	for _, want := range []string{"/a/b\n1 ", "-test.fuzz=^FuzzOne$", "-test.fuzztime=3s", "-test.parallel=1", "-test.fuzzcachedir=/cache/a/b"} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("asked for %s: expected %q", asked, want)
		}
	}
}
