// Command second runs a command on the second cloud: S3 and SQS are LocalStack,
// DynamoDB is ministack. Both are started for it and stopped after it.
//
//	go run ./localstack/second go run ./cmd/strandline demo
//
// Without a command it prints what to set for a shell, and runs until it is
// interrupted. With -fetch it only installs what is needed. It exits as the
// command does; with 2 where a cloud cannot be had, or was not used.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// exitFailed: there was no second cloud, or the command did not use it.
	exitFailed      = 2
	exitInterrupted = 130
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	// The command gets a ctrl-C itself; the clouds outlive it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := second(ctx, args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "second: "+err.Error())
	}
	return code
}

func second(ctx context.Context, args []string) (code int, err error) {
	if slices.Equal(args, []string{"-fetch"}) {
		if err := fetch(ctx); err != nil {
			return exitFailed, err
		}
		return 0, nil
	}
	c, err := start(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer func() {
		if stopping := c.stop(); err == nil && stopping != nil {
			code, err = exitFailed, stopping
		}
	}()
	if len(args) == 0 {
		fmt.Fprintln(os.Stdout, "export "+strings.Join(c.settings(), " "))
		<-ctx.Done()
		return 0, nil
	}
	if code, err = execute(ctx, args, c.settings()); err != nil || code != 0 {
		return code, err
	}
	// Otherwise a setting that nobody reads any more would have everything pass
	// on the first cloud, or on none.
	if err := used(c.store.Log()); err != nil {
		return exitFailed, err
	}
	return 0, nil
}

// execute runs the command to its end and returns its exit code.
func execute(ctx context.Context, args, settings []string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(without(os.Environ(), "AWS_"), settings...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute // it has resources to remove
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted, nil
	case errors.As(err, &ended):
		return max(ended.ExitCode(), 1), nil // -1: by a signal
	case err != nil:
		return exitFailed, fmt.Errorf("run %s: %w", args[0], err)
	}
	return 0, nil
}

// without leaves out the variables with a prefix: nobody's account is meant.
func without(environment []string, prefix string) []string {
	var rest []string
	for _, setting := range environment {
		if !strings.HasPrefix(setting, prefix) {
			rest = append(rest, setting)
		}
	}
	return rest
}
