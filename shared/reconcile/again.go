package reconcile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"golang.org/x/sync/errgroup"
)

// wanted is what has to be read again, as the sorter of places keeps it: by
// side, then by part and number or by the place in the log, so that the second
// look goes through each part once.
type wanted uint64

const (
	wantedNumberBits = 40
	wantedSideBit    = 63
)

func (r *run) want(s side, p place) wanted {
	if !r.seekable(s) {
		return wanted(s)<<wantedSideBit | wanted(p)
	}
	part, number := r.numbers[s].of(p)
	return wanted(s)<<wantedSideBit | wanted(part)<<wantedNumberBits | wanted(number)
}

func (w wanted) side() side { return side(w >> wantedSideBit) }

func (w wanted) part() int { return int(w &^ (1 << wantedSideBit) >> wantedNumberBits) }

func (w wanted) number() int64 { return int64(w & (1<<wantedNumberBits - 1)) }

// batch is some places of one side, of one part where places are numbers.
type batch struct {
	side   side
	part   int
	places []int64 // numbers, or places of the log
}

// lookUp reads the names of everything that the first look left open.
func (r *run) lookUp(ctx context.Context, places *sorter, names *sorter) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.options.Threads)
	b := batch{part: -1}
	send := func() {
		if len(b.places) > 0 {
			full := b
			g.Go(func() error { return r.fetch(ctx, full, names) })
		}
	}
	for item, err := range places.sorted(ctx) {
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		w := wanted(binary.BigEndian.Uint64(item))
		if w.side() != b.side || w.part() != b.part || len(b.places) >= r.lookups() {
			send()
			b = batch{side: w.side(), part: w.part()}
		}
		b.places = append(b.places, w.number())
	}
	send()
	return g.Wait()
}

// lookups is how many numbers a reader is asked for at once: each call opens
// the part again.
func (r *run) lookups() int {
	return int(max(1<<10, r.options.Memory/64/int64(r.options.Threads)))
}

func (r *run) seekable(s side) bool {
	if s == ofOwner {
		return r.own.Seekable()
	}
	return r.inv.Seekable()
}

func (r *run) fetch(ctx context.Context, b batch, names *sorter) error {
	switch {
	case !r.seekable(b.side):
		return r.fetchLogged(ctx, b, names)
	case b.side == ofOwner:
		return r.fetchEntries(ctx, b, names)
	}
	return r.fetchRows(ctx, b, names)
}

func (r *run) fetchLogged(ctx context.Context, b batch, names *sorter) error {
	log := logReader{scratch: r.scratch}
	for _, at := range b.places {
		item, err := log.item(place(at))
		if err == nil {
			err = names.add(item)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

var errLookup = errors.New("look up rows again: not all of them are there")

func (r *run) fetchEntries(ctx context.Context, b batch, names *sorter) error {
	var item []byte
	found := 0
	for e, err := range r.own.Lookup(ctx, b.part, b.places) {
		if err != nil {
			return err
		}
		found++
		item = appendEntry(item[:0], e, r.rules.Bucket)
		if err := names.add(item); err != nil {
			return err
		}
	}
	if found != len(b.places) {
		return errLookup
	}
	return ctx.Err()
}

func (r *run) fetchRows(ctx context.Context, b batch, names *sorter) error {
	var item []byte
	found := 0
	for row, err := range r.inv.Lookup(ctx, b.part, b.places) {
		if err != nil {
			return err
		}
		found++
		item = appendRow(item[:0], row)
		if err := names.add(item); err != nil {
			return err
		}
	}
	if found != len(b.places) {
		return errLookup
	}
	return ctx.Err()
}

// keyItems are all items of one key of one bucket, gathered for the judge.
type keyItems struct {
	rows    []Row
	entries []Entry
}

// judgeAll judges key by key what was looked at again, in the order of names.
func (r *run) judgeAll(ctx context.Context, names *sorter) error {
	var key, bucket []byte
	var k keyItems
	for item, err := range names.sorted(ctx) {
		if err != nil {
			return err
		}
		itsKey, itsBucket := nameOf(item)
		if !bytes.Equal(itsKey, key) || !bytes.Equal(itsBucket, bucket) {
			if err := r.judged(&k); err != nil {
				return err
			}
			key, bucket = append(key[:0], itsKey...), append(bucket[:0], itsBucket...)
		}
		if err := r.gather(&k, item); err != nil {
			return err
		}
	}
	return r.judged(&k)
}

func (r *run) gather(k *keyItems, item []byte) error {
	if sideOfItem(item) == ofOwner {
		e, err := readEntry(item, r.rules.Bucket)
		k.entries = append(k.entries, e)
		r.again.sides.entries++
		r.again.entry(e.Size, []byte(e.Tenant))
		return err
	}
	row, err := readRow(item, r.rules.Bucket)
	k.rows = append(k.rows, row)
	r.again.sides.rows++
	r.again.row(row.Size, row.LastModified)
	return err
}

func (r *run) judged(k *keyItems) error {
	if len(k.rows)+len(k.entries) == 0 {
		return nil
	}
	lines, duplicates := judgeKey(r.rules, k.rows, k.entries)
	r.summary.Duplicates += int64(duplicates)
	clear(k.rows)
	clear(k.entries)
	k.rows, k.entries = k.rows[:0], k.entries[:0]
	for i := range lines {
		f := &lines[i]
		r.count(f)
		if !r.options.All && !f.Verdict.Finding() {
			continue
		}
		if err := r.sink(*f); err != nil {
			return err
		}
	}
	return nil
}
