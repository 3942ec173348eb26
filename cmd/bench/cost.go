package main

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/localstack/bill"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger"
)

// runCost cleans up a backlog over the wire, and prints what was counted, and the
// table of docs/costs.md.
func runCost(ctx context.Context, args []string) error {
	f := flagsOf("cost")
	short := f.Bool("short", false, "a backlog in four shards of the due index only")
	if err := parse(f, args); err != nil {
		return err
	}
	shards := ledger.Shards
	if *short {
		shards = 4
	}
	return onEmulator(ctx, func(endpoint string) error {
		run, err := bill.Measure(ctx, awsconf.ForEndpoint(endpoint), shards, time.Now)
		if err != nil {
			return err
		}
		b, err := run.Bill()
		if err != nil {
			return err
		}
		return showCost(run, b)
	})
}

func showCost(run bill.Run, b bill.Bill) error {
	w := run.Work()
	err := show(fmt.Sprintf("cost: %d abandoned uploads of %d objects over the wire; every call of two passes, the workers and their event source", run.Uploads, bill.Objects),
		figure{what: "ledger reads an upload", measured: w.LedgerReads, unit: "calls", bound: atMost(2)},
		figure{what: "records in them", measured: w.RecordReads, unit: "records"},
		figure{what: "ledger writes an upload", measured: w.LedgerWrites, unit: "calls", bound: atMost(3.1)},
		figure{what: "queue calls an upload", measured: w.QueueCalls, unit: "calls", bound: atMost(0.35)},
		figure{what: "objects a storage call", measured: w.PerStoreCall, unit: "objects", bound: atLeast(500)},
		figure{what: "a million uploads, counted calls", measured: bill.Sum(b.Calls...), unit: "$", bound: atMost(10)},
		figure{what: "a million uploads, with logs and Lambda's time", measured: b.Total(), unit: "$", bound: atMost(10)},
		figure{what: "the same, and their tombstones for 30 days", measured: b.Total() + b.Kept.Dollars, unit: "$"},
	)
	fmt.Printf("\n%s", b.Table())
	return err
}
