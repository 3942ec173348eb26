package snappyblock

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/snappy"
)

// What turns leave is unpacked one element at a time, as slowly as by a library.
func TestMostOfPagesOfKeysIsUnpackedInTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 11))
	var packed [Lanes][]byte
	var sizes [Lanes]Size
	for i := range packed {
		var page []byte
		for len(page) < 64<<10 {
			id := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, r.Uint64()), r.Uint64())
			page = fmt.Appendf(page, "\x4f\x00\x00\x00tenants/acme-%02d/uploads/%s/part-%05d", r.IntN(20), hex.EncodeToString(id), 1+r.IntN(3))
		}
		packed[i] = snappy.Encode(nil, page)
		sizes[i] = Size{Packed: len(packed[i]), Unpacked: len(page), Wanted: len(page)}
	}
	var u Unpacker
	for i, room := range u.Room(sizes) {
		copy(room, packed[i])
		_, n := binary.Uvarint(room)
		u.lanes[i].in += n
	}
	unpacked, inTurns := make([]byte, u.lanes[Lanes-1].outEnd+slack), 0
	for u.allLeft() {
		before := u.lanes
		turns(u.packed, unpacked, &u.lanes)
		for i := range u.lanes {
			inTurns += u.lanes[i].out - before[i].out
			if !u.lanes[i].element(u.packed, unpacked) {
				t.Fatal("a page of the library's is corrupt")
			}
		}
	}
	all := sizes[0].Unpacked + sizes[1].Unpacked + sizes[2].Unpacked
	t.Logf("%d of %d bytes", inTurns, all)
	if inTurns < all/10*9 {
		t.Errorf("%d of %d bytes were unpacked in turns", inTurns, all)
	}
}
