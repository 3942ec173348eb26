package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/strandline-dev/strandline/cmd/bench/internal/purging"
	"github.com/strandline-dev/strandline/localstack"
)

const objectsPerUpload = 10

// runPurge measures the worker: over the wire, over slow stores, and its memory.
func runPurge(ctx context.Context, args []string) error {
	f := flagsOf("purge")
	uploads := f.Int("uploads", 2_000, "uploads of 10 objects to purge")
	pairs := f.Int("pairs", 5, "how often each side is measured; medians are printed")
	short := f.Bool("short", false, "200 uploads, three pairs")
	work := f.Bool("work", false, "only be the worker whose memory is measured (used by the command itself)")
	if err := parse(f, args); err != nil {
		return err
	}
	if *work {
		return purging.Work(ctx, os.Stdin, os.Stdout)
	}
	if *short {
		*uploads, *pairs = 200, 3
	}
	if *uploads < 10 || *pairs < 1 {
		return errors.New("at least 10 uploads and one pair are needed")
	}
	return onEmulator(ctx, func(endpoint string) error {
		wire, err := purging.OverWire(ctx, endpoint, *uploads, objectsPerUpload, *pairs)
		if err != nil {
			return err
		}
		peak, err := purging.PeakOfWorker(ctx, endpoint, "purge", "-work")
		if err != nil {
			return err
		}
		slow, err := overSlowStores(ctx, *pairs)
		if err != nil {
			return err
		}
		return showPurge(*uploads, *pairs, wire, slow, peak)
	})
}

// onEmulator does something with an emulator of its own.
func onEmulator(ctx context.Context, do func(endpoint string) error) (err error) {
	cloud, err := localstack.Start(ctx, localstack.Options{Progress: os.Stderr})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cloud.Stop()) }()
	return do(cloud.Endpoint())
}

func overSlowStores(ctx context.Context, times int) (all []purging.Slow, err error) {
	for range times {
		s, err := purging.OverSlowStores(ctx, purging.BatchSize, objectsPerUpload)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func showPurge(uploads, pairs int, wire purging.Wire, slow []purging.Slow, peak int64) error {
	var ratios, reached []float64
	for i := range wire.Purge {
		ratios = append(ratios, wire.Purge[i]/wire.Bare[i])
	}
	for _, s := range slow {
		reached = append(reached, 100*s.Bound()/s.Seconds)
	}
	ours := median(wire.Purge)
	const percent, mb = "%", 1e6
	return show(fmt.Sprintf("purge: %d uploads of %d objects, batches of %d, concurrency %d, medians of %d; %d calls of the SDK",
		uploads, objectsPerUpload, purging.BatchSize, purging.Concurrency, pairs, wire.Calls),
		figure{"over the wire; baseline: the same calls, bare", ours, "s", median(wire.Bare), bound{}},
		figure{"median of the pairs' ratios", median(ratios), "x", 0, atMost(1.3)},
		figure{"one upload and one object at a time; baseline: the worker", wire.Singly, "s", ours, ratioAtLeast(3)},
		figure{fmt.Sprintf("of what the concurrency allows, ledger %v, store %v", purging.LedgerTakes, purging.StoreTakes),
			median(reached), percent, 0, atLeast(60)},
		figure{fmt.Sprintf("memory of a worker's process, batches of %d, one upload of %d objects", purging.BatchSize, purging.LargeUpload),
			float64(peak) / mb, "MB", 0, atMost(128)},
	)
}
