package localstack

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parentRole has TestMain act as a parent that starts a child and is killed.
const parentRole = "STRANDLINE_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentRole) == "" {
		os.Exit(m.Run())
	}
	cmd := exec.Command("sleep", "60")
	if _, err := StartProcess(cmd); err != nil {
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, cmd.Process.Pid)
	time.Sleep(time.Minute)
}

func TestStopEndsAChildThatIgnoresThePoliteSignalAndWhatItStarted(t *testing.T) {
	// Both the shell and its child ignore SIGTERM.
	p, grandchild := startPrinting(t, exec.Command("sh", "-c", `trap "" TERM; sleep 60 & echo $!; wait; sleep 60`))
	p.Stop(100 * time.Millisecond)
	p.Stop(100 * time.Millisecond)
	assertGone(t, grandchild)
}

func TestWhatAChildStartedEndsWithIt(t *testing.T) {
	p, grandchild := startPrinting(t, exec.Command("sh", "-c", `sleep 60 >&- & echo $!`))
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		t.Fatal("the shell has not ended")
	}
	assertGone(t, grandchild)
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	if _, err := StartProcess(exec.Command("/no/such/program")); err == nil {
		t.Error("it started")
	}
}

// startPrinting starts a command that prints one process id.
func startPrinting(t *testing.T, cmd *exec.Cmd) (*Process, int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.Stdout = w
	p, err := StartProcess(cmd)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(0) })
	return p, readPid(t, bufio.NewReader(r))
}

func readPid(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// assertGone waits for the system to take a process away, or to leave only its
// exit status for an init that collects none.
func assertGone(t *testing.T, pid int) {
	t.Helper()
	for range 100 {
		if syscall.Kill(pid, 0) != nil || isZombie(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
