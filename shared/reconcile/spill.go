package reconcile

import (
	"math/bits"
	"sync"
)

// side is one of the two that are compared.
type side uint8

const (
	ofInventory side = iota
	ofOwner
	bothSides
)

// spill holds the records of both sides, apart by the upper bits of their
// fingerprints, so that what belongs together lies in one partition and a
// partition fits in memory.
type spill struct {
	scratch *scratch
	shift   uint   // of a fingerprint's hi
	mask    uint64 // of what is left of it
	block   int    // bytes of a writer's buffer per partition

	mu         sync.Mutex
	partitions [bothSides][][]block
}

// block is a run of records in the scratch space.
type block struct {
	at   int64
	size int32
}

// newSpill makes one for about so many records of both sides.
func newSpill(s *scratch, records int64, memory int64, threads int) *spill {
	const least, most, comfortable = 6, 12, 1 << 20
	n := bits.Len64(uint64(records * recordSize / comfortable))
	n = min(max(n, least), most)
	size := memory / 8 / int64(threads) >> n
	size = min(max(size, 32*recordSize), 8<<10)
	sp := &spill{scratch: s, shift: uint(64 - n), mask: 1<<n - 1, block: int(size) / recordSize * recordSize}
	sp.make(1 << n)
	return sp
}

func (sp *spill) make(partitions int) {
	for s := range sp.partitions {
		sp.partitions[s] = make([][]block, partitions)
	}
}

func (sp *spill) count() int { return len(sp.partitions[0]) }

func (sp *spill) pieces(partition int) pieces {
	return pieces{sp.partitions[0][partition], sp.partitions[1][partition]}
}

func (sp *spill) put(s side, partition int, records []byte) error {
	at, err := sp.scratch.append(records)
	if err != nil {
		return err
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.partitions[s][partition] = append(sp.partitions[s][partition], block{at, int32(len(records))})
	return nil
}

// spillWriter is one worker's buffers.
type spillWriter struct {
	spill *spill
	side  side
	bytes []byte
	fill  []int32
}

func (sp *spill) writer(s side) *spillWriter {
	return &spillWriter{spill: sp, side: s, bytes: make([]byte, sp.count()*sp.block), fill: make([]int32, sp.count())}
}

func (w *spillWriter) add(f fingerprint, tag uint32, facts uint8, at place) error {
	p := int(f.hi >> w.spill.shift & w.spill.mask)
	n := p*w.spill.block + int(w.fill[p])
	putRecord(w.bytes[n:n+recordSize], f, tag, facts, at)
	return w.filled(p)
}

// copy adds a record that is one already.
func (w *spillWriter) copy(record []byte) error {
	p := int(hiOf(record) >> w.spill.shift & w.spill.mask)
	copy(w.bytes[p*w.spill.block+int(w.fill[p]):], record)
	return w.filled(p)
}

func (w *spillWriter) filled(p int) error {
	w.fill[p] += recordSize
	if int(w.fill[p]) < w.spill.block {
		return nil
	}
	return w.flush(p)
}

func (w *spillWriter) flush(p int) error {
	b := w.bytes[p*w.spill.block:][:w.fill[p]]
	w.fill[p] = 0
	if len(b) == 0 {
		return nil
	}
	return w.spill.put(w.side, p, b)
}

// close writes what is left.
func (w *spillWriter) close() error {
	for p := range w.fill {
		if err := w.flush(p); err != nil {
			return err
		}
	}
	return nil
}
