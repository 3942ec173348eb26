package snappyblock_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"

	"github.com/strandline-dev/strandline/shared/snappyblock"
)

// Three pages of keys, beside a library that unpacks them one after the other:
// times is how much longer that one takes.
func BenchmarkUnpack(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 11))
	const page = 256 << 10
	var packed [snappyblock.Lanes][]byte
	var sizes [snappyblock.Lanes]snappyblock.Size
	for i := range packed {
		packed[i] = snappy.Encode(nil, keys(r, page))
		sizes[i] = snappyblock.Size{Packed: len(packed[i]), Unpacked: page, Wanted: page}
	}
	var unpacker snappyblock.Unpacker
	var into []byte
	one := make([]byte, page)
	var ours, library time.Duration
	for b.Loop() {
		start := b.Elapsed()
		for i, room := range unpacker.Room(sizes) {
			copy(room, packed[i])
		}
		if _, err := unpacker.Unpack(&into); err != nil {
			b.Fatal(err)
		}
		between := b.Elapsed()
		for _, block := range packed {
			if _, err := snappy.Decode(one, block); err != nil {
				b.Fatal(err)
			}
		}
		ours, library = ours+between-start, library+b.Elapsed()-between
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/op")
	b.ReportMetric(float64(library)/float64(ours), "times")
}
