package localstack

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// Without the parent-death signal a killed test run would leave its emulator
// behind for good.
func TestAChildEndsWithAParentThatIsKilled(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentRole+"=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pid := readPid(t, bufio.NewReader(out))
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	assertGone(t, pid)
}
