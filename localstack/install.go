package localstack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const partialSuffix = ".partial"

// install returns the interpreter that has it, and first installs it
// where that has not been done. The caller holds the lock of tools. An install
// is built beside its place and renamed when it is whole, so what a killed run
// leaves is never mistaken for one.
func (r recipe) install(ctx context.Context, tools string, progress io.Writer) (string, error) {
	home := filepath.Join(tools, r.installName())
	ok, err := r.usable(ctx, venvPython(home))
	if err != nil {
		return "", err
	}
	if ok {
		return venvPython(home), nil
	}
	if err := r.removeUnusable(tools, home); err != nil {
		return "", fmt.Errorf("install %s: %w", r, err)
	}
	base, err := r.findPython(ctx)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(progress, "fetching %s into .tools, once: %s\n", r, r.fetching)
	partial, err := os.MkdirTemp(tools, r.installName()+partialSuffix)
	if err != nil {
		return "", fmt.Errorf("install %s: %w", r, err)
	}
	defer os.RemoveAll(partial)
	if err := r.build(ctx, base, partial); err != nil {
		return "", fmt.Errorf("install %s: %w", r, err)
	}
	if err := os.Rename(partial, home); err != nil {
		return "", fmt.Errorf("install %s: %w", r, err)
	}
	return venvPython(home), nil
}

func venvPython(home string) string { return filepath.Join(home, "bin", "python") }

// usable also notices an install whose Python has been upgraded or removed. A
// probe that was cut short is an error and not a no: the caller removes what is
// not usable, and others may be running it.
func (r recipe) usable(ctx context.Context, interpreter string) (bool, error) {
	if _, err := os.Stat(interpreter); err != nil {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeDeadline)
	defer cancel()
	err := exec.CommandContext(ctx, interpreter, "-I", "-c", "import "+r.probe).Run()
	if ctx.Err() != nil {
		return false, fmt.Errorf("check the installed %s: %w", r, ctx.Err())
	}
	return err == nil, nil
}

// removeUnusable clears the place of an install that no longer works, and what
// killed runs left half-built.
func (r recipe) removeUnusable(tools, home string) error {
	stale, err := filepath.Glob(filepath.Join(tools, r.name+"-*"+partialSuffix+"*"))
	if err != nil {
		return err
	}
	for _, dir := range append(stale, home) {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func (r recipe) build(ctx context.Context, base, dir string) error {
	scratch := filepath.Join(dir, "tmp")
	if err := run(ctx, "", base, "-I", "-m", "venv", dir); err != nil {
		return err
	}
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return err
	}
	pins := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(pins, r.pins, 0o644); err != nil {
		return err
	}
	// Python compiles what it imports when it does so first: a small part of what
	// is installed, and compiling all of it takes longer than fetching it.
	err := run(ctx, scratch, venvPython(dir), "-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-compile",
		"--disable-pip-version-check", "--no-cache-dir", "--require-hashes", "--requirement", pins)
	if err != nil {
		return err
	}
	ok, err := r.usable(ctx, venvPython(dir))
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s was installed and cannot be imported", r)
	}
	return os.RemoveAll(scratch)
}

// run runs one step to its end; its last lines are the error. PIP_USER off:
// somebody's setting for their own installs cannot be had in a virtual
// environment.
func run(ctx context.Context, tmp, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "PIP_USER=0", "PIP_REQUIRE_VIRTUALENV=0")
	if tmp != "" {
		cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	if err == nil {
		return nil
	}
	step := strings.Join(args[:min(len(args), 4)], " ")
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", step, ctx.Err())
	}
	return fmt.Errorf("%s: %w: %s", step, err, lastLines(out.Bytes(), 3))
}

// lastLines puts the end of an output on one line.
func lastLines(out []byte, n int) string {
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "no output"
	}
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
