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
// look goes through each part once; what is wanted whole apart from the rest. The
// owner's comes first: its parts are mostly fewer and larger, and what is taken
// last should be small.
type wanted uint64

const (
	wantedNumberBits = 40
	wantedPartBits   = 22
	wantedWholeBit   = 62
	wantedSideBit    = 63
)

// want says where something is read again. Of an inventory that is read without
// ETags that is a row with it, unless it is alone.
func (r *run) want(s side, p place, alone bool) wanted {
	w := wanted(ofOwner-s) << wantedSideBit
	if !r.seekable(s) {
		return w | wanted(p)
	}
	part, number := r.numbers[s].of(p)
	w |= wanted(part)<<wantedNumberBits | wanted(number)
	if s == ofInventory && r.whole != nil && !alone {
		w |= 1 << wantedWholeBit
	}
	return w
}

// source is what is read from in one go: a part of a side, or a side's log.
type source struct {
	side  side
	whole bool
	part  int
}

func (w wanted) source() source {
	return source{
		side: ofOwner - side(w>>wantedSideBit), whole: w>>wantedWholeBit&1 == 1, part: int(w >> wantedNumberBits & (1<<wantedPartBits - 1)),
	}
}

func (w wanted) number() int64 { return int64(w & (1<<wantedNumberBits - 1)) }

// batch is some places of one source.
type batch struct {
	source
	places []int64 // numbers, or places of the log
}

// lookUp reads the names of everything that the first look left open.
func (r *run) lookUp(ctx context.Context, places *sorter, names *sorter) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(r.options.Threads)
	var b batch
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
		if w.source() != b.source || len(b.places) >= r.lookups() {
			send()
			b = batch{source: w.source()}
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
	inv := r.inv
	if b.whole {
		inv = r.whole
	}
	var item []byte
	found := 0
	for row, err := range inv.Lookup(ctx, b.part, b.places) {
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

// judgeAll judges key by key what was looked at again, in the order of names.
func (r *run) judgeAll(ctx context.Context, names *sorter) error {
	k := keyItems{items: runWriter{scratch: r.scratch, size: keyBytes}}
	for item, err := range names.sorted(ctx) {
		if err != nil {
			return err
		}
		if key, bucket := nameOf(item); !k.is(key, bucket) {
			if err := r.judge(&k); err != nil {
				return err
			}
			k.begin(key, bucket)
		}
		k.count++
		if err := k.items.add(item); err != nil {
			return err
		}
	}
	return r.judge(&k)
}

// keyItems are the items of one key of one bucket, those of a big key on disk.
type keyItems struct {
	key, bucket []byte
	count       int
	items       runWriter
	group       group
}

const (
	keyBytes = 64 << 10
	// keyCount is how many items judgeKey is given at once: it compares all
	// with all.
	keyCount = 64
)

func (k *keyItems) is(key, bucket []byte) bool {
	return k.count > 0 && bytes.Equal(key, k.key) && bytes.Equal(bucket, k.bucket)
}

func (k *keyItems) begin(key, bucket []byte) {
	k.key, k.bucket = append(k.key[:0], key...), append(k.bucket[:0], bucket...)
	k.count = 0
	k.items.reset()
}

func (r *run) judge(k *keyItems) error {
	if k.count == 0 {
		return nil
	}
	duplicates, err := r.lines(k)
	r.summary.Duplicates += int64(duplicates)
	return err
}

// lines judges a key, and returns how many identical rows collapsed.
func (r *run) lines(k *keyItems) (int, error) {
	if err := r.takeOff(k.items.items()); err != nil {
		return 0, err
	}
	if k.count > r.options.trial.keyCount {
		b := bigKey{rules: &r.rules, bucket: r.rules.Bucket, say: r.say}
		return b.judge(k.items.items)
	}
	g := group{k.group.rows[:0], k.group.entries[:0]}
	c := k.items.items()
	for more, err := c.advance(); more || err != nil; more, err = c.advance() {
		if err == nil {
			err = g.add(c.item, r.rules.Bucket)
		}
		if err != nil {
			return 0, err
		}
	}
	k.group = g
	lines, duplicates := judgeKey(r.rules, g.rows, g.entries)
	for i := range lines {
		if err := r.say(&lines[i]); err != nil {
			return 0, err
		}
	}
	return duplicates, nil
}

// takeOff counts what was looked at again, as it was counted when it was read.
func (r *run) takeOff(c *cursor) error {
	for {
		more, err := c.advance()
		if err != nil || !more {
			return err
		}
		size, at, tenant, err := countedOf(c.item)
		if err != nil {
			return err
		}
		if sideOfItem(c.item) == ofOwner {
			r.again.sides.entries++
			r.again.entry(size, tenant)
			continue
		}
		r.again.sides.rows++
		r.again.row(size, at)
	}
}

// say counts a verdict, and sends it on if it is asked for.
func (r *run) say(f *Finding) error {
	r.count(f)
	if !r.options.All && !f.Verdict.Finding() {
		return nil
	}
	return r.sink(*f)
}
