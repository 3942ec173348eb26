package reconcile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// Compare says of every object version of an inventory, and of every entry of
// its owner, what it is. Findings go to sink in the order of their keys, with
// Options.All every verdict does; the rest is counted. Sink is called from one
// goroutine, and not before both sides were read whole and nothing spoke
// against the run; an error of sink stops it. After an error nothing that sink
// was given may be used.
//
// Memory stays about the same however many rows there are; see Estimate for
// the disk. Temporary data is gone when Compare returns.
func Compare(ctx context.Context, inv inventory.Reader, own manifest.Reader, o Options, sink func(Finding) error) (_ Summary, err error) {
	r, err := newRun(inv, own, o, sink)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, r.scratch.close()) }()
	if err := r.readBoth(ctx); err != nil {
		return Summary{}, err
	}
	if err := r.read.sides.refuse(o.AllowEmpty); err != nil {
		return Summary{}, err
	}
	r.rules.CurrentOnly = r.read.sides.currentOnly()
	if err := r.compare(ctx); err != nil {
		return Summary{}, err
	}
	return r.conclude()
}

// run is one comparison.
type run struct {
	inv     inventory.Reader
	whole   inventory.Reader // with its ETags, where inv is without
	own     manifest.Reader
	options Options
	rules   ruleset
	sink    func(Finding) error

	hash    *hasher
	class   class // of the rows' fingerprints
	scratch *scratch
	spill   *spill
	numbers [bothSides]numbering

	bands    bands
	roster   roster
	read     *read // everything
	again    *read // what was looked at again
	matched  int64 // rows that were not, each with its entry
	summary  Summary
	progress progress
}

func newRun(inv inventory.Reader, own manifest.Reader, o Options, sink func(Finding) error) (*run, error) {
	m := inv.Manifest()
	rules, err := newRules(m, o)
	if err != nil {
		return nil, err
	}
	o = o.bounded()
	need := Estimate(inv, own)
	if err := need.fits(o.TempDir); err != nil {
		return nil, err
	}
	r := &run{
		inv: inv, own: own, options: o, rules: rules, sink: sink, hash: newHasher(),
		scratch: newScratch(o.TempDir, o.Memory/16), bands: newBands(m.Created), roster: roster{named: map[string]bool{}},
		progress: progress{tell: o.Progress, at: Progress{Total: need.input}},
		summary:  Summary{Bucket: m.SourceBucket, Created: m.Created, ManifestAt: o.ManifestAt},
	}
	if o.trial.mask != nil {
		r.hash.mask = *o.trial.mask
	}
	r.spill = newSpill(r.scratch, need.records, o.Memory, o.Threads)
	r.read, r.again = newRead(&r.bands, &r.roster), newRead(&r.bands, &r.roster)
	return r, nil
}

// bounded fills in what bounds the comparison, where it is not given.
func (o Options) bounded() Options {
	const memory, least = 96 << 20, 1 << 20
	if o.Threads < 1 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Memory == 0 {
		o.Memory = memory
	}
	o.Memory = max(o.Memory, least)
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if o.trial.keyCount == 0 {
		o.trial.keyCount = keyCount
	}
	return o
}

// readBoth reads the owner's side first: what most of its entries state is what
// the rows' fingerprints compare.
func (r *run) readBoth(ctx context.Context) error {
	r.progress.stage("read")
	if err := r.readOwner(ctx); err != nil {
		return err
	}
	for c, n := range r.read.classes {
		if n > r.read.classes[r.class] {
			r.class = class(c)
		}
	}
	if inv, ok := r.inv.(lean); ok && !r.read.etags && r.inv.Seekable() {
		r.whole, r.inv = r.inv, inv.WithoutETag()
	}
	return r.each(ctx, ofInventory, r.inv.Parts(), r.inv.Seekable(), rows)
}

// readOwner reads the owner's side, and meanwhile has the inventory's files
// verified.
func (r *run) readOwner(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	if inv, ok := r.inv.(verifier); ok {
		g.Go(func() error { return inv.Verify(ctx) })
	}
	g.Go(func() error { return r.each(ctx, ofOwner, r.own.Parts(), r.own.Seekable(), entries) })
	return g.Wait()
}

// verifier is an inventory whose files can be verified side by side before they
// are read one by one.
type verifier interface{ Verify(context.Context) error }

// lean is an inventory that is read faster without ETags. Where no entry states
// one they only tell apart the rows of one version, which conflict if theirs
// differ.
type lean interface{ WithoutETag() inventory.Reader }

// compare tells what matches from what does not, and looks at that again.
func (r *run) compare(ctx context.Context) error {
	r.progress.stage("compare")
	places := newSorter(r.scratch, r.options.Memory/8, bytes.Compare)
	if err := r.partitions(ctx, places); err != nil {
		return err
	}
	r.spill = nil
	r.progress.stage("look up")
	names := newSorter(r.scratch, r.options.Memory/4, compareItems)
	if err := r.lookUp(ctx, places, names); err != nil {
		return err
	}
	return r.judgeAll(ctx, names)
}

// partitions compares them side by side.
func (r *run) partitions(ctx context.Context, places *sorter) error {
	g, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	next := make(chan int)
	limit := r.options.Memory / 4 / int64(r.options.Threads)
	g.Go(func() error {
		defer close(next)
		for p := range r.spill.count() {
			select {
			case next <- p:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for range r.options.Threads {
		var item []byte
		m := &matcher{scratch: r.scratch, limit: limit, class: r.class, all: r.options.All, again: func(s side, p place, alone bool) error {
			item = binary.BigEndian.AppendUint64(item[:0], uint64(r.want(s, p, alone)))
			return places.add(item)
		}}
		g.Go(func() error {
			for p := range next {
				n, err := m.partition(ctx, r.spill.pieces(p), r.spill.shift)
				if err != nil {
					return err
				}
				mu.Lock()
				r.matched += n
				mu.Unlock()
			}
			return nil
		})
	}
	return g.Wait()
}

// conclude adds up the summary.
func (r *run) conclude() (Summary, error) {
	s := &r.summary
	s.Rows, s.Entries, s.Unrecorded = r.read.sides.rows, r.read.sides.entries, r.read.unrecorded
	if s.Rows-r.again.sides.rows != r.matched || s.Entries-r.again.sides.entries != r.matched {
		return Summary{}, fmt.Errorf("of %d rows and %d entries %d match, yet %d and %d were looked at again: the comparison is wrong",
			s.Rows, s.Entries, r.matched, r.again.sides.rows, r.again.sides.entries)
	}
	r.countMatched()
	s.HoldsBlocked = float64(s.Counts[Orphan].Count)*100 > r.options.MaxOrphanPercent*float64(s.Rows)
	s.TempBytes = r.scratch.onDisk()
	return *s, nil
}
