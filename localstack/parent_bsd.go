//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package localstack

import "syscall"

// dieWithParent does nothing: these systems have no parent-death signal that
// all of them share. Stop is what ends the emulator here.
func dieWithParent(*syscall.SysProcAttr) {}
