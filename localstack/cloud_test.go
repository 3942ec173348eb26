package localstack

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func startCloud(t *testing.T, opts Options) *Cloud {
	t.Helper()
	opts.Progress = os.Stderr
	cloud, err := Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cloud.Stop() })
	return cloud
}

func TestCloudAnswersUntilItIsStoppedAndLeavesNothing(t *testing.T) {
	cloud := startCloud(t, Options{})
	resp, err := http.Get(cloud.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("list buckets: %s", resp.Status)
	}
	for range 2 {
		if err := cloud.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
	if _, err := os.Stat(cloud.space.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state is still there: %v", err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(cloud.Endpoint(), "http://")); err == nil {
		conn.Close()
		t.Error("the port still answers")
	}
}

func TestTwoCloudsHavePortsOfTheirOwn(t *testing.T) {
	one, two := startCloud(t, Options{}), startCloud(t, Options{})
	if one.Endpoint() == two.Endpoint() {
		t.Errorf("both at %s", one.Endpoint())
	}
}

// Without the check of the name, the second cloud would take the answer of the
// first, on the port that both want, for its own.
func TestAPortThatAnotherCloudTookIsGivenUpForTheNext(t *testing.T) {
	first := startCloud(t, Options{})
	taken := first.port(t)
	interpreter, space, err := ministack.prepare(t.Context(), toolsOf(t), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	var tried []int
	pick := func() (int, error) {
		if len(tried) == 0 {
			return taken, nil
		}
		return freePort()
	}
	second, err := onFreePort(pick, func(port int) (*Cloud, error) {
		tried = append(tried, port)
		return ministack.launch(t.Context(), interpreter, space, port, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Stop() })
	if len(tried) != 2 || second.port(t) == taken {
		t.Errorf("tried %v, at %s", tried, second.Endpoint())
	}
}

func TestAStartThatFailsShowsTheEndOfTheLogInOneLine(t *testing.T) {
	_, err := Start(t.Context(), Options{Env: []string{"GATEWAY_PORT=soon"}, Progress: os.Stderr})
	if err == nil || !strings.Contains(err.Error(), "ended before it was ready: exit status 1: its log ends:") ||
		!strings.Contains(err.Error(), "soon") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestAStartIsGivenUpWithItsContext(t *testing.T) {
	startCloud(t, Options{}) // installed before the clock runs
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Start(ctx, Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > stopGrace+2*time.Second {
		t.Errorf("gave up after %s", took)
	}
}

func (c *Cloud) port(t *testing.T) int {
	t.Helper()
	addr, err := net.ResolveTCPAddr("tcp", strings.TrimPrefix(c.endpoint, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return addr.Port
}

func toolsOf(t *testing.T) string {
	t.Helper()
	root, err := findRoot("")
	if err != nil {
		t.Fatal(err)
	}
	return root + "/.tools"
}
