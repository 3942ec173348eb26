package starting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/strandline-dev/strandline/localstack"
	"github.com/strandline-dev/strandline/localstack/runtimeapi"
)

// Started is what starts of one function took, in milliseconds.
type Started struct {
	Function string
	// First is from the process's start to its first answer, Second one more
	// event of the same process, Nothing the start of the function that does
	// nothing, right before.
	First, Second, Nothing []float64
}

// module begins the name of every package of ours.
const module = "github.com/strandline-dev/strandline/"

// takesAtMost bounds one invocation.
const takesAtMost = time.Minute

// Measure starts each of the functions so many times, in turns, and once before
// that for nobody to count.
func Measure(ctx context.Context, times int) (all []Started, err error) {
	dir, err := os.MkdirTemp("", "strandline-start-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cloud, err := localstack.Start(ctx, localstack.Options{Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cloud.Stop()) }()
	w, err := newWorld(ctx, cloud.Endpoint())
	if err != nil {
		return nil, err
	}
	all = make([]Started, len(functions))
	for i, f := range functions {
		all[i].Function = f.name
	}
	nothing := filepath.Join(dir, "nothing")
	if err := build(ctx, dir, nothing); err != nil {
		return nil, err
	}
	for n := range times + 1 {
		for i, f := range functions {
			if err := w.one(ctx, f, filepath.Join(dir, f.name), nothing, &all[i], n > 0); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	return all, nil
}

func build(ctx context.Context, dir, nothing string) error {
	for _, f := range functions {
		if err := runtimeapi.Build(ctx, module+"functions/"+f.name+"/bootstrap", filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	return runtimeapi.Build(ctx, module+"cmd/bench/internal/starting/nothing", nothing)
}

// one measures a start of the function, after one of nothing.
func (w *world) one(ctx context.Context, f function, binary, nothing string, into *Started, counts bool) error {
	bare, _, err := start(ctx, nothing, nil, func() ([]byte, func([]byte) error, error) {
		return []byte("{}"), func([]byte) error { return nil }, nil
	})
	if err != nil {
		return err
	}
	first, second, err := start(ctx, binary, w.variables(f), func() ([]byte, func([]byte) error, error) { return f.event(ctx, w) })
	if err != nil {
		return err
	}
	if counts {
		into.First, into.Second, into.Nothing = append(into.First, first), append(into.Second, second), append(into.Nothing, bare)
	}
	return nil
}

// start has a process take two events, each made before it is timed, and
// returns the milliseconds until its first answer and of its second event.
func start(ctx context.Context, binary string, variables []string, next func() ([]byte, func([]byte) error, error)) (first, second float64, err error) {
	var said bytes.Buffer
	var p *runtimeapi.Process
	defer func() {
		if p != nil {
			p.Kill()
		}
		if err != nil {
			err = fmt.Errorf("%w; it says\n%s", err, said.String())
		}
	}()
	var took [2]float64
	for i := range took {
		event, check, err := next()
		if err != nil {
			return 0, 0, err
		}
		began := time.Now()
		if p == nil {
			if p, err = runtimeapi.Start(binary, variables, &said); err != nil {
				return 0, 0, err
			}
		}
		within, cancel := context.WithTimeout(ctx, takesAtMost)
		answer, err := p.Invoke(within, event)
		took[i] = time.Since(began).Seconds() * 1e3
		cancel()
		if err == nil {
			err = check(answer)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return took[0], took[1], nil
}
