package snappyblock_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/strandline-dev/strandline/shared/snappyblock"
)

// The kinds of copies, as a tag says them.
const (
	near   = 1
	copy16 = 2
	copy32 = 3
)

// stream is a block that is written element by element, and what it becomes.
type stream struct{ elements, truth []byte }

// literal writes one whose length, less one, is in the tag or in so many bytes
// behind it.
func (s *stream) literal(text []byte, behind int) {
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(text)-1))
	tag := byte(len(text)-1) << 2
	if behind > 0 {
		tag = byte(59+behind) << 2
	}
	s.elements = append(append(append(s.elements, tag), length[:behind]...), text...)
	s.truth = append(s.truth, text...)
}

// copied writes a copy that is right.
func (s *stream) copied(kind, offset, n int) {
	s.tag(kind, uint32(offset), n)
	for range n {
		s.truth = append(s.truth, s.truth[len(s.truth)-offset])
	}
}

// miscopied writes a copy that is none, and counts what it would make.
func (s *stream) miscopied(kind int, offset uint32, n int) {
	s.tag(kind, offset, n)
	s.truth = append(s.truth, make([]byte, n)...)
}

func (s *stream) tag(kind int, offset uint32, n int) {
	behind := binary.LittleEndian.AppendUint32(nil, offset)
	switch kind {
	case near:
		s.elements = append(s.elements, byte(near|(n-4)<<2|int(offset)>>8<<5), behind[0])
	case copy16:
		s.elements = append(append(s.elements, byte(copy16|(n-1)<<2)), behind[:2]...)
	case copy32:
		s.elements = append(append(s.elements, byte(copy32|(n-1)<<2)), behind...)
	}
}

// named is something to write.
type named struct {
	name string
	put  func(*stream)
}

// fits reports whether a copy of a kind can say so.
func fits(kind, offset, n int) bool {
	return kind != near || n >= 4 && n <= 11 && offset < 1<<11
}

// repeat writes copies that do not overlap.
func (s *stream) repeat(times, n int) {
	for range times {
		s.copied(copy16, n, n)
	}
}

func (s *stream) block() block {
	packed := append(binary.AppendUvarint(nil, uint64(len(s.truth))), s.elements...)
	return block{packed: packed, unpacked: len(s.truth), wanted: len(s.truth)}
}

// even writes turns of what mostly comes: a short literal and a copy that does
// not overlap.
func (s *stream) even(r *rand.Rand, turns int) {
	for range turns {
		if len(s.truth) == 0 || r.IntN(8) > 0 {
			s.literal(random(r, 1+r.IntN(60)), 0)
		}
		n := min(1+r.IntN(64), len(s.truth))
		offset := n + r.IntN(min(len(s.truth), 1<<16-1)-n+1)
		kind := 1 + r.IntN(3)
		if !fits(kind, offset, n) {
			kind = copy16
		}
		s.copied(kind, offset, n)
	}
}

// odd writes any elements.
func (s *stream) odd(r *rand.Rand, elements int) {
	lengths := []int{1, 2, 24, 25, 32, 33, 59, 60, 61, 64, 255, 256, 257}
	for range elements {
		if len(s.truth) == 0 || r.IntN(3) == 0 {
			text := random(r, lengths[r.IntN(len(lengths))])
			behind := r.IntN(5)
			if len(text) > 256 {
				behind = max(behind, 2)
			} else if len(text) > 60 {
				behind = max(behind, 1)
			}
			s.literal(text, behind)
			continue
		}
		n := 1 + r.IntN(64)
		offsets := []int{1, 2, 7, n - 1, n, n + 1, len(s.truth), 1 + r.IntN(len(s.truth))}
		offset := min(max(offsets[r.IntN(len(offsets))], 1), len(s.truth))
		kind := 1 + r.IntN(3)
		if !fits(kind, offset, n) {
			kind = copy32
		}
		s.copied(kind, offset, n)
	}
}

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// block is one that is unpacked, with what lies before it.
type block struct {
	ahead, packed    []byte
	unpacked, wanted int
}

type blocks = [snappyblock.Lanes]block

// bench is where blocks are unpacked. It is used again and again, and so what was
// there before may not show.
type bench struct {
	unpacker snappyblock.Unpacker
	into     []byte
}

func (w *bench) unpack(all blocks) ([snappyblock.Lanes][]byte, error) {
	var sizes [snappyblock.Lanes]snappyblock.Size
	for i, b := range all {
		sizes[i] = snappyblock.Size{Ahead: len(b.ahead), Packed: len(b.ahead) + len(b.packed), Unpacked: b.unpacked, Wanted: b.wanted}
	}
	room := w.unpacker.Room(sizes)
	for i, b := range all {
		copy(room[i][copy(room[i], b.ahead):], b.packed)
	}
	whole := w.into[:cap(w.into)]
	for i := range whole {
		whole[i] = 0xa5
	}
	unpacked, err := w.unpacker.Unpack(&w.into)
	for i, b := range all {
		if !slices.Equal(room[i], slices.Concat(b.ahead, b.packed)) {
			return unpacked, fmt.Errorf("block %d, or what is ahead of it, was written on", i)
		}
	}
	return unpacked, err
}

// seeded is a source of chance that says its seed when the test has failed.
func seeded(t *testing.T, seed uint64) *rand.Rand {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 11))
}
