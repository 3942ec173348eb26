package reconcile

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed requirements.txt
var requirements []byte

//go:embed rival.py
var rivalScript []byte

// rival is DuckDB's Python and what it runs.
type rival struct{ python, script string }

// installRival makes a virtual environment once for these very pins.
func installRival(ctx context.Context, tools string) (rival, error) {
	tools, err := filepath.Abs(tools)
	if err != nil {
		return rival{}, err
	}
	sum := sha256.Sum256(requirements)
	home := filepath.Join(tools, "duckdb-"+hex.EncodeToString(sum[:])[:12])
	r := rival{filepath.Join(home, "bin", "python"), filepath.Join(home, "rival.py")}
	if exec.CommandContext(ctx, r.python, "-I", "-c", "import duckdb").Run() != nil {
		if err := buildVenv(ctx, home, r.python); err != nil {
			return rival{}, fmt.Errorf("install DuckDB: %w", err)
		}
	}
	return r, os.WriteFile(r.script, rivalScript, 0o644)
}

func buildVenv(ctx context.Context, home, python string) error {
	base := os.Getenv("STRANDLINE_PYTHON")
	if base == "" {
		base = "python3"
	}
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "fetching DuckDB into .tools, once")
	if err := step(ctx, base, "-I", "-m", "venv", home); err != nil {
		return err
	}
	pins := filepath.Join(home, "requirements.txt")
	if err := os.WriteFile(pins, requirements, 0o644); err != nil {
		return err
	}
	return step(ctx, python, "-I", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check",
		"--no-cache-dir", "--only-binary=:all:", "--require-hashes", "--requirement", pins)
}

func step(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	// Interrupted, pip and go remove what they have half done.
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", filepath.Base(name), err), errors.New(string(out)))
	}
	return nil
}

// buildOurs builds the command as it is shipped.
func buildOurs(ctx context.Context, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "strandline")
	return binary, step(ctx, "go", "build", "-o", binary, "./cmd/strandline")
}
