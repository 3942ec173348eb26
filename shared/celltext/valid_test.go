package celltext_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/celltext"
)

// A key that is no UTF-8 is refused: were it taken, the same bytes decoded
// another way would be another key. Eight bytes are looked at together and the
// last few one by one, so everything is tried at every place.
func TestValidIsWhatTheStandardLibrarySays(t *testing.T) {
	check := func(text []byte) {
		t.Helper()
		if got, want := celltext.Valid(text), utf8.Valid(text); got != want {
			t.Fatalf("%q: %t, want %t", text, got, want)
		}
	}
	check(nil)
	parts := [][]byte{
		{0x7f}, {0}, {0x80}, {0xff}, {0xc0, 0x80}, {0xc3}, []byte("é"), []byte("€"), []byte("😀"),
		{0xed, 0xa0, 0x80}, {0xe2, 0x82}, {0xf0, 0x9f, 0x98}, {0xf4, 0x90, 0x80, 0x80},
	}
	for b := 0x80; b <= 0xff; b++ {
		parts = append(parts, []byte{byte(b)})
	}
	for size := range 41 {
		for at := range size + 1 {
			for _, part := range parts {
				text := bytes.Repeat([]byte{'a'}, size)
				copy(text[at:], part)
				check(text)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		text := fmt.Append(nil, "tenants/", r.Uint64(), "/é/", r.Uint64())
		for range r.IntN(3) {
			text[r.IntN(len(text))] = byte(r.Uint32())
		}
		from := r.IntN(len(text))
		check(text[from : from+r.IntN(len(text)-from)])
	}
}
