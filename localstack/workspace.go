package localstack

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// workspace is the folder of one running emulator: state, temporary files, log.
// Its lock is held while the emulator may use it.
type workspace struct {
	dir  string
	held *fileLock
}

// prepare installs the emulator where needed and opens a workspace for one run.
// All of it happens under the lock of tools: concurrent test packages install
// once, and a new workspace is never seen without its lock.
func (r recipe) prepare(ctx context.Context, tools string, progress io.Writer) (interpreter string, w *workspace, err error) {
	runs := filepath.Join(tools, "run")
	if err := os.MkdirAll(runs, 0o755); err != nil {
		return "", nil, fmt.Errorf("prepare .tools: %w", err)
	}
	held, err := lock(ctx, filepath.Join(tools, "lock"), progress)
	if err != nil {
		return "", nil, err
	}
	defer held.release()
	if interpreter, err = r.install(ctx, tools, progress); err != nil {
		return "", nil, err
	}
	sweep(runs)
	w, err = openWorkspace(runs, r.name)
	return interpreter, w, err
}

func openWorkspace(runs, name string) (*workspace, error) {
	dir, err := os.MkdirTemp(runs, name+"-")
	if err != nil {
		return nil, fmt.Errorf("open a workspace: %w", err)
	}
	held, err := tryLock(filepath.Join(dir, "lock"))
	if err == nil && held == nil {
		err = fmt.Errorf("workspace %s is locked by another process", filepath.Base(dir))
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &workspace{dir: dir, held: held}, nil
}

func (w *workspace) logPath() string { return filepath.Join(w.dir, "log") }

func (w *workspace) remove() error {
	err := os.RemoveAll(w.dir)
	w.held.release()
	if err != nil {
		return fmt.Errorf("remove the emulator's state: %w", err)
	}
	return nil
}

// sweep removes the workspaces of runs that were killed: nobody holds their
// lock. What cannot be removed now is left to the next start.
func sweep(runs string) {
	dirs, _ := filepath.Glob(filepath.Join(runs, "*-*"))
	for _, dir := range dirs {
		held, err := tryLock(filepath.Join(dir, "lock"))
		if held == nil || err != nil {
			continue
		}
		os.RemoveAll(dir)
		held.release()
	}
}
