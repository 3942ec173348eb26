package runtimeapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Build compiles a main package of this module for this machine, as its Lambda
// binary is built, but for -trimpath where GOFLAGS does not say it: everything
// would be compiled once more. pkg is what go build takes in the current folder;
// flags come before it.
func Build(ctx context.Context, pkg, binary string, flags ...string) (err error) {
	// A go command that is interrupted, or killed, may leave files behind.
	work, err := os.MkdirTemp("", "strandline-build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	args := slices.Concat([]string{"build", "-tags", "lambda.norpc", "-buildvcs=false", "-ldflags", "-s -w"}, flags, []string{"-o", binary, pkg})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+work)
	// Interrupted, it waits for its compilers.
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, said)
	}
	return nil
}
