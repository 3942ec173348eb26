package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
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
	o, err := read(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, ".", o)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// read reads the flags. Asked for help it lists them, and returns [flag.ErrHelp].
func read(args []string) (o options, err error) {
	f := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	f.SetOutput(io.Discard) // what is wrong is said in a line
	f.DurationVar(&o.each, "time", 10*time.Second, "how long each target runs")
	f.IntVar(&o.atOnce, "at-once", runtime.NumCPU(), "how many run side by side")
	f.StringVar(&o.match, "match", "", "only targets whose folder and name match, as in 'shared/command FuzzDecode'")
	f.BoolVar(&o.deep, "deep", false, "be guided by the code of what the module imports too, which is compiled for it")
	f.BoolVar(&o.list, "list", false, "only print the targets")
	err = f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Println("go run ./cmd/fuzz, from the module's root: every fuzz target for a while.")
		f.SetOutput(os.Stdout)
		f.PrintDefaults()
		return o, err
	case err == nil && f.NArg() > 0:
		err = fmt.Errorf("%q is no flag", f.Arg(0))
	case err == nil && o.each <= 0:
		err = fmt.Errorf("-time %v: nothing would be tried", o.each)
	case err == nil && o.atOnce < 1:
		err = fmt.Errorf("-at-once %d: nothing would run", o.atOnce)
	}
	if err != nil {
		return o, fmt.Errorf("%w; -h lists the flags", err)
	}
	return o, nil
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
	if ctx.Err() != nil {
		found = append(found, errors.New("interrupted"))
	}
	return errors.Join(found...)
}

// onePackage fuzzes its targets one after the other. What fails because it is
// interrupted has found nothing.
func onePackage(ctx context.Context, l *lanes, list []target) error {
	binary, err := l.build(ctx, list[0].dir)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	var found []error
	for _, t := range list {
		says, err := l.fuzz(ctx, binary, t)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			says = "FAILED, see below"
			found = append(found, err)
		}
		fmt.Printf("%-32s %-52s %s\n", t.dir, t.name, says)
	}
	return errors.Join(found...)
}
