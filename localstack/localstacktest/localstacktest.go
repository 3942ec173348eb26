// Package localstacktest gives the tests of one package an emulator to talk to:
// one for each test process, on a port of its own, so packages can be tested at
// the same time.
//
// It never skips. A test that cannot have its emulator fails and says in one
// line why.
package localstacktest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack"
)

// EndpointVariable names the environment variable that has the tests use a
// cloud that is running already, instead of starting one.
const EndpointVariable = "STRANDLINE_TEST_ENDPOINT"

// startWithin includes a first install over a slow line.
const startWithin = 5 * time.Minute

// interrupted is the exit status that shells give to a ctrl-C.
const interrupted = 130

// interrupt ends a start that is under way when a signal arrives.
var interrupt, interruptNow = context.WithCancel(context.Background())

var shared struct {
	sync.Mutex
	tried    bool
	endpoint string
	cloud    *localstack.Cloud
	err      error
}

// Endpoint returns the base URL of the emulator of this test process, and
// starts it at the first call. The package's TestMain has to call Main, which
// stops it.
func Endpoint(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.tried {
		shared.tried = true
		shared.endpoint, shared.cloud, shared.err = open()
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.endpoint
}

// Main runs a package's tests, stops the emulator if one was started, and
// exits with the tests' status. It is to be all that TestMain does:
//
//	func TestMain(m *testing.M) { localstacktest.Main(m) }
func Main(m *testing.M) {
	stopOnSignal()
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func open() (string, *localstack.Cloud, error) {
	if given := os.Getenv(EndpointVariable); given != "" {
		u, err := url.Parse(given)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "", nil, fmt.Errorf("%s is %q: expected a URL such as http://127.0.0.1:4566", EndpointVariable, given)
		}
		return given, nil, nil
	}
	ctx, cancel := context.WithTimeout(interrupt, startWithin)
	defer cancel()
	cloud, err := localstack.Start(ctx, localstack.Options{Progress: os.Stderr})
	if err != nil {
		return "", nil, err
	}
	return cloud.Endpoint(), cloud, nil
}

func stop() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.cloud == nil {
		return nil
	}
	return shared.cloud.Stop()
}

// stopOnSignal ends the emulator before a ctrl-C ends the tests: it is in a
// process group of its own, which the signal does not reach.
func stopOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		interruptNow()
		_ = stop() // the exit status says it already
		os.Exit(interrupted)
	}()
}
