package orc

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// over is a plain stream of the bytes.
func over(b ...byte) *stream {
	return &stream{r: bytes.NewReader(b), end: int64(len(b))}
}

func counted(from, step int64, n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = from + step*int64(i)
	}
	return all
}

// The examples of the specification, byte by byte, and what it does not show.
func TestRunsOfWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		name   string
		v2     bool
		signed bool
		bytes  []byte
		want   []int64
	}{
		{"v1: 100 times 7", false, false, []byte{0x61, 0x00, 0x07}, counted(7, 0, 100)},
		{"v1: 100 down to 1", false, false, []byte{0x61, 0xff, 0x64}, counted(100, -1, 100)},
		{"v1: the first five primes", false, false, []byte{0xfb, 2, 3, 4, 7, 0xb}, []int64{2, 3, 4, 7, 11}},
		{"v1: signed literals", false, true, []byte{0xfc, 0, 1, 2, 3}, []int64{0, -1, 1, -2}},
		{"v1: two runs", false, false, []byte{0xff, 9, 0x00, 0x80, 0x80, 0x01}, []int64{9, 128, 0, -128}},
		{"v2: short repeat", true, false, []byte{0x0a, 0x27, 0x10}, counted(10000, 0, 5)},
		{"v2: short repeat, signed", true, true, []byte{0x00, 0x01}, counted(-1, 0, 3)},
		{"v2: direct", true, false, []byte{0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}, []int64{23713, 43806, 57005, 48879}},
		{"v2: direct of one bit, padded", true, false, []byte{0x40, 0x02, 0b10100000}, []int64{1, 0, 1}},
		{"v2: direct of 64 bits, signed", true, true, []byte{0x7e, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []int64{-1 << 63}},
		{
			"v2: patched base", true, false,
			[]byte{
				0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50, 0x5a, 0x64, 0x6e,
				0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
			},
			append([]int64{2030, 2000, 2020, 1000000}, counted(2040, 10, 16)...),
		},
		// Base -5 in one byte; 4 values of 1 bit; one patch of 2 bits, gap 3.
		{"v2: patched base below zero", true, true, []byte{0x80, 0x03, 0x01, 0x21, 0x85, 0b10100000, 0b11100000}, []int64{-4, -5, -4, -5 + 2*2}},
		{"v2: delta", true, false, []byte{0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}, []int64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}},
		{"v2: fixed delta, falling below zero", true, true, []byte{0xc0, 0x03, 0x04, 0x03}, []int64{2, 0, -2, -4}},
		{"v2: deltas, falling", true, false, []byte{0xc6, 0x03, 0x64, 0x01, 0x12}, []int64{100, 99, 98, 96}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &ints{s: over(c.bytes...), signed: c.signed, v2: c.v2}
			got := make([]int64, len(c.want))
			for i := 0; i < len(got); i += 7 { // batches cut runs anywhere
				if err := d.next(got[i:min(i+7, len(got))]); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if err := d.finished(); err != nil {
				t.Error(err)
			}
			var more [1]int64
			if err := d.next(more[:]); !errors.Is(err, ErrCorrupt) {
				t.Errorf("one more than there are: %v", err)
			}
			shorter := &ints{s: over(c.bytes[:len(c.bytes)-1]...), signed: c.signed, v2: c.v2}
			if err := shorter.next(got); !errors.Is(err, ErrCorrupt) {
				t.Errorf("without its last byte: %v", err)
			}
		})
	}
}

func TestRunsOfWholeNumbersThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		name  string
		v2    bool
		bytes []byte
	}{
		{"a varint of eleven bytes", false, []byte{0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}},
		{"a varint of 65 bits", false, []byte{0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}},
		{"deltas for a single value", true, []byte{0xc6, 0x00, 0x02, 0x02, 0x22}},
		{"a patch behind the run's end", true, []byte{0x80, 0x02, 0x01, 0x21, 0x05, 0b10100000, 0b11100000}},
		{"a patch wider than a number", true, []byte{0x80, 0x00, 0x1f, 0xe1, 0x05, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &ints{s: over(c.bytes...), v2: c.v2}
			var got [1]int64
			if err := d.next(got[:]); !errors.Is(err, ErrCorrupt) {
				t.Errorf("got %v and %v, want ErrCorrupt", got, err)
			}
		})
	}
}

func TestRunsOfBytes(t *testing.T) {
	d := &byteRuns{s: over(0x61, 0x00, 0xfe, 0x44, 0x45)}
	for i := range 102 {
		want := byte(0)
		if i >= 100 {
			want = byte(0x44 + i - 100)
		}
		if b, err := d.next(); err != nil || b != want {
			t.Fatalf("byte %d: %#x, %v; want %#x", i, b, err, want)
		}
	}
	if err := d.finished(); err != nil {
		t.Error(err)
	}
	if _, err := d.next(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("one more than there are: %v", err)
	}
}

func TestBooleansComeFromTheHighestBitDown(t *testing.T) {
	d := &bits{bytes: byteRuns{s: over(0xff, 0x80)}}
	var got [8]bool
	n, err := d.next(got[:])
	if err != nil || n != 1 || got != [8]bool{true} {
		t.Errorf("got %v, %d true, %v", got, n, err)
	}
}

func TestVarintsAsTheSpecificationListsThem(t *testing.T) {
	for want, b := range map[uint64][]byte{
		0: {0x00}, 1: {0x01}, 127: {0x7f}, 128: {0x80, 0x01}, 129: {0x81, 0x01},
		16383: {0xff, 0x7f}, 16384: {0x80, 0x80, 0x01}, 16385: {0x81, 0x80, 0x01},
	} {
		if got, err := over(b...).varint(); err != nil || got != want {
			t.Errorf("%x: %d, %v; want %d", b, got, err, want)
		}
	}
	for want, v := range map[int64]uint64{0: 0, -1: 1, 1: 2, -2: 3, 2: 4, -1 << 63: 1<<64 - 1} {
		if got := unzigzag(v); got != want {
			t.Errorf("zigzag %d: %d, want %d", v, got, want)
		}
	}
}

func TestNanosecondsHaveTheirTrailingZerosCounted(t *testing.T) {
	for part, want := range map[int64]int64{
		0: 0, 0x0a: 1000, 0x0c: 100_000, 1<<3 | 1: 100, 999_999_999 << 3: 999_999_999, 9<<3 | 7: 900_000_000,
		-(9 << 3) | 7: -900_000_000, // as Arrow writes times before 1970
	} {
		if got, err := nanoseconds(part); err != nil || got != want {
			t.Errorf("%#x: %d, %v; want %d", part, got, err, want)
		}
	}
	for _, part := range []int64{1_000_000_000 << 3, 10<<3 | 7, -1 << 63, 1<<63 - 1} {
		if got, err := nanoseconds(part); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%#x: %d, %v; want ErrCorrupt", part, got, err)
		}
	}
}
