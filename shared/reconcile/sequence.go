package reconcile

import (
	"encoding/binary"
	"slices"
)

// runWriter writes items one after the other: blocks of whole items, each behind
// its length.
type runWriter struct {
	scratch *scratch
	size    int // of a block
	blocks  []block
	bytes   []byte
}

func (w *runWriter) add(item []byte) error {
	if len(w.bytes) > 0 && len(w.bytes)+len(item)+binary.MaxVarintLen32 > w.size {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.bytes = append(binary.AppendUvarint(w.bytes, uint64(len(item))), item...)
	return nil
}

func (w *runWriter) flush() error {
	if len(w.bytes) == 0 {
		return nil
	}
	at, err := w.scratch.append(w.bytes)
	w.blocks = append(w.blocks, block{at, int32(len(w.bytes))})
	w.bytes = w.bytes[:0]
	return err
}

// items reads what was written, what is not flushed too.
func (w *runWriter) items() *cursor {
	return &cursor{scratch: w.scratch, blocks: w.blocks, last: w.bytes}
}

func (w *runWriter) reset() { w.blocks, w.bytes = nil, w.bytes[:0] }

// cursor reads a run.
type cursor struct {
	scratch *scratch
	blocks  []block
	last    []byte // items after the blocks
	bytes   []byte
	rest    []byte
	item    []byte
}

// advance goes to the next item and reports whether there is one.
func (c *cursor) advance() (bool, error) {
	if len(c.rest) == 0 && len(c.blocks) == 0 {
		c.rest, c.last = c.last, nil
	}
	if len(c.rest) == 0 {
		if len(c.blocks) == 0 {
			return false, nil
		}
		b := c.blocks[0]
		c.blocks = c.blocks[1:]
		c.bytes = slices.Grow(c.bytes[:0], int(b.size))[:b.size]
		if err := c.scratch.read(c.bytes, b.at); err != nil {
			return false, err
		}
		c.rest = c.bytes
	}
	size, n := binary.Uvarint(c.rest)
	c.item, c.rest = c.rest[n:n+int(size)], c.rest[n+int(size):]
	return true, nil
}
