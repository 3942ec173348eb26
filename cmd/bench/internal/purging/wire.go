package purging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/cmd/bench/internal/sdkcalls"
)

// Wire is what came out over the wire, a value for each pair.
type Wire struct {
	Calls int // of the SDK, in one purge
	// Purge and Bare are the seconds of the worker and of its calls replayed.
	Purge, Bare []float64
	// Singly is the seconds that a loop of single calls takes for as many.
	Singly float64
}

// OverWire purges so many uploads of so many objects on an endpoint, as often
// as pairs says, in turns with the same calls replayed bare; and a tenth of them
// singly. Once before that the objects are really there, and everything is
// looked at afterwards; in the pairs only the ledger is put back as it was, so
// both sides delete versions that are gone already, which costs the emulator
// about as much.
func OverWire(ctx context.Context, endpoint string, uploads, objects, pairs int) (w Wire, err error) {
	in, err := newWorld(ctx, endpoint, "bench-wire")
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, in.made.Delete(context.WithoutCancel(ctx))) }()
	if err := in.fill(ctx, same(uploads, objects), true); err != nil {
		return w, err
	}
	var noted sdkcalls.Log
	if _, err := in.purge(ctx, noted.Of(in.cloud)); err != nil {
		return w, err
	}
	made := calls(noted.Take())
	if err := in.verify(ctx); err != nil {
		return w, fmt.Errorf("after the purge: %w", err)
	}
	w.Calls = len(made)
	for pair := range pairs {
		if err := in.pair(ctx, made, pair%2 == 0, &w); err != nil {
			return w, err
		}
	}
	if err := in.restore(ctx); err != nil {
		return w, err
	}
	took, err := made.singly(ctx, in.cloud, uploads/10)
	w.Singly = took.Seconds() * float64(uploads) / float64(uploads/10)
	return w, err
}

func same(n, objects int) []int {
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = objects
	}
	return sizes
}

// pair measures both, each on the ledger as it was at first.
func (w *world) pair(ctx context.Context, made calls, oursFirst bool, to *Wire) error {
	ours := func() error {
		took, err := w.purge(ctx, w.cloud)
		to.Purge = append(to.Purge, took.Seconds())
		return err
	}
	bare := func() error {
		took, err := made.replay(ctx, w.cloud)
		to.Bare = append(to.Bare, took.Seconds())
		return err
	}
	turns := []func() error{ours, bare}
	if !oursFirst {
		turns = []func() error{bare, ours}
	}
	for _, turn := range turns {
		if err := w.restore(ctx); err != nil {
			return err
		}
		time.Sleep(settle)
		if err := turn(); err != nil {
			return err
		}
	}
	return nil
}

// settle is a rest before each measurement: what the one before has left to do,
// the collector of either side among it, is done then.
const settle = 200 * time.Millisecond
