package snappyblock_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"

	"github.com/strandline-dev/strandline/shared/snappyblock"
)

// texts are what a library packs, by kind.
var texts = []struct {
	kind string
	of   func(r *rand.Rand, n int) []byte
}{
	{"keys", keys},
	{"random bytes", random},
	{"a short period", func(r *rand.Rand, n int) []byte {
		return bytes.Repeat(random(r, 1+r.IntN(40)), n)[:n]
	}},
	{"long literals between repeats", func(r *rand.Rand, n int) (text []byte) {
		for len(text) < n {
			text = append(text, random(r, []int{59, 60, 61, 255, 256, 257, 65536, 65537}[r.IntN(8)])...)
			text = append(text, text[:min(len(text), 4+r.IntN(200))]...)
		}
		return text[:n]
	}},
	{"few letters", func(r *rand.Rand, n int) []byte {
		text := random(r, n)
		for i := range text {
			text[i] %= 3
		}
		return text
	}},
}

// keys are a page of them, each behind its length.
func keys(r *rand.Rand, n int) (text []byte) {
	for len(text) < n {
		id := hex.EncodeToString(random(r, 16))
		key := fmt.Sprintf("tenants/t-%05d/uploads/2026/%02d/%02d/%s-%s-%s-%s-%s/part-%05d",
			r.IntN(20000), 1+r.IntN(12), 1+r.IntN(28), id[:8], id[8:12], id[12:16], id[16:20], id[20:], r.IntN(40))
		text = append(binary.LittleEndian.AppendUint32(text, uint32(len(key))), key...)
	}
	return text[:n]
}

func TestWhatALibraryPacksIsUnpackedAsItWas(t *testing.T) {
	r := seeded(t, 1)
	var w bench
	for round := range 200 {
		var all blocks
		var truths [snappyblock.Lanes][]byte
		var kinds [snappyblock.Lanes]string
		n := []int{0, 1, 5, 500, 5000, 80000}[r.IntN(6)]
		for i := range all {
			kind := texts[r.IntN(len(texts))]
			size := n
			if r.IntN(4) == 0 {
				size = r.IntN(3000)
			}
			kinds[i], truths[i] = kind.kind, kind.of(r, size+r.IntN(size/4+1))
			packed := snappy.Encode(nil, truths[i])
			all[i] = block{ahead: random(r, r.IntN(9)), packed: packed, unpacked: len(truths[i]), wanted: len(truths[i])}
		}
		expect(t, fmt.Sprintf("round %d, %q", round, kinds), &w, all, truths)
	}
}

func TestBlocksOfAnyElementsAreUnpackedAsTheFormatSays(t *testing.T) {
	r := seeded(t, 2)
	var w bench
	for round := range 1500 {
		var all blocks
		var truths [snappyblock.Lanes][]byte
		for i := range all {
			var s stream
			for range r.IntN(6) {
				s.even(r, r.IntN(30))
				s.odd(r, r.IntN(4))
			}
			all[i], truths[i] = s.block(), s.truth
			all[i].ahead = random(r, r.IntN(9))
		}
		expect(t, fmt.Sprint("round ", round), &w, all, truths)
	}
}

// Each element comes where a turn begins, after others and at the end of a block,
// in each lane. Bytes are moved by 24, 32 and 64: what is meant has such lengths,
// and ones beside them.
func TestEachElementIsUnpackedWhereverItStands(t *testing.T) {
	r := seeded(t, 3)
	var elements []named
	for _, n := range []int{1, 2, 15, 16, 17, 23, 24, 25, 31, 32, 33, 34, 47, 48, 49, 59, 60, 61, 64, 65, 256, 257, 65536, 65537} {
		for behind := range 5 {
			if behind == 0 && n > 60 || behind == 1 && n > 256 || behind == 2 && n > 65536 {
				continue
			}
			text := random(r, n)
			elements = append(elements, named{fmt.Sprintf("a literal of %d, with %d bytes of length", n, behind), func(s *stream) { s.literal(text, behind) }})
		}
	}
	for n := 1; n <= 64; n++ {
		for _, offset := range []int{1, n - 1, n, n + 1, 70} {
			for kind := near; kind <= copy32; kind++ {
				if offset > 0 && fits(kind, offset, n) {
					elements = append(elements, named{fmt.Sprintf("a copy of %d, kind %d, offset %d", n, kind, offset), func(s *stream) { s.copied(kind, offset, n) }})
				}
			}
		}
	}
	var w bench
	for _, element := range elements {
		for lane := range snappyblock.Lanes {
			for _, behind := range []int{0, 1, 12} {
				all, truths := among(r, lane, behind, element.put)
				expect(t, fmt.Sprintf("%s, in lane %d, with %d turns behind", element.name, lane, behind), &w, all, truths)
			}
		}
	}
}

// among is three blocks of which one has an element after a few turns, which are
// certainly taken in turns.
func among(r *rand.Rand, lane, behind int, element func(*stream)) (all blocks, truths [snappyblock.Lanes][]byte) {
	for i := range all {
		var s stream
		s.literal(random(r, 60), 0)
		s.copied(near, 60, 11)
		s.even(r, 2)
		if i == lane {
			element(&s)
			s.even(r, behind)
		} else {
			s.even(r, 16)
		}
		all[i], truths[i] = s.block(), s.truth
	}
	return all, truths
}

// An offset of 11 bits has its upper three in the tag.
func TestACopyReachesAsFarAsItsKindCanSay(t *testing.T) {
	r := seeded(t, 4)
	var w bench
	for _, reach := range []struct{ kind, offset int }{
		{near, 255}, {near, 256}, {near, 257}, {near, 1023}, {near, 1024}, {near, 1 << 10 * 7 / 4}, {near, 1<<11 - 1},
		{copy16, 256}, {copy16, 1<<15 + 1}, {copy16, 1<<16 - 1}, {copy32, 1<<16 - 1}, {copy32, 1 << 16}, {copy32, 1<<16 + 257}, {copy32, 70000},
	} {
		for lane := range snappyblock.Lanes {
			var all blocks
			var truths [snappyblock.Lanes][]byte
			for i := range all {
				var s stream
				s.literal(random(r, 70000), 3)
				if i == lane {
					s.copied(reach.kind, reach.offset, 11)
				}
				s.even(r, 9)
				all[i], truths[i] = s.block(), s.truth
			}
			expect(t, fmt.Sprintf("%+v, in lane %d", reach, lane), &w, all, truths)
		}
	}
}

// expect has blocks unpacked, which are of such texts.
func expect(t *testing.T, name string, w *bench, all blocks, truths [snappyblock.Lanes][]byte) {
	t.Helper()
	unpacked, err := w.unpack(all)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i, truth := range truths {
		_, made, err := reference(all[i].packed, len(truth))
		if err != nil || !bytes.Equal(made, truth) {
			t.Fatalf("%s: the reference does not unpack block %d as it was written: %v", name, i, err)
		}
		if !bytes.Equal(unpacked[i], truth) {
			t.Fatalf("%s: block %d of %d bytes became %d other bytes, from byte %d on", name, i, len(truth), len(unpacked[i]), differ(unpacked[i], truth))
		}
	}
}

func differ(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Each of these is in a block that is otherwise right, where turns are taken. One
// that was taken for good would show bytes of another block, or of whatever was
// unpacked before, as an object's key.
func TestABlockWithAFaultIsCorrupt(t *testing.T) {
	r := seeded(t, 5)
	faults := []named{
		{"a literal longer than the rest", func(s *stream) {
			s.elements, s.truth = append(s.elements, 63<<2, 0xff, 0xff, 0xff, 0xff), append(s.truth, 0)
		}},
		{"a literal of 2 GB", func(s *stream) {
			s.elements, s.truth = append(s.elements, 63<<2, 0xff, 0xff, 0xff, 0x7f), append(s.truth, 0)
		}},
		{"one byte more than is stated", func(s *stream) { s.literal(random(r, 60), 0); s.truth = s.truth[:len(s.truth)-1] }},
		{"one byte less than is stated", func(s *stream) { s.truth = append(s.truth, 0) }},
		{"far more than is stated, by copies", func(s *stream) { n := len(s.truth); s.repeat(100, 64); s.truth = s.truth[:n+300] }},
		{"far more than is stated, in turns", func(s *stream) { n := len(s.truth); s.even(r, 40); s.truth = s.truth[:n+300] }},
		{"far less than is stated", func(s *stream) { s.repeat(2, 64); s.truth = append(s.truth, make([]byte, 20000)...) }},
	}
	for kind := near; kind <= copy32; kind++ {
		for _, n := range []int{4, 8, 11, 24, 25, 33, 64} {
			if !fits(kind, 0, n) {
				continue
			}
			faults = append(faults, named{fmt.Sprintf("a copy of %d, kind %d, from where it is put", n, kind), func(s *stream) { s.miscopied(kind, 0, n) }})
			for _, before := range []int{1, 2, 64, 127, 128, 129, 400} {
				faults = append(faults, named{fmt.Sprintf("a copy of %d, kind %d, from %d before the block", n, kind, before), func(s *stream) {
					s.miscopied(kind, uint32(len(s.truth)+before), n)
				}})
			}
		}
	}
	for _, offset := range []uint32{1 << 16, 1 << 24, 1 << 31, 1<<31 + 1, 1<<32 - 1} {
		faults = append(faults, named{fmt.Sprintf("a copy from %d before", offset), func(s *stream) { s.miscopied(copy32, offset, 7) }})
	}
	var w bench
	for _, fault := range faults {
		for lane := range snappyblock.Lanes {
			for _, behind := range []int{0, 12} {
				all, _ := among(r, lane, behind, fault.put)
				corrupt(t, fmt.Sprintf("%s, in lane %d, with %d turns behind", fault.name, lane, behind), &w, all, lane)
				// Where none of them goes on, none waits for another.
				corrupt(t, fault.name+", in all lanes", &w, blocks{all[lane], all[lane], all[lane]}, lane)
			}
		}
	}
}

// Turns that are counted as certain and are not would read behind the block, or
// write where the next one begins.
func TestNoTurnIsTakenThatIsNotCertainlyLeft(t *testing.T) {
	r := seeded(t, 10)
	most := func(turns int) block {
		var s stream
		for i := range turns {
			s.literal(random(r, 60), 0)
			s.copied(copy32, 60+min(i, 1)*4, 60+min(i, 1)*4)
		}
		return s.block()
	}
	var w bench
	for turns := range 30 {
		for lane := range snappyblock.Lanes {
			for less := 1; less < 12; less++ {
				all := blocks{most(turns + 9), most(turns + 9), most(turns + 9)}
				whole := most(turns + 1)
				name := fmt.Sprintf("%d turns less %d bytes in lane %d", turns+1, less, lane)
				all[lane] = restated(whole, whole.unpacked-less)
				corrupt(t, name+", unpacked", &w, all, lane)
				all[lane] = restated(whole, whole.unpacked+1000)
				all[lane].packed = all[lane].packed[:len(all[lane].packed)-less]
				corrupt(t, name+", packed", &w, all, lane)
			}
		}
	}
}

// restated is a block that states another length.
func restated(b block, length int) block {
	_, n := binary.Uvarint(b.packed)
	return block{packed: append(binary.AppendUvarint(nil, uint64(length)), b.packed[n:]...), unpacked: length, wanted: length}
}

// What lies behind a block in its room is the rest of the same block, from when
// the room was used before: who reads on finds what fits.
func TestABlockThatIsCutOffIsCorruptWhateverLiesBehindIt(t *testing.T) {
	r := seeded(t, 6)
	var w bench
	var all blocks
	var truths [snappyblock.Lanes][]byte
	for i := range all {
		var s stream
		s.even(r, 12)
		s.odd(r, 6)
		for range 12 { // of these a turn takes the most bytes
			s.literal(random(r, 60), 0)
			s.copied(copy32, 4, 4)
		}
		all[i], truths[i] = s.block(), s.truth
	}
	for lane := range all {
		for n := range all[lane].packed {
			expect(t, "the whole blocks", &w, all, truths)
			cut := all
			cut[lane].packed = slices.Clip(cut[lane].packed[:n])
			corrupt(t, fmt.Sprintf("the first %d bytes of lane %d", n, lane), &w, cut, lane)
		}
		for tag := range 256 {
			long := all
			long[lane].packed = append(slices.Clip(long[lane].packed), byte(tag))
			corrupt(t, fmt.Sprintf("byte %d behind lane %d", tag, lane), &w, long, lane)
		}
	}
}

func TestABlockOfAnotherLengthThanIsExpectedIsCorrupt(t *testing.T) {
	r := seeded(t, 7)
	var w bench
	for lane := range snappyblock.Lanes {
		all, _ := among(r, lane, 12, func(*stream) {})
		for _, by := range []int{-1, 1, -all[lane].unpacked, 64, 20000} {
			other := all
			other[lane].unpacked += by
			other[lane].wanted = 0
			if _, err := w.unpack(other); !errors.Is(err, snappyblock.ErrCorrupt) {
				t.Errorf("lane %d is expected to be %d longer than it states: %v", lane, by, err)
			}
		}
		for _, stated := range [][]byte{nil, {0x80}, {0xff, 0xff, 0xff}, {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}} {
			other := all
			other[lane] = block{packed: stated}
			if _, err := w.unpack(other); !errors.Is(err, snappyblock.ErrCorrupt) {
				t.Errorf("lane %d states its length with % x: %v", lane, stated, err)
			}
		}
	}
}

// corrupt has blocks unpacked, of which one is none.
func corrupt(t *testing.T, name string, w *bench, all blocks, lane int) {
	t.Helper()
	if _, _, err := reference(all[lane].packed, 1<<20); err == nil {
		t.Fatalf("%s: the reference takes it", name)
	}
	if unpacked, err := w.unpack(all); !errors.Is(err, snappyblock.ErrCorrupt) {
		t.Fatalf("%s: became %d bytes, %v", name, len(unpacked[lane]), err)
	}
}
