package localstack

import (
	"os/exec"
	"runtime"
	"time"
)

// Process is a running child with its descendants.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended and its group is gone
	err  error         // how it ended; read it after done
}

// StartProcess starts the command in a process group of its own. On Linux it
// ends with this process, however that ends; everywhere by Stop.
func StartProcess(cmd *exec.Cmd) (*Process, error) {
	ownGroup(cmd)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go p.own(started)
	return p, <-started
}

// own starts the child and waits for it on one thread that lives as long as
// the child: Linux sends the parent-death signal when the thread that forked
// ends, not the process.
func (p *Process) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	// At once, while the group's number cannot have been given to others:
	// what the child had started itself does not outlive it.
	killGroup(p.cmd)
	close(p.done)
}

// Done is closed when the child has ended, and all it started.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop ends the child and all it started, politely first, and waits.
func (p *Process) Stop(grace time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	terminateGroup(p.cmd)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		killGroup(p.cmd)
		<-p.done
	}
}
