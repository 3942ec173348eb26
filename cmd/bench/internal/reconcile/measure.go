package reconcile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// contender is one of those that take turns.
type contender struct {
	name    string
	command []string
	// exit is what it ends with: ours has findings.
	exit int

	seconds, cpu []float64
	peak         int64   // bytes
	temp         float64 // bytes of temporary disk per row and side
}

// answer is what both print: the findings by kind.
type answer struct {
	Counts    map[string]int64 `json:"counts"`
	Rows      int64            `json:"rows"`
	Entries   int64            `json:"entries"`
	TempBytes int64            `json:"temp_bytes"`
}

const oursName = "strandline"

func contenders(o Options, dir, ours string, r rival, findings string) ([]*contender, error) {
	lists, err := filepath.Glob(filepath.Join(dir, "owned-*"))
	if err != nil {
		return nil, err
	}
	threads := strconv.Itoa(o.Threads)
	command := []string{
		ours, "reconcile", "--json", "--findings", findings, "--threads", threads,
		"--inventory", filepath.Join(dir, filepath.FromSlash(manifestPlace)), "--manifest-time", created.Add(time.Hour).Format(time.RFC3339),
	}
	for _, list := range lists {
		command = append(command, "--manifest", list)
	}
	all := []*contender{{name: oursName, command: command, exit: 1}}
	for _, memory := range []string{"1GB", "none"} {
		for _, plan := range []string{"join", "hash"} {
			name := fmt.Sprintf("DuckDB %s, %s", plan, map[string]string{"1GB": "1 GB", "none": "no limit"}[memory])
			all = append(all, &contender{name: name, command: []string{r.python, "-I", r.script, dir, threads, memory, plan}})
		}
	}
	return all, nil
}

// compare lets them take turns and prints what came out.
func compare(ctx context.Context, o Options, format, ours string, r rival) error {
	dir := o.data(format)
	findings := filepath.Join(o.Dir, "findings.jsonl")
	all, err := contenders(o, dir, ours, r, findings)
	if err != nil {
		return err
	}
	for range o.Rounds {
		for _, c := range all {
			if err := os.RemoveAll(findings); err != nil {
				return err
			}
			if err := c.run(ctx, newShape(o.Rows)); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	report(o, format, all)
	return os.RemoveAll(findings)
}

// run measures one run as a whole process, and asks whether it found what there
// is.
func (c *contender) run(ctx context.Context, s shape) error {
	cmd := exec.CommandContext(ctx, c.command[0], c.command[1:]...)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start).Seconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != c.exit {
		return fmt.Errorf("it ended with %d: %s", code, complaint.String())
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return err
	}
	if err := s.check(a, c.name == oursName); err != nil {
		return err
	}
	c.seconds = append(c.seconds, took)
	c.cpu = append(c.cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	c.peak = max(c.peak, peakOf(cmd.ProcessState))
	if a.Rows > 0 {
		c.temp = float64(a.TempBytes) / float64(a.Rows+a.Entries)
	}
	return nil
}

// peakOf is the most memory that a process had, in bytes.
func peakOf(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

// check holds an answer against what the data was made with. DuckDB is asked
// for three kinds; ours says all.
func (s shape) check(a answer, whole bool) error {
	want := map[string]int64{"orphan": s.orphans, "missing": s.missing, "corrupt": s.mismatched}
	if whole {
		want["too_fresh"], want["unsettled"] = s.young, s.fresh
		want["ok"] = s.rows - s.orphans - s.young - s.mismatched
	}
	if !maps.Equal(want, a.Counts) {
		return fmt.Errorf("it found %v, and there are %v", a.Counts, want)
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
