package snappyblock_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/strandline-dev/strandline/shared/snappyblock"
)

func TestOfABlockComesAtLeastWhatIsWanted(t *testing.T) {
	r := seeded(t, 8)
	var w bench
	var all blocks
	for i := range all {
		var s stream
		s.even(r, 8)
		s.odd(r, 4)
		s.even(r, 8)
		all[i] = s.block()
	}
	most := max(all[0].unpacked, all[1].unpacked, all[2].unpacked)
	for wanted := range most + 1 {
		some := all
		for i := range some {
			some[i].wanted = min(wanted, all[i].unpacked)
		}
		judge(t, fmt.Sprintf("%d of each", wanted), &w, some)
		some[wanted%3].wanted = all[wanted%3].unpacked
		judge(t, fmt.Sprintf("%d of each, and all of one", wanted), &w, some)
	}
}

func TestOfABlockOfWhichLittleIsWantedLittleIsUnpacked(t *testing.T) {
	r := seeded(t, 12)
	var s stream
	s.even(r, 400)
	var w bench
	for wanted := 0; wanted < len(s.truth)-500; wanted += 97 {
		one := s.block()
		one.wanted = wanted
		unpacked, err := w.unpack(blocks{one, one, one})
		if err != nil || len(unpacked[2]) > wanted+200 {
			t.Fatalf("%d bytes are wanted, %d are unpacked: %v", wanted, len(unpacked[2]), err)
		}
	}
}

// A page that is looked at again is unpacked as far as its rows need it, which
// may not hide that it is broken before.
func TestABlockThatIsBrokenBeforeWhatIsWantedIsCorrupt(t *testing.T) {
	r := seeded(t, 9)
	var w bench
	verdicts := map[string]int{}
	for round := range 4000 {
		var all blocks
		for i := range all {
			var s stream
			s.even(r, r.IntN(20))
			s.odd(r, r.IntN(4))
			s.even(r, r.IntN(20))
			all[i] = s.block()
			all[i].wanted = r.IntN(all[i].unpacked + 1)
			if r.IntN(4) == 0 {
				all[i].wanted = all[i].unpacked
			}
		}
		mutate(r, &all[r.IntN(3)])
		verdicts[judge(t, fmt.Sprint("round ", round), &w, all)]++
	}
	for _, verdict := range []string{"right", "corrupt before it", "corrupt behind it"} {
		if verdicts[verdict] < 200 {
			t.Errorf("%d of the blocks are %s: %v", verdicts[verdict], verdict, verdicts)
		}
	}
}

func mutate(r *rand.Rand, b *block) {
	if len(b.packed) == 0 {
		return
	}
	at := r.IntN(len(b.packed))
	switch r.IntN(3) {
	case 0:
		b.packed[at] ^= 1 << r.IntN(8)
	case 1:
		b.packed[at] = byte(r.Uint32())
	case 2:
		b.packed = b.packed[:at]
	}
}

// judge has blocks unpacked and compares with the reference. Where one has a
// fault behind what is wanted of it, it may be found.
func judge(t *testing.T, name string, w *bench, all blocks) (verdict string) {
	t.Helper()
	verdict = "right"
	var truths [snappyblock.Lanes][]byte
	for i, b := range all {
		stated, made, err := reference(b.packed, 1<<20)
		truths[i] = made
		switch {
		case stated != b.unpacked, err != nil && (len(made) < b.wanted || b.wanted == b.unpacked):
			verdict = "corrupt before it"
		case err != nil && verdict == "right":
			verdict = "corrupt behind it"
		}
	}
	unpacked, err := w.unpack(all)
	if err != nil {
		if !errors.Is(err, snappyblock.ErrCorrupt) || verdict == "right" {
			t.Fatalf("%s: %v", name, err)
		}
		return verdict
	}
	if verdict == "corrupt before it" {
		t.Fatalf("%s: a block with a fault was unpacked", name)
	}
	for i, b := range all {
		if len(unpacked[i]) < b.wanted || !bytes.HasPrefix(truths[i], unpacked[i]) {
			t.Fatalf("%s: block %d: %d bytes are wanted, %d came, right up to %d", name, i, b.wanted, len(unpacked[i]), differ(unpacked[i], truths[i]))
		}
	}
	return verdict
}
