package reconcile

import (
	"context"
	"iter"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// scan is one worker that reads parts of a side and spills what it reads.
type scan struct {
	run  *run
	read *read
	out  *spillWriter
	// names is there where the side cannot be looked up by number.
	names   *nameLog
	numbers numberer
	item    []byte
	seen    int64
}

// each lets Threads workers take the parts of a side, and adds up what they
// read.
func (r *run) each(ctx context.Context, s side, parts int, seekable bool, part func(context.Context, *scan, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	workers := make([]*scan, min(r.options.Threads, max(parts, 1)))
	for i := range workers {
		w := &scan{run: r, read: newRead(&r.bands, &r.roster), out: r.spill.writer(s), numbers: numberer{all: &r.numbers[s]}}
		if !seekable {
			w.names = &nameLog{scratch: r.scratch}
		}
		workers[i] = w
		g.Go(func() error {
			for n := next.Add(1) - 1; n < int64(parts); n = next.Add(1) - 1 {
				if err := part(ctx, w, int(n)); err != nil {
					return err
				}
			}
			return w.close()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, w := range workers {
		r.read.merge(w.read)
	}
	return nil
}

func (w *scan) close() error {
	w.run.progress.add(w.seen)
	if w.names != nil {
		if err := w.names.close(); err != nil {
			return err
		}
	}
	return w.out.close()
}

// entryBatches yields the entries of a part, many at a time where the reader can.
func entryBatches(ctx context.Context, own manifest.Reader, part int) iter.Seq2[[]manifest.Entry, error] {
	if many, ok := own.(interface {
		Batches(ctx context.Context, part int) iter.Seq2[[]manifest.Entry, error]
	}); ok {
		return many.Batches(ctx, part)
	}
	return singly(own.Entries(ctx, part))
}

// rowBatches yields the rows of a part, many at a time where the reader can.
func rowBatches(ctx context.Context, inv inventory.Reader, part int) iter.Seq2[[]inventory.Row, error] {
	if many, ok := inv.(interface {
		Batches(ctx context.Context, part int) iter.Seq2[[]inventory.Row, error]
	}); ok {
		return many.Batches(ctx, part)
	}
	return singly(inv.Rows(ctx, part))
}

func singly[T any](items iter.Seq2[*T, error]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var one [1]T
		for item, err := range items {
			if err != nil {
				yield(nil, err)
				return
			}
			one[0] = *item
			if !yield(one[:], nil) {
				return
			}
		}
	}
}

func entries(ctx context.Context, w *scan, part int) error {
	for batch, err := range entryBatches(ctx, w.run.own, part) {
		if err == nil {
			err = w.counted(ctx, len(batch))
		}
		for i := 0; i < len(batch) && err == nil; i++ {
			err = w.entry(part, &batch[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func rows(ctx context.Context, w *scan, part int) error {
	for batch, err := range rowBatches(ctx, w.run.inv, part) {
		if err == nil {
			err = w.counted(ctx, len(batch))
		}
		for i := 0; i < len(batch) && err == nil; i++ {
			err = w.row(part, &batch[i])
		}
		if err != nil {
			return err
		}
	}
	w.run.progress.ended(w.run.inv.Manifest().Files, part)
	return nil
}

// counted notices a cancelled run even where the reader does not, and shows
// how far it is.
func (w *scan) counted(ctx context.Context, n int) error {
	if w.seen += int64(n); w.seen < 1<<12 {
		return nil
	}
	w.run.progress.add(w.seen)
	w.seen = 0
	return ctx.Err()
}

func (w *scan) entry(part int, e *manifest.Entry) error {
	inside := w.run.rules.inside(e.Bucket, e.Key)
	w.read.sides.sawEntry(&w.run.rules, e, inside)
	if e.RecordedAt == manifest.NoTime {
		w.read.unrecorded++
	}
	w.read.entry(e.Size, e.Tenant)
	c := classOf(e)
	w.read.etags = w.read.etags || c&withETag != 0
	facts := uint8(c)
	if inside && certainEntry(e) {
		facts |= plain
		w.read.classes[c]++
	}
	f, tag := w.run.hash.entry(e, c)
	if w.names != nil {
		w.item = appendEntry(w.item[:0], e, w.run.rules.Bucket)
	}
	return w.spill(f, tag, facts, part, e.Number)
}

func (w *scan) row(part int, r *inventory.Row) error {
	inside := w.run.rules.inside(r.Bucket, r.Key)
	w.read.sides.sawRow(r, inside)
	w.read.row(r.Size, r.LastModified)
	var facts uint8
	if inside && w.run.certainRow(r) {
		facts = plain
	}
	f, tag := w.run.hash.row(r, w.run.class)
	if w.names != nil {
		w.item = appendRow(w.item[:0], r)
	}
	return w.spill(f, tag, facts, part, r.Number)
}

// spill adds the record of what was read, with its place in the log of names or
// in the part.
func (w *scan) spill(f fingerprint, tag uint32, facts uint8, part int, number int64) (err error) {
	var at place
	if w.names != nil {
		at, err = w.names.add(w.item)
	} else {
		at, err = w.numbers.at(part, number)
	}
	if err != nil {
		return err
	}
	return w.out.add(f, tag, facts, at)
}

// certainEntry reports whether an entry in scope may be counted `ok` if its row
// is there. A tenant's bytes are the entries' sizes, so one with a tenant and no
// size is looked at again.
func certainEntry(e *manifest.Entry) bool {
	return plainEntry(e) && (e.Size != manifest.NoSize || len(e.Tenant) == 0)
}

// certainRow reports whether a row in scope may be counted `ok` if its entry is
// there. It needs every fact that the fingerprint compares, and an age.
func (r *run) certainRow(row *inventory.Row) bool {
	return plainRow(row) && row.LastModified != inventory.NoTime &&
		(r.class&withSize == 0 || row.Size != inventory.NoSize) &&
		(r.class&withETag == 0 || len(row.ETag) > 0)
}
