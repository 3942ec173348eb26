package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

const module = "github.com/strandline-dev/strandline"

// patience is what a target may take beyond its time: its seeds, the making
// small of what it found.
const patience = 2 * time.Minute

// lanes is what all runs of targets share.
type lanes struct {
	root  string
	bin   string // where the packages' test binaries go
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
	build.Dir = l.root
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
	run := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.fuzz=^"+t.name+"$", "-test.fuzztime="+l.each.String(),
		"-test.fuzzminimizetime=1s", "-test.parallel=1", "-test.timeout=0",
		"-test.fuzzcachedir="+filepath.Join(l.cache, filepath.FromSlash(t.dir)))
	run.Dir = filepath.Join(l.root, filepath.FromSlash(t.dir))
	run.Env = append(os.Environ(), "GOMAXPROCS=1")
	run.WaitDelay = 10 * time.Second
	said, err := run.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", t.dir, t.name, err, said)
	}
	return tried(string(said)), nil
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
