package runtimeapi

import (
	"context"
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
func Build(ctx context.Context, pkg, binary string, flags ...string) error {
	args := slices.Concat([]string{"build", "-tags", "lambda.norpc", "-buildvcs=false", "-ldflags", "-s -w"}, flags, []string{"-o", binary, pkg})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	// A go command that is killed leaves its folder for temporary files behind.
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 10*time.Second
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, said)
	}
	return nil
}
