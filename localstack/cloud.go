package localstack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	stopGrace     = 3 * time.Second
	startAttempts = 5
)

// Options say how an emulator is started. The zero value is a good choice.
type Options struct {
	// Emulator is which; the zero value is ministack.
	Emulator Emulator
	// Dir is where the search for the project's root begins; empty means the
	// working directory.
	Dir string
	// Env has more settings for the emulator, such as "AUTH=true". It inherits
	// nothing else from this process but PATH, so that nobody's credentials
	// or settings change what a test sees.
	Env []string
	// Progress is told, one line each, about the steps that take long. Nil is
	// silence.
	Progress io.Writer
}

// Cloud is a running emulator. Stop it; it does not stop by itself.
type Cloud struct {
	endpoint string
	proc     *Process
	space    *workspace
	stopping sync.Once
	stopErr  error
}

// errPortTaken says that the port that was free a moment ago no longer is.
var errPortTaken = errors.New("port taken")

// Start installs the emulator if this project has not got it yet, starts it and
// returns when it answers. ctx bounds the start; the end of ctx afterwards
// stops nothing.
func Start(ctx context.Context, opts Options) (*Cloud, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	root, err := findRoot(opts.Dir)
	if err != nil {
		return nil, err
	}
	r := opts.Emulator.recipe()
	interpreter, space, err := r.prepare(ctx, filepath.Join(root, ".tools"), opts.Progress)
	if err != nil {
		return nil, err
	}
	cloud, err := onFreePort(freePort, func(port int) (*Cloud, error) {
		return r.launch(ctx, interpreter, space, port, opts.Env)
	})
	if err != nil {
		_ = space.remove() // why the start went wrong matters more; the next start sweeps
		return nil, err
	}
	return cloud, nil
}

// Fetch installs the emulator if this project has not got it yet, and starts
// nothing.
func Fetch(ctx context.Context, opts Options) error {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	root, err := findRoot(opts.Dir)
	if err != nil {
		return err
	}
	_, space, err := opts.Emulator.recipe().prepare(ctx, filepath.Join(root, ".tools"), opts.Progress)
	if err != nil {
		return err
	}
	return space.remove()
}

// onFreePort tries again where another process was quicker to take the port.
func onFreePort(pick func() (int, error), start func(int) (*Cloud, error)) (*Cloud, error) {
	for attempt := 1; ; attempt++ {
		port, err := pick()
		if err != nil {
			return nil, fmt.Errorf("pick a free port: %w", err)
		}
		cloud, err := start(port)
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return cloud, err
		}
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (r recipe) launch(ctx context.Context, interpreter string, space *workspace, port int, env []string) (*Cloud, error) {
	log, err := os.Create(space.logPath())
	if err != nil {
		return nil, fmt.Errorf("start the emulator: %w", err)
	}
	defer log.Close()
	name := rand.Text()
	if r.sign != nil {
		if err := r.sign(space.dir, name); err != nil {
			return nil, fmt.Errorf("start the emulator: %w", err)
		}
	}
	cmd := exec.Command(interpreter, "-I", "-m", r.module)
	cmd.Dir = space.dir
	cmd.Env = append(append(environment(space.dir), r.settings(space.dir, port, name)...), env...)
	cmd.Stdout, cmd.Stderr = log, log
	proc, err := StartProcess(cmd)
	if err != nil {
		return nil, fmt.Errorf("start the emulator: %w", err)
	}
	cloud := &Cloud{endpoint: "http://127.0.0.1:" + strconv.Itoa(port), proc: proc, space: space}
	if err := cloud.awaitReady(ctx, r, name); err != nil {
		proc.Stop(stopGrace)
		return nil, fmt.Errorf("start the emulator: %w: %s", err, cloud.logEnd())
	}
	return cloud, nil
}

// environment is what both emulators are given; they inherit nothing.
func environment(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"PYTHONUNBUFFERED=1",
	}
}

// Endpoint is the base URL of every service, such as http://127.0.0.1:41234.
func (c *Cloud) Endpoint() string { return c.endpoint }

// Log is the path of what the emulator has to say. Stop removes it.
func (c *Cloud) Log() string { return c.space.logPath() }

// Stop ends the emulator and all it started, waits for that, and removes its
// state. It can be called more than once and from several goroutines; all
// calls return when it is done, with the same answer.
func (c *Cloud) Stop() error {
	c.stopping.Do(func() {
		c.proc.Stop(stopGrace)
		c.stopErr = c.space.remove()
	})
	return c.stopErr
}

func (c *Cloud) logEnd() string {
	log, err := os.ReadFile(c.space.logPath())
	if err != nil {
		return err.Error()
	}
	return "its log ends: " + lastLines(log, 5)
}

func (c *Cloud) portTaken() bool {
	log, err := os.ReadFile(c.space.logPath())
	return err == nil && strings.Contains(strings.ToLower(string(log)), "already in use")
}
