package sim

import (
	"fmt"
	"iter"
	"strings"

	"github.com/strandline-dev/strandline/shared/upload"
)

// failed is the error of a call that was not answered as it should be; nil for
// one that was.
func failed(what string, w way) error {
	switch w {
	case throttled:
		return fmt.Errorf("%s: %w", what, upload.ErrThrottled)
	case echo:
		return fmt.Errorf("%s: %w", what, upload.ErrRefused)
	case timeout, lost, part:
		return fmt.Errorf("%s: %w", what, upload.ErrUnclear)
	case denied:
		return fmt.Errorf("%s: %w", what, upload.ErrDenied)
	case dead:
		return errDead
	}
	return nil
}

// done reports whether the call is carried out.
func (w way) done() bool { return w == asked || w == lost || w == slow || w == echo }

// answered lets time pass between what was done and its answer.
func (p *process) answered(what string, w way) way {
	if w != slow {
		return w
	}
	return p.enter("answer of " + what)
}

// refused notes in the trace that the store said no.
func (p *process) refused(err error) {
	d := p.host.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	text := err.Error()
	d.note(p.host.name, "  refused: "+text[strings.LastIndex(text, ": ")+1:], asked)
}

// torn yields what a listing yields, or only its first half and then an error.
func torn[T any](all iter.Seq2[T, error], what string, w way) iter.Seq2[T, error] {
	if w != part {
		return all
	}
	return func(yield func(T, error) bool) {
		var items []T
		for item, err := range all {
			if err == nil {
				items = append(items, item)
			}
		}
		for _, item := range items[:len(items)/2] {
			if !yield(item, nil) {
				return
			}
		}
		var none T
		yield(none, failed(what, w))
	}
}

// whole yields what comes before an error, and no error.
func whole[T any](all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for item, err := range all {
			if err != nil || !yield(item, nil) {
				return
			}
		}
	}
}
