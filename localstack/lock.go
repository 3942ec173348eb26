package localstack

import (
	"context"
	"fmt"
	"io"
	"time"
)

const lockPoll = 50 * time.Millisecond

// lock waits until no other process holds the file's lock, or ctx ends. The
// system frees it when its holder dies, so a killed run locks nobody out.
func lock(ctx context.Context, path string, progress io.Writer) (*fileLock, error) {
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for tries := 0; ; tries++ {
		l, err := tryLock(path)
		if l != nil || err != nil {
			return l, err
		}
		if tries == 20 {
			fmt.Fprintln(progress, "waiting for another process that is installing the emulator")
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the lock of .tools: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
