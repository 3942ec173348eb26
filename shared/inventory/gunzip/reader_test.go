package gunzip_test

import (
	"bytes"
	"compress/flate"
	stdgzip "compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"

	"github.com/strandline-dev/strandline/shared/inventory/gunzip"
)

// contents are texts that packers treat in different ways.
func contents() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	hex := make([]byte, 400_000)
	for i := range hex {
		hex[i] = "0123456789abcdef"[random.IntN(16)]
	}
	skewed := make([]byte, 300_000) // codes of every length up to 15
	for i := range skewed {
		skewed[i] = byte(random.ExpFloat64() * random.ExpFloat64() * 9)
	}
	var rows strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&rows, "\"bucket\",\"tenants/t-%05d/%x\",\"%x\",\"true\",\"%d\"\n", i%2000, random.Uint64(), random.Uint64(), random.IntN(1<<20))
	}
	far := append(append(bytes.Clone(noise[:32768]), noise[:32768]...), noise[:32767]...) // matches at the window's edge
	all := map[string][]byte{
		"nothing": nil, "a byte": {'x'}, "zeros": make([]byte, 700_000), "noise": noise, "hexadecimal": hex, "skewed": skewed,
		"rows": []byte(rows.String()), "window": far, "pairs": bytes.Repeat([]byte("ab"), 100_000), "sevens": bytes.Repeat([]byte("abcdefg"), 50_000),
	}
	for name, content := range all {
		all[name] = content[:min(len(content), most())]
	}
	return all
}

func reduced() bool { return os.Getenv("STRANDLINE_BOUNDS") == "reduced" }

// most is how long a content is.
func most() int {
	if reduced() {
		return 100_000
	}
	return 700_000
}

// packed is content by every packer there is, at levels of every kind.
func packed(t testing.TB, content []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	add := func(name string, b *bytes.Buffer, w io.WriteCloser, err error) {
		if err == nil {
			_, err = w.Write(content)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b.Bytes()
	}
	for _, level := range []int{gzip.StatelessCompression, gzip.HuffmanOnly, gzip.NoCompression, 1, 4, 6, 9} {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, level)
		add(fmt.Sprintf("klauspost %d", level), &b, w, err)
	}
	for _, level := range []int{stdgzip.HuffmanOnly, stdgzip.NoCompression, 1, 6, 9} {
		var b bytes.Buffer
		w, err := stdgzip.NewWriterLevel(&b, level)
		add(fmt.Sprintf("standard %d", level), &b, w, err)
	}
	return all
}

func unpack(r io.Reader) ([]byte, error) { return io.ReadAll(gunzip.NewReader(r)) }

func TestEverythingPackedIsUnpackedAsItWas(t *testing.T) {
	for name, content := range contents() {
		for packer, b := range packed(t, content) {
			got, err := unpack(bytes.NewReader(b))
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s by %s: %d of %d bytes, %v", name, packer, len(got), len(content), err)
			}
		}
	}
}

func TestInputAndOutputInPiecesOfAnySize(t *testing.T) {
	content := contents()["rows"][:20_000]
	for packer, b := range packed(t, content) {
		for name, r := range map[string]io.Reader{
			"a byte at a time": iotest.OneByteReader(bytes.NewReader(b)), "half": iotest.HalfReader(bytes.NewReader(b)),
			"the end with the last byte": iotest.DataErrReader(bytes.NewReader(b)),
		} {
			got, err := io.ReadAll(iotest.OneByteReader(gunzip.NewReader(r)))
			if err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s, %s: %d bytes, %v", packer, name, len(got), err)
			}
		}
	}
}

func TestMembersFollowOneAnother(t *testing.T) {
	all := contents()
	var b, want []byte
	for _, name := range []string{"rows", "nothing", "noise", "a byte", "zeros", "nothing", "window"} {
		b, want = append(b, packed(t, all[name])["klauspost 6"]...), append(want, all[name]...)
	}
	got, err := unpack(bytes.NewReader(b))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
}

// Without the bound a member that was damaged may repeat bytes of the one before.
func TestMemberThatRepeatsBytesOfTheOneBeforeIsAnError(t *testing.T) {
	text := []byte("the text of the first member, which the second one repeats")
	var second bytes.Buffer
	second.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
	w, err := flate.NewWriterDict(&second, 9, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	second.Write(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(text)))
	second.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	b := append(packed(t, text)["klauspost 6"], second.Bytes()...)
	if got, err := unpack(bytes.NewReader(b)); !errors.Is(err, gunzip.ErrCorrupt) || len(got) != len(text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestHeadersWithEveryField(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name, w.Comment, w.Extra = "a name", strings.Repeat("comment ", 50), bytes.Repeat([]byte{1}, 60_000)
	if _, err := w.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := unpack(&b); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
}

// Without the errors a file that was cut off is a shorter one.
func TestFileThatIsCutOffIsAnErrorWhereverItIsCut(t *testing.T) {
	content := contents()["rows"][:500]
	for packer, b := range packed(t, content) {
		for n := range len(b) {
			if got, err := unpack(bytes.NewReader(b[:n])); err == nil {
				t.Fatalf("%s, cut after %d of %d: %d bytes and no error", packer, n, len(b), len(got))
			}
		}
	}
}

func TestErrorOfTheSourceIsThatOfTheReader(t *testing.T) {
	b := packed(t, contents()["hexadecimal"])["klauspost 6"]
	broken := errors.New("the disk is gone")
	if _, err := unpack(io.MultiReader(bytes.NewReader(b[:len(b)/2]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestDamagedInputIsAnErrorOrTheContent holds the reader against the library on
// damaged files: a wrong byte never comes out with a right checksum.
func TestDamagedInputIsAnErrorOrTheContent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var originals [][]byte
	for _, content := range contents() {
		for _, b := range packed(t, content[:min(len(content), 2000)]) {
			originals = append(originals, b)
		}
	}
	damaged := 3_000
	if reduced() {
		damaged = 500
	}
	for n := range damaged {
		b := bytes.Clone(originals[n%len(originals)])
		for range 1 + random.IntN(3) {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
		got, err := unpack(bytes.NewReader(b))
		want, wrong := byLibrary(b)
		if (err == nil) != (wrong == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("damaged file %d: %d bytes, %v; the library: %d bytes, %v", n, len(got), err, len(want), wrong)
		}
	}
}

// A header may have a checksum of its own.
func TestAHeaderIsWhatItsChecksumSays(t *testing.T) {
	plain := packed(t, []byte("content"))["standard -2"]
	b := append(bytes.Clone(plain[:10]), "name\x00"...)
	b[3] |= 1<<1 | 1<<3 // a checksum, a name
	b = append(binary.LittleEndian.AppendUint16(b, uint16(crc32.ChecksumIEEE(b))), plain[10:]...)
	if got, err := unpack(bytes.NewReader(b)); err != nil || string(got) != "content" {
		t.Errorf("%q, %v", got, err)
	}
	b[10] ^= 1
	if got, err := unpack(bytes.NewReader(b)); !errors.Is(err, gunzip.ErrCorrupt) {
		t.Errorf("%q, %v", got, err)
	}
}

func byLibrary(b []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func FuzzReader(f *testing.F) {
	for _, content := range contents() {
		for _, level := range []string{"klauspost 6", "standard -2", "standard 0"} {
			f.Add(packed(f, content[:min(len(content), 300)])[level])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := unpack(bytes.NewReader(b))
		if err != nil {
			return
		}
		if want, wrong := byLibrary(b); wrong != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes; the library: %d bytes, %v", len(got), len(want), wrong)
		}
	})
}

// BenchmarkReader and BenchmarkLibrary unpack the same rows of an inventory.
func BenchmarkReader(b *testing.B) {
	bench(b, func(r io.Reader) (io.Reader, error) { return gunzip.NewReader(r), nil })
}

func BenchmarkLibrary(b *testing.B) {
	bench(b, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) })
}

func bench(b *testing.B, open func(io.Reader) (io.Reader, error)) {
	content := bytes.Repeat(contents()["rows"], 10)
	file := packed(b, content)["klauspost 4"]
	b.SetBytes(int64(len(content)))
	buf := make([]byte, 256<<10)
	for b.Loop() {
		r, err := open(bytes.NewReader(file))
		if err == nil {
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buf)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
