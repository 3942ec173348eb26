package reconcile

import (
	"context"
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

func entries(ctx context.Context, w *scan, part int) error {
	for e, err := range w.run.own.Entries(ctx, part) {
		if err == nil {
			err = w.counted(ctx)
		}
		if err == nil {
			err = w.entry(part, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func rows(ctx context.Context, w *scan, part int) error {
	for row, err := range w.run.inv.Rows(ctx, part) {
		if err == nil {
			err = w.counted(ctx)
		}
		if err == nil {
			err = w.row(part, row)
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
func (w *scan) counted(ctx context.Context) error {
	if w.seen++; w.seen < 1<<12 {
		return nil
	}
	w.run.progress.add(w.seen)
	w.seen = 0
	return ctx.Err()
}

func (w *scan) entry(part int, e *manifest.Entry) error {
	w.read.sides.sawEntry(&w.run.rules, e)
	if e.RecordedAt == manifest.NoTime {
		w.read.unrecorded++
	}
	w.read.entry(e.Size, e.Tenant)
	c := classOf(e)
	facts := uint8(c)
	if w.run.certainEntry(e) {
		facts |= plain
		w.read.classes[c]++
	}
	f, tag := w.run.hash.entry(e, c)
	if w.names == nil {
		return w.numbered(part, e.Number, f, tag, facts)
	}
	w.item = appendEntry(w.item[:0], e, w.run.rules.Bucket)
	return w.named(f, tag, facts)
}

func (w *scan) row(part int, r *inventory.Row) error {
	w.read.sides.sawRow(&w.run.rules, r)
	w.read.row(r.Size, r.LastModified)
	var facts uint8
	if w.run.certainRow(r) {
		facts = plain
	}
	f, tag := w.run.hash.row(r, w.run.class)
	if w.names == nil {
		return w.numbered(part, r.Number, f, tag, facts)
	}
	w.item = appendRow(w.item[:0], r)
	return w.named(f, tag, facts)
}

func (w *scan) numbered(part int, number int64, f fingerprint, tag uint32, facts uint8) error {
	at, err := w.numbers.at(part, number)
	if err != nil {
		return err
	}
	return w.out.add(f, tag, facts, at)
}

func (w *scan) named(f fingerprint, tag uint32, facts uint8) error {
	at, err := w.names.add(w.item)
	if err != nil {
		return err
	}
	return w.out.add(f, tag, facts, at)
}

// certainEntry reports whether an entry may be counted `ok` if its row is there.
// A tenant's bytes are the entries' sizes, so one with a tenant and no size is
// looked at again.
func (r *run) certainEntry(e *manifest.Entry) bool {
	return plainEntry(&r.rules, e) && (e.Size != manifest.NoSize || len(e.Tenant) == 0)
}

// certainRow reports whether a row may be counted `ok` if its entry is there. It
// needs every fact that the fingerprint compares, and an age.
func (r *run) certainRow(row *inventory.Row) bool {
	return plainRow(&r.rules, row) && row.LastModified != inventory.NoTime &&
		(r.class&withSize == 0 || row.Size != inventory.NoSize) &&
		(r.class&withETag == 0 || len(row.ETag) > 0)
}
