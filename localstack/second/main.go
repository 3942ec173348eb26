// Command second runs a command on the second cloud: S3 and SQS are LocalStack,
// DynamoDB is ministack. Both are started for it and stopped after it.
//
//	go run ./localstack/second go run ./cmd/strandline demo
//
// Without a command it prints what to set for a shell, and runs until it is
// interrupted. It exits as the command does; with 2 where a cloud cannot be had.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/strandline-dev/strandline/localstack"
)

// exitFailed: there was no second cloud, or the command did not use it.
const exitFailed = 2

func main() {
	// The command gets a ctrl-C itself; the clouds outlive it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := onSecond(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "second: "+err.Error())
	}
	os.Exit(code)
}

func onSecond(ctx context.Context, args []string) (code int, err error) {
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
		fmt.Println("export " + strings.Join(c.settings(), " "))
		<-ctx.Done()
		return 0, nil
	}
	if code, err = run(ctx, args, c.settings()); err != nil || code != 0 {
		return code, err
	}
	// Otherwise a setting that nobody reads any more would have everything pass
	// on the first cloud, or on none.
	if err := c.used(context.WithoutCancel(ctx)); err != nil {
		return exitFailed, err
	}
	return 0, nil
}

// run runs the command to its end and returns its exit code.
func run(ctx context.Context, args, settings []string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(without(os.Environ(), "AWS_"), settings...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute // it has resources to remove
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
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

// second is the second cloud.
type second struct{ store, ledger *localstack.Cloud }

func start(ctx context.Context) (*second, error) {
	store, err := localstack.Start(ctx, localstack.Options{Emulator: localstack.LocalStack, Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	ledger, err := localstack.Start(ctx, localstack.Options{Progress: os.Stderr})
	if err != nil {
		return nil, errors.Join(err, store.Stop())
	}
	return &second{store, ledger}, nil
}

func (s *second) stop() error { return errors.Join(s.store.Stop(), s.ledger.Stop()) }

// settings point the SDK, the demo and the tests of S3 and SQS at the cloud.
func (s *second) settings() []string {
	return []string{
		"AWS_ENDPOINT_URL_S3=" + s.store.Endpoint(),
		"AWS_ENDPOINT_URL_SQS=" + s.store.Endpoint(),
		"AWS_ENDPOINT_URL_DYNAMODB=" + s.ledger.Endpoint(),
		"STRANDLINE_TEST_ENDPOINT=" + s.store.Endpoint(),
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
	}
}
