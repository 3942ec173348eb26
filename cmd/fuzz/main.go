package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

type options struct {
	each   time.Duration
	atOnce int
	match  string
	list   bool
	deep   bool
}

func main() {
	o := options{}
	flag.DurationVar(&o.each, "time", 10*time.Second, "how long each target runs")
	flag.IntVar(&o.atOnce, "at-once", runtime.NumCPU(), "how many run side by side")
	flag.StringVar(&o.match, "match", "", "only targets whose folder and name match, as in 'shared/command FuzzDecode'")
	flag.BoolVar(&o.deep, "deep", false, "be guided by the code of what the module imports too, which is compiled for it")
	flag.BoolVar(&o.list, "list", false, "only print the targets")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "go run ./cmd/fuzz, from the module's root: every fuzz target for a while.")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, ".", o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, o options) error {
	targets, err := chosen(root, o.match)
	if err != nil || o.list {
		for _, t := range targets {
			fmt.Println(t.dir, t.name)
		}
		return err
	}
	bin, err := os.MkdirTemp("", "strandline-fuzz-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(bin) }()
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return fmt.Errorf("go env GOCACHE: %w", err)
	}
	l := &lanes{root: root, bin: bin, each: o.each, deep: o.deep, cache: filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "strandline")}
	fmt.Printf("%d targets, %v each, %d side by side: about %v, and compiling\n", len(targets), o.each, o.atOnce, total(len(targets), o))
	return everyPackage(ctx, l, targets, o.atOnce)
}

// total is how long so many targets take.
func total(targets int, o options) time.Duration {
	return o.each * time.Duration((targets+o.atOnce-1)/o.atOnce)
}

func chosen(root, match string) ([]target, error) {
	wanted, err := regexp.Compile(match)
	if err != nil {
		return nil, err
	}
	all, err := find(root)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t target) bool { return !wanted.MatchString(t.dir + " " + t.name) })
	if len(all) == 0 {
		return nil, fmt.Errorf("no target matches %q", match)
	}
	return all, nil
}

// everyPackage fuzzes package by package, those with most targets first. One
// that finds something does not keep the others from theirs.
func everyPackage(ctx context.Context, l *lanes, targets []target, atOnce int) error {
	byDir := map[string][]target{}
	for _, t := range targets {
		byDir[t.dir] = append(byDir[t.dir], t)
	}
	var lists [][]target
	for _, list := range byDir {
		lists = append(lists, list)
	}
	slices.SortFunc(lists, func(a, b []target) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0].dir, b[0].dir))
	})
	found := make([]error, len(lists))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, list := range lists {
		group.Go(func() error {
			found[i] = onePackage(ctx, l, list)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(found...)
}

func onePackage(ctx context.Context, l *lanes, list []target) error {
	binary, err := l.build(ctx, list[0].dir)
	if err != nil {
		return err
	}
	var found []error
	for _, t := range list {
		says, err := l.fuzz(ctx, binary, t)
		if err != nil {
			says = "FAILED, see below"
			found = append(found, err)
		}
		fmt.Printf("%-32s %-52s %s\n", t.dir, t.name, says)
	}
	return errors.Join(found...)
}
