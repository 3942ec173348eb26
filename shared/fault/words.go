package fault

import (
	"context"
	"fmt"
	"iter"
	"syscall"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// err is the failure as an adapter would say it. A condition is said by each
// decorator in its own way.
func (k Kind) err() error {
	switch k {
	case Throttled, PartThrottled:
		return fmt.Errorf("%w: injected", upload.ErrThrottled)
	case Denied, PartDenied:
		return fmt.Errorf("%w: injected", upload.ErrDenied)
	case Timeout:
		return fmt.Errorf("%w: injected: %w", upload.ErrUnclear, context.DeadlineExceeded)
	case Reset:
		return fmt.Errorf("%w: injected: %w", upload.ErrUnclear, syscall.ECONNRESET)
	case Condition:
		return fmt.Errorf("%w: injected", upload.ErrChanged)
	case Death:
		return ErrDead
	}
	return fmt.Errorf("%w: injected: %s", upload.ErrUnclear, k)
}

// outcome is the failure as a store says it of one version.
func (k Kind) outcome() (objects.Outcome, string) {
	switch k {
	case Throttled, PartThrottled:
		return objects.Throttled, "SlowDown"
	case Denied, PartDenied:
		return objects.Denied, "AccessDenied"
	}
	return objects.Unclear, "injected"
}

// call makes a call that answers with one thing.
func call[T any](ctx context.Context, s *Set, operation string, do func() (T, error)) (T, error) {
	return callOr(ctx, s, operation, upload.ErrChanged, do)
}

// callOr says a condition that does not hold by an error of its own.
func callOr[T any](ctx context.Context, s *Set, operation string, condition error, do func() (T, error)) (T, error) {
	var nothing T
	c := s.meet(ctx, operation)
	if c.Kind == "" {
		return do()
	}
	if c.When == After {
		_, _ = do() // whatever it says is lost
	}
	if c.Kind == Condition {
		return nothing, condition
	}
	return nothing, c.Kind.err()
}

// run makes a call that answers with nothing but an error.
func run(ctx context.Context, s *Set, operation string, condition error, do func() error) error {
	_, err := callOr(ctx, s, operation, condition, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

// sequence makes a call that answers page by page: it fails before the first
// entry, or, cut off, after it.
func sequence[T any](ctx context.Context, s *Set, operation string, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var nothing T
		c := s.meet(ctx, operation)
		if c.Kind != "" && c.Kind != Cut {
			yield(nothing, c.Kind.err())
			return
		}
		for entry, err := range all {
			if !yield(entry, err) {
				return
			}
			if c.Kind == Cut {
				break
			}
		}
		if c.Kind == Cut {
			yield(nothing, c.Kind.err())
		}
	}
}
