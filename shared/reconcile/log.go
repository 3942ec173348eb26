package reconcile

import (
	"encoding/binary"
	"slices"
)

// nameLog is one worker's log of the items of a side that cannot be looked up
// by number: written block by block as they come, read back by place.
type nameLog struct {
	scratch *scratch
	block   []byte
	at      int64
}

const (
	logBlock = 1 << 20
	// logAlign is between places: so few bits address so much more.
	logAlign = 8
)

// add writes an item, the length before it, and returns its place.
func (l *nameLog) add(item []byte) (place, error) {
	need := binary.MaxVarintLen32 + len(item) + logAlign
	if len(l.block)+need > cap(l.block) {
		if err := l.next(need); err != nil {
			return 0, err
		}
	}
	l.block = l.block[:(len(l.block)+logAlign-1)&^(logAlign-1)]
	at := place(l.at+int64(len(l.block))) / logAlign
	if at >= 1<<placeBits {
		return 0, errTooMany
	}
	l.block = append(binary.AppendUvarint(l.block, uint64(len(item))), item...)
	return at, nil
}

// next writes the block and begins another, whose place is taken beforehand.
func (l *nameLog) next(need int) error {
	if err := l.close(); err != nil {
		return err
	}
	size := max(logBlock, (need+logAlign-1)&^(logAlign-1))
	at, err := l.scratch.reserve(size)
	if err != nil {
		return err
	}
	l.at, l.block = at, slices.Grow(l.block[:0], size)[:0:size]
	return nil
}

func (l *nameLog) close() error {
	if len(l.block) == 0 {
		return nil
	}
	return l.scratch.write(l.block, l.at)
}

// logReader reads items back, best at ascending places.
type logReader struct {
	scratch *scratch
	at      int64
	window  []byte
}

const logWindow = 16 << 10

// item returns the item at a place; it holds until the next.
func (r *logReader) item(p place) ([]byte, error) {
	at := int64(p) * logAlign
	head, err := r.bytes(at, binary.MaxVarintLen32)
	if err != nil {
		return nil, err
	}
	size, n := binary.Uvarint(head)
	if n <= 0 {
		return nil, errItem
	}
	b, err := r.bytes(at, n+int(size))
	if err != nil {
		return nil, err
	}
	if len(b) < n+int(size) {
		return nil, errItem
	}
	return b[n : n+int(size)], nil
}

// bytes returns n bytes at a place, or fewer where the log ends.
func (r *logReader) bytes(at int64, n int) ([]byte, error) {
	if at < r.at || at+int64(n) > r.at+int64(len(r.window)) {
		size := max(n, logWindow)
		r.window = slices.Grow(r.window[:0], size)[:size]
		got, err := r.scratch.readSome(r.window, at)
		if err != nil {
			return nil, err
		}
		r.at, r.window = at, r.window[:got]
	}
	b := r.window[at-r.at:]
	return b[:min(n, len(b))], nil
}
