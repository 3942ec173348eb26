// Package sdkcalls notes what is asked of the AWS SDK, so that a benchmark can
// ask the same again, bare, as the bound of what it measures.
package sdkcalls

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
)

// Log is the inputs of calls, in the order in which they began. The zero Log is
// ready; it may be used by many at once.
type Log struct {
	mu  sync.Mutex
	all []any
}

// Of is the configuration of clients whose calls are noted.
func (l *Log) Of(cfg aws.Config) aws.Config {
	note := middleware.InitializeMiddlewareFunc("bench.calls",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			l.mu.Lock()
			l.all = append(l.all, in.Parameters)
			l.mu.Unlock()
			return next.HandleInitialize(ctx, in)
		})
	cfg = cfg.Copy()
	cfg.APIOptions = append(cfg.APIOptions, func(s *middleware.Stack) error {
		return s.Initialize.Add(note, middleware.Before)
	})
	return cfg
}

// Take returns what was noted since the last Take, and begins anew.
func (l *Log) Take() []any {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	return taken
}
