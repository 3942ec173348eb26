package cleanup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// each does something for every job. All of a batch together do Concurrency
// things at a time, so do may not call it again. A job that breaks does not harm
// another.
func (p *purge) each(ctx context.Context, jobs []*job, do func(*job)) {
	var all sync.WaitGroup
	for _, j := range jobs {
		p.turns <- struct{}{}
		all.Go(func() {
			defer func() { <-p.turns }()
			p.shielded(ctx, []*job{j}, func() { do(j) })
		})
	}
	all.Wait()
}

// leaveRest gives up what something that broke has left behind.
func (p *purge) leaveRest(ctx context.Context, jobs []*job) {
	p.each(ctx, jobs, func(j *job) {
		if !j.concluded {
			p.leave(ctx, j)
		}
	})
}

func stoppedOf(jobs []*job) []*job {
	var stopped []*job
	for _, j := range jobs {
		if j.stopped() {
			stopped = append(stopped, j)
		}
	}
	return stopped
}

// shielded does something for the jobs; if it panics, they are stopped.
func (p *purge) shielded(ctx context.Context, jobs []*job, do func()) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		what := describe(v)
		for _, j := range jobs {
			j.stop(trouble{KindRetrying, "panic: " + what, p.Now().Add(brokenHide)})
		}
		p.Log.ErrorContext(ctx, "worker panicked", slog.String("panic", what), slog.String("stack", string(debug.Stack())))
	}()
	do()
}

// describe names a panic. Only the runtime's own errors are quoted: another
// value may hold an object key.
func describe(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", v)
}

// fan does something for 0..n-1 and returns the first error; a panic is one.
// All fans of a batch together do Concurrency things at a time.
func (p *purge) fan(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range n {
		p.calls <- struct{}{}
		g.Go(func() (err error) {
			defer func() { <-p.calls }()
			defer func() {
				if v := recover(); v != nil {
					err = errors.New("panic: " + describe(v))
				}
			}()
			return do(ctx, i)
		})
	}
	return g.Wait()
}
