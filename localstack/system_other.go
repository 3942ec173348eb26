//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package localstack

import (
	"fmt"
	"os/exec"
	"runtime"
)

type fileLock struct{}

// tryLock is the first thing Start does, so this is the line that is read.
func tryLock(string) (*fileLock, error) {
	return nil, fmt.Errorf("the emulator cannot be started on %s: use Linux, macOS or WSL, or point AWS_ENDPOINT_URL at a running one", runtime.GOOS)
}

func (*fileLock) release()     {}
func ownGroup(*exec.Cmd)       {}
func terminateGroup(*exec.Cmd) {}
func killGroup(cmd *exec.Cmd)  { _ = cmd.Process.Kill() }
