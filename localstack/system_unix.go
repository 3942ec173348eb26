//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package localstack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// fileLock is held from tryLock to release, or to the end of the process.
type fileLock struct{ f *os.File }

// tryLock answers nil without an error where somebody else holds the lock.
func tryLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &fileLock{f}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

func (l *fileLock) release() { l.f.Close() }

// ownGroup puts the child into a process group of its own: a ctrl-C at the
// terminal reaches the parent alone, and one signal reaches all descendants.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	dieWithParent(cmd.SysProcAttr)
}

func terminateGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }
func killGroup(cmd *exec.Cmd)      { signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, sig syscall.Signal) {
	// The only error left is "no such process", which is what the caller wants.
	_ = syscall.Kill(-cmd.Process.Pid, sig)
}
