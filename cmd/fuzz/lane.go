package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const module = "github.com/strandline-dev/strandline"

// kept is how many inputs that reach further Go's cache holds of a target: every
// one is run before anything new is tried.
const kept = 500

// patience is what a target may take beyond its time: its seeds, the making
// small of what it found.
const patience = 2 * time.Minute

// lanes is what all runs of targets share.
type lanes struct {
	root  string
	bin   string // where the packages' test binaries go, and what commands that are stopped leave behind
	cache string // where inputs that reach further are kept
	each  time.Duration
	deep  bool // what the module imports guides the fuzzing too

	building sync.Mutex // two builds at once would compile the same twice
}

// build compiles a package's tests as fuzzing needs them and returns the binary.
func (l *lanes) build(ctx context.Context, dir string) (string, error) {
	l.building.Lock()
	defer l.building.Unlock()
	binary := filepath.Join(l.bin, strings.ReplaceAll(dir, "/", "-")+".test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", l.guide(), "-o", binary, "./"+dir)
	build.Dir, build.Env = l.root, append(os.Environ(), "GOTMPDIR="+l.bin)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", dir, err, said)
	}
	return binary, nil
}

// guide is the flag that has the compiler count what an input reaches. Go's own
// way counts in all that is imported, the standard library and the SDK too, and
// so compiles them once more: minutes, where nothing is cached.
func (l *lanes) guide() string {
	if l.deep {
		return "-fuzz=."
	}
	return "-gcflags=" + module + "/...=-d=libfuzzer"
}

// fuzz runs a target of a built package. What it found is in the error.
func (l *lanes) fuzz(ctx context.Context, binary string, t target) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, l.each+patience)
	defer cancel()
	cache := filepath.Join(l.cache, filepath.FromSlash(t.dir))
	if err := prune(filepath.Join(cache, t.name), kept); err != nil {
		return "", err
	}
	// Each input that reaches further is made small first. Measured in time, that
	// would take nearly all of what a slow target has.
	run := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+l.each.String(),
		"-test.fuzzminimizetime=100x", "-test.parallel=1", "-test.timeout=0", "-test.fuzzcachedir="+cache)
	run.Dir = filepath.Join(l.root, filepath.FromSlash(t.dir))
	run.Env = append(os.Environ(), "GOMAXPROCS=1", "TMPDIR="+l.bin)
	run.WaitDelay = 10 * time.Second
	said, err := run.CombinedOutput()
	if err != nil && !timeIsUp.Match(said) {
		return "", fmt.Errorf("%s %s: %w\n%s%s", t.dir, t.name, err, said, reproducer(t, string(said)))
	}
	return tried(string(said)), nil
}

// timeIsUp is what a target ends with that was stopped by its time in the middle
// of an input, and had found nothing: Go calls it a failure now and then, which a
// busy machine sees more often (https://go.dev/issue/75804).
var timeIsUp = regexp.MustCompile(`\nfuzz: elapsed: .*\n--- FAIL: \w+ \([0-9.]+s\)\n    context deadline exceeded\nFAIL\n$`)

// prune removes what a target's cache holds beyond so many inputs, the longest first.
func prune(dir string, most int) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= most {
		return nil // nothing was kept yet, or not too much
	}
	sizes := map[string]int64{}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil {
			sizes[entry.Name()] = info.Size()
		}
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(sizes[a.Name()], sizes[b.Name()]) })
	for _, entry := range entries[most:] {
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// failing is how testing names an input that fails: by the file that it has
// written, or as one that was there before, in a file or in the code.
var failing = regexp.MustCompile(`(?:Failing input written to testdata/fuzz/\w+|failure while testing seed corpus entry: \w+)/(\S+)`)

// reproducer says how to see it fail again, from the module's root, and in which
// file the input is; nothing where what was said names no input.
func reproducer(t target, said string) string {
	found := failing.FindStringSubmatch(said)
	if found == nil {
		return ""
	}
	again := fmt.Sprintf("again: go test -run '^%s$/^%s$' ./%s\n", t.name, found[1], t.dir)
	if strings.HasPrefix(found[1], "seed#") {
		return again // of the code
	}
	return fmt.Sprintf("input: %s/testdata/fuzz/%s/%s\n", t.dir, t.name, found[1]) + again
}

// progress is the last line that fuzzing prints of how far it is.
var progress = regexp.MustCompile(`execs: (\d+) \(.*?new interesting: (\d+)`)

// tried says how much was tried, from what the binary printed.
func tried(said string) string {
	all := progress.FindAllStringSubmatch(said, -1)
	if len(all) == 0 {
		return "no count"
	}
	last := all[len(all)-1]
	return fmt.Sprintf("%s inputs, %s reached further", last[1], last[2])
}
