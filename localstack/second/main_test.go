package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheExitCodeIsTheCommands(t *testing.T) {
	for line, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -KILL $$": 1} {
		if code, err := execute(t.Context(), []string{"sh", "-c", line}, nil); code != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", line, code, err, want)
		}
	}
	code, err := execute(t.Context(), []string{"/no/such/command"}, nil)
	if code != exitFailed || err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a command that is not there: %d, %v", code, err)
	}
}

// Without this a profile or an endpoint of somebody's own shell would go before
// the emulators, and the tests would run in an account.
func TestNothingOfTheCallersAccountReachesTheCommand(t *testing.T) {
	t.Setenv("AWS_PROFILE", "production")
	t.Setenv("AWS_ENDPOINT_URL", "https://example.com")
	file := t.TempDir() + "/env"
	code, err := execute(t.Context(), []string{"sh", "-c", "env >" + file}, []string{"AWS_REGION=us-east-1"})
	if code != 0 || err != nil {
		t.Fatal(code, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(l string) bool { return !strings.HasPrefix(l, "AWS_") })
	if !slices.Equal(lines, []string{"AWS_REGION=us-east-1"}) {
		t.Errorf("the command has %v", lines)
	}
}

// Otherwise the command would be killed before it has removed what it made.
func TestAnInterruptIsHandedOnAndWaitedFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ready, removed := t.TempDir()+"/ready", t.TempDir()+"/removed"
	go func() {
		defer cancel()
		for range 1000 {
			if _, err := os.Stat(ready); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	code, err := execute(ctx, []string{"sh", "-c", `trap ": >` + removed + `; exit 0" TERM; : >` + ready + `; while :; do sleep 0.05; done`}, nil)
	if code != exitInterrupted || err != nil {
		t.Errorf("%d, %v", code, err)
	}
	if _, err := os.Stat(removed); err != nil {
		t.Error("it was ended before it had removed anything")
	}
}

// Without the look, a run that never reached LocalStack would pass as one.
func TestACommandThatHasNotCalledLocalStackFails(t *testing.T) {
	const s3, sqs = "INFO --- [   asgi_gw_0] localstack.request.aws     : AWS s3.CreateBucket => 200\n",
		"INFO --- [   asgi_gw_1] localstack.request.aws     : AWS sqs.SendMessage => 400 (QueueDoesNotExist)\n"
	const noise = "INFO --- [  MainThread] hypercorn.error            : Running on s3 and sqs\nReady.\n"
	for log, says := range map[string]string{
		noise + sqs + s3: "",
		noise + s3:       "has not called LocalStack's sqs",
		noise + sqs:      "has not called LocalStack's s3",
		noise:            "has not called LocalStack's s3",
	} {
		path := t.TempDir() + "/log"
		if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := used(path); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", log, err)
		}
	}
	if err := used(t.TempDir() + "/log"); err == nil {
		t.Error("without a log all was called")
	}
}
