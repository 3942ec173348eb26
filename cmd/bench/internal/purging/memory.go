package purging

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"github.com/strandline-dev/strandline/functions/worker"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

// LargeUpload is how many objects the one large upload has.
const LargeUpload = 10_000

// task is what the process of the worker is told on its standard input.
type task struct {
	Endpoint string
	Config   worker.Config
	Events   []json.RawMessage
}

// PeakOfWorker has a process purge two batches of BatchSize messages, uploads of
// 10 objects, the large one among the second's, and returns the most memory that
// it had, in bytes. The process is this program's, called with args, which have
// to end in [Work].
func PeakOfWorker(ctx context.Context, endpoint string, args ...string) (peak int64, err error) {
	sizes := same(2*BatchSize, 10)
	sizes[BatchSize+BatchSize/2] = LargeUpload
	return peakOver(ctx, endpoint, sizes, func(t task) (int64, error) { return t.run(ctx, args) })
}

// peakOver has somebody do the task of purging uploads of these sizes.
func peakOver(ctx context.Context, endpoint string, sizes []int, do func(task) (int64, error)) (peak int64, err error) {
	w, err := newWorld(ctx, endpoint, "bench-memory")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.made.Delete(context.WithoutCancel(ctx))) }()
	if err := w.fill(ctx, sizes, false); err != nil {
		return 0, err
	}
	t := task{Endpoint: endpoint, Config: w.cfg}
	if t.Events, err = w.events(); err != nil {
		return 0, err
	}
	if peak, err = do(t); err != nil {
		return 0, err
	}
	return peak, w.verify(ctx)
}

func (t task) run(ctx context.Context, args []string) (int64, error) {
	told, err := json.Marshal(t)
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(told), &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("the worker's process: %w", err)
	}
	return strconv.ParseInt(out.String(), 10, 64)
}

// Work is the worker's process: it does what it is told, and nothing else, and
// says the most memory that it had, in bytes.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	var t task
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return err
	}
	w := &world{cfg: t.Config}
	app, err := w.app(awsconf.ForEndpoint(t.Endpoint))
	if err != nil {
		return err
	}
	for _, event := range t.Events {
		if err := handleEvent(ctx, app, event); err != nil {
			return err
		}
	}
	peak, err := peakOfSelf()
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, peak)
	return err
}

// peakOfSelf is the most memory that this process had. Linux charges a process
// with the size of the one that started it, in what wait4 says; the kernel's own
// line about the process does not.
func peakOfSelf() (int64, error) {
	if runtime.GOOS != "linux" {
		var usage syscall.Rusage
		err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
		return int64(usage.Maxrss), err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			var kb int64
			_, err := fmt.Sscanf(string(rest), "%d kB", &kb)
			return kb << 10, err
		}
	}
	return 0, errors.New("the kernel does not say how much memory this process had")
}
