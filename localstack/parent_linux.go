package localstack

import "syscall"

// dieWithParent has the kernel end the emulator when this process ends in a
// way that runs no Stop: killed, or a panic.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
