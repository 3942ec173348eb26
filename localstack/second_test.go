//go:build second

package localstack

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// lazy leaves the services alone, which these tests do not call.
func lazy() []string { return []string{"EAGER_SERVICE_LOADING=0"} }

// Without hypercorn it would listen on every address of the machine. Without
// its folder it would write where LocalStack's container image does.
func TestLocalStackAnswersOnLoopbackAloneUntilItIsStoppedAndLeavesNothing(t *testing.T) {
	cloud := startCloud(t, Options{Emulator: LocalStack, Env: lazy()})
	resp, err := http.Get(cloud.Endpoint() + "/_localstack/health")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("health: %s", resp.Status)
	}
	for _, address := range others(t) {
		if conn, err := net.Dial("tcp", net.JoinHostPort(address, strconv.Itoa(cloud.port(t)))); err == nil {
			conn.Close()
			t.Errorf("it listens on %s", address)
		}
	}
	if _, err := os.Stat(cloud.space.dir + "/var/lib/localstack"); err != nil {
		t.Errorf("its folders are elsewhere: %v", err)
	}
	if err := cloud.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if _, err := os.Stat(cloud.space.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state is still there: %v", err)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(cloud.Endpoint(), "http://")); err == nil {
		conn.Close()
		t.Error("the port still answers")
	}
}

// others are the machine's IPv4 addresses but loopback's, and one more of that.
func others(t *testing.T) []string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	found := []string{"127.0.0.2"}
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			found = append(found, ip.IP.String())
		}
	}
	return found
}

// LocalStack goes on without the port, and says nothing: without the look at
// who answers, two runs would share the first one's buckets.
func TestLocalStackGivesUpAPortThatAnotherHas(t *testing.T) {
	first := startCloud(t, Options{Emulator: LocalStack, Env: lazy()})
	r := LocalStack.recipe()
	interpreter, space, err := r.prepare(t.Context(), toolsOf(t), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = space.remove() })
	if _, err := r.launch(t.Context(), interpreter, space, first.port(t), lazy()); !errors.Is(err, errPortTaken) {
		t.Errorf("error %v", err)
	}
}
