package localstacktest_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
)

// inChild is set where this binary runs itself again to see how it ends.
const inChild = "STRANDLINE_TEST_CHILD"

func TestMain(m *testing.M) { localstacktest.Main(m) }

func TestEndpointIsOneForTheProcessAndAnswers(t *testing.T) {
	first, second := localstacktest.Endpoint(t), localstacktest.Endpoint(t)
	if first != second {
		t.Errorf("two endpoints in one process: %s and %s", first, second)
	}
	resp, err := http.Get(first)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("listing buckets at %s: %s", first, resp.Status)
	}
}

func TestAGivenEndpointIsUsedAsItIs(t *testing.T) {
	out, code := runChild(t, "", "Print", localstacktest.EndpointVariable+"=http://127.0.0.1:1")
	if code != 0 || !strings.Contains(out, "endpoint http://127.0.0.1:1\n") {
		t.Errorf("status %d, output %s", code, out)
	}
}

func TestAGivenEndpointThatIsNoURLFailsTheTest(t *testing.T) {
	out, code := runChild(t, "", "Print", localstacktest.EndpointVariable+"=localhost:4566")
	if code != 1 || !strings.Contains(out, `STRANDLINE_TEST_ENDPOINT is "localhost:4566": expected a URL`) {
		t.Errorf("status %d, output %s", code, out)
	}
}

// A skip instead of a failure would let a machine without Python report that
// all is well, having tested nothing on the wire.
func TestWithoutPythonTheTestFailsAndDoesNotSkip(t *testing.T) {
	project := t.TempDir()
	mod := "module github.com/strandline-dev/strandline\n"
	if err := os.WriteFile(filepath.Join(project, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := runChild(t, project, "Print", localstack.PythonVariable+"=no-such-python")
	if code != 1 || !strings.Contains(out, `STRANDLINE_PYTHON is "no-such-python"`) || !strings.Contains(out, "--- FAIL") {
		t.Errorf("status %d, output %s", code, out)
	}
}

func TestAnInterruptStopsTheEmulatorBeforeTheTestsEnd(t *testing.T) {
	cmd := child("", "Wait", localstacktest.EndpointVariable+"=")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address := readAddress(t, stdout)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit status %d after an interrupt, not 130", code)
	}
	if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
		conn.Close()
		t.Errorf("%s still answers after an interrupt", address)
	}
}

func readAddress(t *testing.T, out interface{ Read([]byte) (int, error) }) string {
	t.Helper()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "endpoint http://"); ok {
			return address
		}
	}
	t.Fatal("the child ended without an endpoint")
	return ""
}

func runChild(t *testing.T, dir, role string, env ...string) (output string, code int) {
	t.Helper()
	cmd := child(dir, role, env...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func child(dir, role string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild"+role+"$", "-test.count=1", "-test.timeout=2m")
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), inChild+"=1"), env...)
	return cmd
}

func TestChildPrint(t *testing.T) {
	if os.Getenv(inChild) == "" {
		return // a role that other tests play in a process of their own
	}
	fmt.Fprintln(os.Stdout, "endpoint "+localstacktest.Endpoint(t))
}

func TestChildWait(t *testing.T) {
	if os.Getenv(inChild) == "" {
		return // as above
	}
	fmt.Fprintln(os.Stdout, "endpoint "+localstacktest.Endpoint(t))
	time.Sleep(time.Minute)
	t.Error("nobody interrupted this process")
}
