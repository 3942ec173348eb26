package orc

import (
	"bytes"
	"compress/flate"
	"errors"
	"math"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

var allColumns = []string{"key", "n", "at"}

func scanBytes(b []byte, columns ...string) ([]string, error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return dump(f, columns)
}

var soundRows = []string{"=aa\t7\t1420070400000", "=bbb\t8\t1420070400000", "=c\t9\t1420070400000"}

func TestFilesMadeByHandAreRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*handmade)
	}{
		{"a sound one", func(*handmade) {}},
		{"of version 0.11", func(h *handmade) { h.version = []uint64{0, 11} }},
		{"without a version", func(h *handmade) { h.version = nil }},
		{"with its magic at the head only", func(h *handmade) { h.magic = "" }},
		{"without a head", func(h *handmade) { h.head = "" }},
		{"in chunks", func(h *handmade) { h.compression, h.block = zlib, 1000; h.chunked() }},
		{"with an empty chunk at every stream's end", func(h *handmade) {
			h.compression, h.block = snappyRaw, 1000
			h.chunked()
			for i := range h.streams {
				h.streams[i].bytes = append(h.streams[i].bytes, chunkHead(0, true)...)
				h.streams[i].length += 3
			}
		}},
		{"with fields that nobody knows", func(h *handmade) {
			h.footer, h.stripe = numbered(99, 5), message(nil, 98, []byte("new"))
		}},
		{"with a column of an unknown type", func(h *handmade) {
			h.types[0].children = append(h.types[0].children, 4)
			h.types[0].names = append(h.types[0].names, "later")
			h.types = append(h.types, typeInfo{kind: 77})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := sound()
			c.change(h)
			got, err := scanBytes(h.bytes(), allColumns...)
			if err != nil || !slices.Equal(got, soundRows) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// chunked puts every stream and footer into chunks.
func (h *handmade) chunked() {
	h.wrap = asStored
	for i, s := range h.streams {
		h.streams[i].bytes = asStored(s.bytes)
		h.streams[i].length = uint64(len(h.streams[i].bytes))
	}
}

// compressed replaces the key's bytes by a chunk that is stored compressed.
func (h *handmade) compressed(kind, block uint64, chunk []byte) {
	h.compression, h.block = kind, block
	h.chunked()
	h.streams[0].bytes = append(chunkHead(len(chunk), false), chunk...)
	h.streams[0].length = uint64(len(h.streams[0].bytes))
}

func deflated(b []byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, 9)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// Each of these guards was taken out once: then the file is read as something
// that it does not say, or its reader panics or takes all memory.
func TestWrongFilesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		want   error
		says   string
		change func(*handmade)
	}{
		{"no magic", ErrCorrupt, "it has no magic", func(h *handmade) { h.magic, h.head = "", "PAR" }},
		{"another magic", ErrCorrupt, "it has no magic", func(h *handmade) { h.magic = "ORD" }},
		{"version 2", ErrUnsupported, "its version begins with 1, expected 0.11 or 0.12", func(h *handmade) { h.version = []uint64{1, 9999} }},
		{"LZ4", ErrUnsupported, "its compression is LZO or LZ4", func(h *handmade) { h.compression, h.block = lz4, 1000 }},
		{"LZO", ErrUnsupported, "its compression is LZO or LZ4", func(h *handmade) { h.compression, h.block = lzo, 1000 }},
		{"an unknown compression", ErrUnsupported, "its compression has the unknown number 6", func(h *handmade) { h.compression, h.block = 6, 1000 }},
		{"a block of 256 MiB", ErrCorrupt, "compression block of 268435456 bytes, expected at most 8388608", func(h *handmade) { h.compression, h.block = zlib, 256<<20 }},
		{"a block of nothing", ErrCorrupt, "compression block of 0 bytes, expected at most 8388608", func(h *handmade) { h.compression = zlib }},
		{"a footer longer than the file", ErrCorrupt, "the footer is longer than the file", func(h *handmade) { h.tail = func(p *postscript) { p.footerLength = math.MaxUint64 } }},
		{"metadata longer than the file", ErrCorrupt, "the footer is longer than the file", func(h *handmade) { h.tail = func(p *postscript) { p.metadataLength = math.MaxUint64 } }},
		{"stripes inside the metadata", ErrCorrupt, "stripe 0 reaches past the file's body", func(h *handmade) { h.tail = func(p *postscript) { p.metadataLength = 10 } }},
		{"an encrypted file", ErrUnsupported, "it is encrypted", func(h *handmade) { h.footer = message(nil, 10) }},
		{"an encrypted stripe", ErrUnsupported, "it is encrypted", func(h *handmade) { h.stripe = message(nil, 4) }},
		{"a footer that is no message", ErrCorrupt, "bad field in a footer", func(h *handmade) { h.footer = []byte{0x0a, 0x7f} }},

		{"no schema", ErrCorrupt, "it has no schema", func(h *handmade) { h.types = nil }},
		{"rows that are no structs", ErrUnsupported, "its rows are no structs", func(h *handmade) { h.types[0].kind = typeLong }},
		{"more columns than names", ErrCorrupt, "3 columns have 2 names", func(h *handmade) { h.types[0].names = h.types[0].names[:2] }},
		{"a column that is the root", ErrCorrupt, "column 0 has a wrong number", func(h *handmade) { h.types[0].children[0] = 0 }},
		{"a column that is not there", ErrCorrupt, "column 2 has a wrong number", func(h *handmade) { h.types[0].children[2] = 4 }},
		{"two columns of one number", ErrCorrupt, "column 1 has a wrong number", func(h *handmade) { h.types[0].children[1] = 1 }},
		{"two columns of one name", ErrCorrupt, `two columns named "key"`, func(h *handmade) { h.types[0].names[1] = "key" }},
		{"a column of another type", ErrUnsupported, `column "key" has type number 15`, func(h *handmade) { h.types[1].kind = 15 }},

		{"fewer rows than the footer says", ErrCorrupt, "its stripes have 3 rows, its footer says 4", func(h *handmade) { h.rows = 4 }},
		{"a stripe that is listed twice", ErrCorrupt, "stripe 1 overlaps the one before", func(h *handmade) { h.repeat, h.rows = 2, 6 }},
		{"a stripe past the body", ErrCorrupt, "stripe 0 reaches past the file's body", func(h *handmade) { h.shift = 1 }},
		{"a stripe at the end of the numbers", ErrCorrupt, "stripe 0 reaches past the file's body", func(h *handmade) { h.shift = math.MaxUint64 - 10 }},
		{"more rows than there are numbers", ErrCorrupt, "stripe 0 has 18446744073709551615 rows", func(h *handmade) { h.rows, h.stripeRows = math.MaxUint64, math.MaxUint64 }},
		{"a stream past the stripe", ErrCorrupt, "a stream reaches past the stripe", func(h *handmade) { h.streams[4].length = 3 }},
		{"a stream of all numbers", ErrCorrupt, "a stream reaches past the stripe", func(h *handmade) { h.streams[4].length = math.MaxUint64 }},
		{"a stream that is listed twice", ErrCorrupt, "a column has two streams of kind 1", func(h *handmade) { h.streams[4].kind = streamData }},
		{"rows that are null as a whole", ErrUnsupported, "whole rows are null", func(h *handmade) { h.streams = append(h.streams, handmadeOf(0, streamPresent, "\xff\x80")) }},
		{"a column without an encoding", ErrCorrupt, `column "at" has no encoding`, func(h *handmade) { h.encodings = h.encodings[:3] }},
		{"an unknown encoding", ErrUnsupported, "encoding 4 of type 7", func(h *handmade) { h.encodings[1].kind = 4 }},
		{"a dictionary of numbers", ErrUnsupported, "encoding 3 of type 4", func(h *handmade) { h.encodings[2].kind = encodingDictionaryV2 }},

		{"rows beyond the streams", ErrCorrupt, "a stream ends early", func(h *handmade) { h.rows, h.stripeRows = 4, 4 }},
		{"streams beyond the rows", ErrCorrupt, "a run goes on after its last row", func(h *handmade) { h.rows, h.stripeRows = 2, 2 }},
		{"text beyond the lengths", ErrCorrupt, "a stream goes on after its last row", func(h *handmade) { h.streams[0] = handmadeOf(1, streamData, "aabbbcd") }},
		{"lengths beyond the text", ErrCorrupt, "a stream ends early", func(h *handmade) { h.streams[0] = handmadeOf(1, streamData, "aabbb") }},
		{"no text at all", ErrCorrupt, "a stream ends early", func(h *handmade) { h.streams = h.streams[1:] }},
		// One of three is said to be null, and so the second would get the
		// third one's text.
		{"a null too many", ErrCorrupt, "a run goes on after its last row", func(h *handmade) { h.streams = append(h.streams, handmadeOf(1, streamPresent, "\xff\xa0")) }},
		{"a null bitmap that ends early", ErrCorrupt, "a stream ends early", func(h *handmade) { h.streams = append(h.streams, handmadeOf(1, streamPresent, "\xff")) }},
		{"a null bitmap that goes on", ErrCorrupt, "a run goes on after its last row", func(h *handmade) { h.streams = append(h.streams, handmadeOf(1, streamPresent, "\xfe\xe0\xe0")) }},
		{"a negative length", ErrCorrupt, "strings of more than 268435456 bytes", func(h *handmade) { h.streams[1] = handmadeOf(1, streamLength, "\x38\xff\xff\xff\xff\xff\xff\xff\xff") }},
		// Three strings of 2^60 bytes each would be allocated.
		{"a length of exabytes", ErrCorrupt, "strings of more than 268435456 bytes", func(h *handmade) { h.streams[1] = handmadeOf(1, streamLength, "\x38\x10\x00\x00\x00\x00\x00\x00\x00") }},
		{"lengths of 200 MB with nothing there", ErrCorrupt, "a stream ends early", func(h *handmade) { h.streams[1] = handmadeOf(1, streamLength, "\x18\x04\x00\x00\x00") }},
		{"a time beyond all calendars", ErrCorrupt, "a timestamp of -4611686018427387904 seconds", func(h *handmade) { h.streams[3] = handmadeOf(3, streamData, "\x38\x7f\xff\xff\xff\xff\xff\xff\xff") }},
		{"nanoseconds beyond the times", ErrCorrupt, "a run goes on after its last row", func(h *handmade) { h.streams[4] = handmadeOf(3, streamSecondary, "\x01\x00") }},
		{"a writer in an unknown place", ErrUnsupported, `the writer's time zone "Mars/Olympus_Mons" is not known here`, func(h *handmade) { h.zone = "Mars/Olympus_Mons" }},
		{"a writer in this machine's place", ErrUnsupported, "the writer's time zone is not a place", func(h *handmade) { h.zone = "Local" }},
		{"a writer in a file of this machine", ErrUnsupported, `the writer's time zone "../../etc/localtime" is not known here`, func(h *handmade) { h.zone = "../../etc/localtime" }},

		{"a reference past the dictionary", ErrCorrupt, "a reference past the dictionary of 2 words", func(h *handmade) { h.dictionary(2, "\x46\x02\x01\x20", "\x42\x01\xa0", "aabb") }},
		{"a reference before the dictionary", ErrCorrupt, "a reference past the dictionary of 2 words", func(h *handmade) { h.dictionary(2, "\x38\xff\xff\xff\xff\xff\xff\xff\xff", "\x42\x01\xa0", "aabb") }},
		{"a dictionary shorter than its words", ErrCorrupt, "a stream ends early", func(h *handmade) { h.dictionary(2, "\x46\x02\x01\x00", "\x42\x01\xa0", "aa") }},
		{"a dictionary longer than its words", ErrCorrupt, "a stream goes on after its last row", func(h *handmade) { h.dictionary(2, "\x46\x02\x01\x00", "\x42\x01\xa0", "aabbc") }},
		{"a dictionary of more words than rows", ErrCorrupt, "a dictionary has 4 words for 3 rows", func(h *handmade) { h.dictionary(4, "\x46\x02\x01\x00", "\x42\x01\xa0", "aabb") }},
		{"a dictionary with too many lengths", ErrCorrupt, "a run goes on after its last row", func(h *handmade) { h.dictionary(1, "\x46\x02\x00\x00", "\x42\x01\xa0", "aa") }},

		// Gigabytes of offsets, or of words, would be allocated.
		{"a dictionary of two milliard words", ErrCorrupt, "a dictionary is larger than 268435456 bytes", func(h *handmade) {
			h.dictionary(1<<31, "\x46\x02\x01\x00", "\x42\x01\xa0", "aabb")
			h.rows, h.stripeRows = 1<<40, 1<<40
		}},
		{"a dictionary with a word of exabytes", ErrCorrupt, "a dictionary is larger than 268435456 bytes", func(h *handmade) { h.dictionary(3, "\x46\x02\x01\x00", "\x38\x10\x00\x00\x00\x00\x00\x00\x00", "aabb") }},
		{"a dictionary with a negative length", ErrCorrupt, "a dictionary is larger than 268435456 bytes", func(h *handmade) { h.dictionary(3, "\x46\x02\x01\x00", "\x38\xff\xff\xff\xff\xff\xff\xff\xff", "aabb") }},

		{"a chunk past its stream", ErrCorrupt, "a chunk reaches past its stream", func(h *handmade) {
			h.compressed(zlib, 1000, nil)
			h.streams[0].bytes = chunkHead(10, true)
		}},
		{"a chunk's header cut short", ErrCorrupt, "a stream ends inside a chunk's header", func(h *handmade) {
			h.compressed(zlib, 1000, nil)
			h.streams[0].bytes, h.streams[0].length = []byte{1, 0}, 2
		}},
		{"a chunk larger than the block", ErrCorrupt, "a chunk is larger than the block of 5 bytes", func(h *handmade) {
			h.compression, h.block = zlib, 5
			h.chunked()
		}},
		{"a chunk that does not inflate", ErrCorrupt, "a ZLIB chunk does not inflate", func(h *handmade) { h.compressed(zlib, 1000, []byte("\xff\xff\xff")) }},
		{"a chunk that ends inside", ErrCorrupt, "a ZLIB chunk does not inflate", func(h *handmade) { h.compressed(zlib, 1000, deflated([]byte("aabbbc"))[:3]) }},
		{"bytes behind a chunk's end", ErrCorrupt, "a ZLIB chunk and its header disagree", func(h *handmade) { h.compressed(zlib, 1000, append(deflated([]byte("aabbbc")), 1)) }},
		{"a chunk that expands past the block, ZLIB", ErrCorrupt, "a chunk expands to more than the block of 1000 bytes", func(h *handmade) { h.compressed(zlib, 1000, deflated(make([]byte, 1<<20))[:900]) }},
		{"a chunk that expands past the block, Snappy", ErrCorrupt, "a Snappy chunk states a wrong length", func(h *handmade) { h.compressed(snappyRaw, 1000, snappy.Encode(nil, make([]byte, 1200))) }},
		{"a chunk that expands past the block, Zstandard", ErrCorrupt, "a Zstandard chunk does not expand", func(h *handmade) {
			e, _ := zstd.NewWriter(nil)
			h.compressed(zstandard, 8000, e.EncodeAll(make([]byte, 32<<20), nil)) // in 4 KB
		}},
		{"two Zstandard frames that expand past the block", ErrCorrupt, "a Zstandard chunk does not expand", func(h *handmade) {
			e, _ := zstd.NewWriter(nil)
			frame := e.EncodeAll(make([]byte, 800), nil)
			h.compressed(zstandard, 1000, append(frame, frame...))
		}},
		// Eight megabytes would be allocated for four bytes.
		{"a Snappy chunk that states a wrong length", ErrCorrupt, "a Snappy chunk states a wrong length", func(h *handmade) { h.compressed(snappyRaw, 8<<20, []byte("\x80\x80\x80\x04")) }},
		{"no Snappy chunk", ErrCorrupt, "a Snappy chunk does not expand", func(h *handmade) { h.compressed(snappyRaw, 1000, []byte("\x06\xff\xff")) }},
		{"no Zstandard chunk", ErrCorrupt, "a Zstandard chunk does not expand", func(h *handmade) { h.compressed(zstandard, 1000, []byte("aabbbc")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := sound()
			c.change(h)
			b := h.bytes()
			var rows []string
			var err error
			used := allocated(func() { rows, err = scanBytes(b, allColumns...) })
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q and %v, want %v: %s", rows, err, c.want, c.says)
			}
			if used > 2<<20 {
				t.Errorf("%d bytes were allocated for a file of %d", used, len(b))
			}
		})
	}
}

// dictionary makes the key's column one of words.
func (h *handmade) dictionary(size uint64, refs, lengths, words string) {
	h.encodings[1] = encoding{kind: encodingDictionaryV2, dictionary: size}
	h.streams[0] = handmadeOf(1, streamData, refs)
	h.streams[1] = handmadeOf(1, streamLength, lengths)
	h.streams = append(h.streams, handmadeOf(1, streamDictionary, words))
}

// allocated is how many bytes f allocates in all, freed or not.
func allocated(f func()) uint64 {
	all := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(all)
	before := all[0].Value.Uint64()
	f()
	metrics.Read(all)
	return all[0].Value.Uint64() - before
}

// A few kilobytes of a footer expand to megabytes, of which two bytes make an
// element of dozens. Without the limits that would be gigabytes.
func TestFootersThatExpandWithoutEndAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, says string
		file       bool // the file's footer, or the stripe's
		add        []byte
		times      int
	}{
		{"of nothing", "a footer is larger", true, make([]byte, maxBlock), 3},
		{"of stripes", "lists more than", true, bytes.Repeat(message(nil, 3), 1<<20), 1},
		{"of types", "lists more than", true, bytes.Repeat(message(nil, 4), 1<<20), 1},
		{"of columns", "bad list", true, message(nil, 4, message(nil, 2, make([]byte, 4<<20))), 1},
		{"of names", "lists more than", true, message(nil, 4, bytes.Repeat(message(nil, 3), 1<<20)), 1},
		{"of streams", "lists more than", false, bytes.Repeat(message(nil, 1), 1<<20), 1},
		{"of encodings", "lists more than", false, bytes.Repeat(message(nil, 2), 1<<20), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := sound()
			h.compression, h.block = zlib, maxBlock
			h.chunked()
			if c.name == "of columns" || c.name == "of names" {
				h.types = nil // the first type is the root
			}
			small := deflated(c.add)
			wraps := 0
			h.wrap = func(b []byte) []byte {
				b = asStored(b)
				if wraps++; (wraps == 2) == c.file {
					b = append(b, bytes.Repeat(append(chunkHead(len(small), false), small...), c.times)...)
				}
				return b
			}
			file := h.bytes()
			var err error
			used := allocated(func() { _, err = scanBytes(file, "key") })
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want: %s", err, c.says)
			}
			if used > 100<<20 {
				t.Errorf("%d bytes were allocated for a file of %d", used, len(file))
			}
		})
	}
}

func TestAWholeDictionaryIsRead(t *testing.T) {
	h := sound()
	h.dictionary(2, "\x46\x02\x01\x00", "\x42\x01\xa0", "aabb")
	got, err := scanBytes(h.bytes(), "key")
	if want := []string{"=aa", "=bb", "=aa"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestFilesTooShortToBeFilesAreRefused(t *testing.T) {
	for _, b := range []string{"", "O", "ORC", "\xff", "ORC\x05", strings.Repeat("\x00", 300)} {
		if _, err := scanBytes([]byte(b), "key"); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%d bytes: %v, want ErrCorrupt", len(b), err)
		}
	}
}

func TestEveryTruncationIsAnError(t *testing.T) {
	whole := sound().bytes()
	for n := range whole {
		if _, err := scanBytes(whole[:n], allColumns...); err == nil {
			t.Errorf("%d bytes of %d are read as a file", n, len(whole))
		}
	}
}

func TestAnLZ4FileOfAnotherWriterIsRefusedByName(t *testing.T) {
	b := readFixture(t, "testdata/refused.lz4.orc")
	_, err := Open(bytes.NewReader(b), int64(len(b)))
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "LZ4") {
		t.Errorf("got %v", err)
	}
}
