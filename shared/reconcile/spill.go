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
// partition fits in memory. It is written in runs: some records of one side,
// partition by partition.
type spill struct {
	scratch *scratch
	shift   uint   // of a fingerprint's hi
	mask    uint64 // of what is left of it
	length  int    // of a run, in records

	mu   sync.Mutex
	runs [bothSides][]spilled
}

// spilled is where a run is, and where its partitions end.
type spilled struct {
	at   int64
	ends []uint32 // bytes of the run
}

func (r spilled) block(partition int) block {
	from := uint32(0)
	if partition > 0 {
		from = r.ends[partition-1]
	}
	return block{r.at + int64(from), int32(r.ends[partition] - from)}
}

// block is a run of records in the scratch space.
type block struct {
	at   int64
	size int32
}

// newSpill makes one for about so many records of both sides. There are mostly
// fewer, so that a comfortable partition comes to a megabyte or two: it stays in
// a processor's cache, and what a run has of it is not too small to read.
func newSpill(s *scratch, records int64, memory int64, threads int) *spill {
	const least, most, comfortable = 6, 12, 1 << 22
	n := bits.Len64(uint64(records * recordSize / comfortable))
	n = min(max(n, least), most)
	length := memory / 8 / int64(threads) / (2 * recordSize)
	return &spill{scratch: s, shift: uint(64 - n), mask: 1<<n - 1, length: int(min(max(length, 1<<8), 1<<20))}
}

func (sp *spill) count() int { return int(sp.mask) + 1 }

func (sp *spill) pieces(partition int) (p pieces) {
	for s, runs := range sp.runs {
		for _, r := range runs {
			if b := r.block(partition); b.size > 0 {
				p[s] = append(p[s], b)
			}
		}
	}
	return p
}

// spillWriter is one worker's run: the records as they come, and room to put
// them in the order of their partitions.
type spillWriter struct {
	spill *spill
	side  side
	held  []byte
	sizes []uint32 // of the partitions, in bytes
	order []byte
}

func (sp *spill) writer(s side) *spillWriter {
	return &spillWriter{spill: sp, side: s, held: make([]byte, 0, sp.length*recordSize), sizes: make([]uint32, sp.count())}
}

func (sp *spill) partition(hi uint64) uint64 { return hi >> sp.shift & sp.mask }

func (w *spillWriter) add(f fingerprint, tag uint32, facts uint8, at place) error {
	n := len(w.held)
	w.held = w.held[:n+recordSize]
	putRecord(w.held[n:], f, tag, facts, at)
	w.sizes[w.spill.partition(f.hi)] += recordSize
	return w.filled()
}

// copy adds a record that is one already.
func (w *spillWriter) copy(record []byte) error {
	w.held = append(w.held, record...)
	w.sizes[w.spill.partition(hiOf(record))] += recordSize
	return w.filled()
}

func (w *spillWriter) filled() error {
	if len(w.held) < cap(w.held) {
		return nil
	}
	return w.close()
}

// close writes what is held.
func (w *spillWriter) close() error {
	if len(w.held) == 0 {
		return nil
	}
	run := spilled{ends: w.sort()}
	var err error
	if run.at, err = w.spill.scratch.append(w.order); err != nil {
		return err
	}
	w.held = w.held[:0]
	w.spill.mu.Lock()
	defer w.spill.mu.Unlock()
	w.spill.runs[w.side] = append(w.spill.runs[w.side], run)
	return nil
}

// sort puts the records that are held in the order of their partitions, and
// returns where these end.
func (w *spillWriter) sort() []uint32 {
	if w.order == nil {
		w.order = make([]byte, cap(w.held))
	}
	w.order = w.order[:len(w.held)]
	ends := w.sizes
	w.sizes = make([]uint32, len(ends))
	from := uint32(0)
	for p, size := range ends {
		ends[p] = from
		from += size
	}
	// Each now is where its partition begins, and moves on to where it ends.
	for i := 0; i < len(w.held); i += recordSize {
		record := (*[recordSize]byte)(w.held[i:])
		end := &ends[w.spill.partition(hiOf(record[:]))]
		copyRecord((*[recordSize]byte)(w.order[*end:]), record)
		*end += recordSize
	}
	return ends
}
