package runtimeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/strandline-dev/strandline/localstack/runtimeapi"
)

// endsAtOnce has a process of this binary end before it asks for an event.
const endsAtOnce = "STRANDLINE_TEST_ENDS"

// TestMain makes this binary a function where it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv(endsAtOnce) != "" {
		os.Exit(1)
	}
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		lambda.Start(handle)
	}
	os.Exit(m.Run())
}

// handle does what its event says.
func handle(ctx context.Context, event string) (string, error) {
	switch event {
	case "fail":
		return "", errors.New("it cannot")
	case "hang":
		fmt.Fprintln(os.Stdout, "hanging")
		time.Sleep(time.Hour)
	case "environment":
		return strings.Join(os.Environ(), "\n"), nil
	case "deadline":
		at, _ := ctx.Deadline()
		return at.UTC().Format(time.RFC3339), nil
	}
	return event, nil
}

// output is what a process wrote; it is read while it may go on.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	says chan struct{} // closed by the first line
	once sync.Once
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.once.Do(func() { close(o.says) })
	return o.text.Write(b)
}

func start(t *testing.T, variables ...string) (*runtimeapi.Process, *output) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := &output{says: make(chan struct{})}
	p, err := runtimeapi.Start(binary, variables, out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Kill() })
	return p, out
}

// invoke sends an event, and returns what the function says to it.
func invoke(ctx context.Context, p *runtimeapi.Process, event string) (string, error) {
	body, err := p.Invoke(ctx, []byte(`"`+event+`"`))
	if err != nil {
		return "", err
	}
	var said string
	err = json.Unmarshal(body, &said)
	return said, err
}

func TestOneProcessTakesOneEventAfterTheOtherAndFailsWithoutEnding(t *testing.T) {
	p, _ := start(t)
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if said, err := invoke(t.Context(), p, "hello"); said != "hello" || err != nil {
			t.Fatalf("it says %q, %v", said, err)
		}
		var failure *runtimeapi.FunctionError
		if _, err := invoke(t.Context(), p, "fail"); !errors.As(err, &failure) || failure.Message != "it cannot" {
			t.Fatalf("it fails with %v", err)
		}
	}
}

func TestAProcessKnowsItsDeadlineAndNothingOfThisOnesEnvironment(t *testing.T) {
	t.Setenv("STRANDLINE_TABLE", "of the test")
	p, _ := start(t, "STRANDLINE_GATE=main")
	said, err := invoke(t.Context(), p, "environment")
	if err != nil || !strings.Contains(said, "STRANDLINE_GATE=main") || strings.Contains(said, "of the test") || strings.Contains(said, "HOME=") {
		t.Errorf("its environment is %s, %v", said, err)
	}
	at := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	ctx, cancel := context.WithDeadline(t.Context(), at)
	defer cancel()
	if said, err := invoke(ctx, p, "deadline"); said != at.Format(time.RFC3339) || err != nil {
		t.Errorf("its deadline is %s, %v: want %s", said, err, at)
	}
}

// A kill that lets the process finish, or that counts one which was idle, would
// prove nothing about processes that are killed.
func TestAProcessThatIsKilledAtAnEventNeverAnswersItAndWasBusy(t *testing.T) {
	p, out := start(t)
	failed := make(chan error)
	go func() {
		_, err := invoke(t.Context(), p, "hang")
		failed <- err
	}()
	<-out.says
	if !p.Busy() || !p.Kill() {
		t.Error("it was at an event, and is not said to have been")
	}
	if err := <-failed; !errors.Is(err, runtimeapi.ErrEnded) {
		t.Errorf("the event ends with %v", err)
	}
	if _, err := invoke(t.Context(), p, "hello"); !errors.Is(err, runtimeapi.ErrEnded) {
		t.Errorf("the next event ends with %v", err)
	}
	if p.Kill() {
		t.Error("one that is gone is said to have been busy")
	}
	idle, _ := start(t)
	if _, err := invoke(t.Context(), idle, "hello"); err != nil || idle.Kill() {
		t.Errorf("one that has answered is said to have been busy; %v", err)
	}
}

func TestAnInvocationThatTakesTooLongEndsItsProcess(t *testing.T) {
	p, out := start(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-out.says
		cancel(nil)
	}()
	if _, err := invoke(ctx, p, "hang"); !errors.Is(err, runtimeapi.ErrTimedOut) {
		t.Errorf("it ends with %v", err)
	}
	if _, err := invoke(t.Context(), p, "hello"); !errors.Is(err, runtimeapi.ErrEnded) {
		t.Errorf("the next one ends with %v", err)
	}
}

func TestABinaryThatCannotBeginIsSaidToHaveEnded(t *testing.T) {
	p, _ := start(t, endsAtOnce+"=1")
	if err := p.Ready(t.Context()); !errors.Is(err, runtimeapi.ErrEnded) {
		t.Errorf("it is %v", err)
	}
	if _, err := runtimeapi.Start("/no/such/binary", nil, &output{says: make(chan struct{})}); err == nil {
		t.Error("a binary that is not there starts")
	}
}
