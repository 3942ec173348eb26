package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/strandline-dev/strandline/localstack"
)

const (
	startWithin = 4 * time.Minute // the first time it may have to be fetched
	stopGrace   = 10 * time.Second
)

// Server is a PostgreSQL that ends with the test.
type Server struct {
	dir string
	n   atomic.Int64
}

// Start starts a server for the test and its subtests.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start(t)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func start(t testing.TB) (*Server, error) {
	who, err := account()
	if err != nil {
		return nil, err
	}
	dir, err := folder(who)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(t.Context(), startWithin)
	defer cancel()
	bin, err := programs(ctx, dir, who)
	if err != nil {
		return nil, err
	}
	if err := initialize(ctx, bin, dir, who); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { log.Close() })
	cmd := command(context.WithoutCancel(ctx), dir, who, filepath.Join(bin, "postgres"), serving(dir)...)
	cmd.Stdout, cmd.Stderr = log, log
	p, err := localstack.StartProcess(cmd)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	t.Cleanup(func() { p.Stop(stopGrace) })
	s := &Server{dir: dir}
	return s, s.ready(ctx, p.Done())
}

// initialize makes a cluster that lives no longer than the test: what makes it
// survive a power cut is off.
func initialize(ctx context.Context, bin, dir string, who *syscall.Credential) error {
	cmd := command(ctx, dir, who, filepath.Join(bin, "initdb"), "--pgdata", filepath.Join(dir, "data"),
		"--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync")
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("initdb: %w: %s", err, lines[len(lines)-1])
	}
	return nil
}

func serving(dir string) []string {
	args := []string{"-D", filepath.Join(dir, "data"), "-k", dir}
	for _, setting := range []string{
		"listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
		"shared_buffers=16MB", "max_connections=40", "autovacuum=off",
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// command has the caller's environment without what libpq and the server would
// take from it.
func command(ctx context.Context, dir string, who *syscall.Credential, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: who}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

// ready waits until the server answers, or has ended.
func (s *Server) ready(ctx context.Context, ended <-chan struct{}) error {
	for {
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ended:
			return errors.Join(errors.New("postgres ended before it was ready"), s.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("postgres was not ready in %v: %w", startWithin, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *Server) lastWords() error {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	return errors.New(strings.TrimSpace(string(text)))
}

func (s *Server) url(database string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&user=postgres&sslmode=disable", database, s.dir)
}

// Database makes a new database with the scripts in it, and returns its URL.
func (s *Server) Database(t testing.TB, scripts ...string) string {
	t.Helper()
	name := fmt.Sprintf("test%d", s.n.Add(1))
	run(t, s.url("postgres"), "CREATE DATABASE "+name)
	run(t, s.url(name), scripts...)
	return s.url(name)
}

// Empty makes a database as new, with the scripts in it: quicker than another.
func Empty(t testing.TB, url string, scripts ...string) {
	t.Helper()
	run(t, url, "DROP SCHEMA IF EXISTS strandline, public CASCADE; CREATE SCHEMA public")
	run(t, url, scripts...)
}

func run(t testing.TB, url string, scripts ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // only run for its end
	for _, script := range scripts {
		if _, err := conn.Exec(t.Context(), script, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	}
}
