//go:build linux || darwin || freebsd

package reconcile

import "syscall"

// freeBytes is how much a user may still write to a folder's disk.
func freeBytes(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
