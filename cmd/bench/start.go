package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/cmd/bench/internal/starting"
)

// coldStart is the most milliseconds from a process's start to its first answer.
const coldStart = 150

// runStart measures how long each function takes from its start to its answer to
// a first event.
func runStart(ctx context.Context, args []string) error {
	f := flagsOf("start")
	times := f.Int("times", 21, "how often each function is started; medians are printed")
	short := f.Bool("short", false, "five times")
	if err := parse(f, args); err != nil {
		return err
	}
	if *short {
		*times = 5
	}
	if *times < 1 {
		return errors.New("each function has to be started once at least")
	}
	all, err := starting.Measure(ctx, *times)
	if err != nil {
		return err
	}
	var figures []figure
	for _, s := range all {
		figures = append(figures, figure{
			what:     fmt.Sprintf("%s, to the end of its first event (a second one: %s ms)", s.Function, number(median(s.Second))),
			measured: median(s.First), unit: "ms", baseline: median(s.Nothing), bound: atMost(coldStart),
		})
	}
	return show(fmt.Sprintf("start: processes, each at a real event over the emulator; baseline: a function that only answers; medians of %d", *times), figures...)
}
