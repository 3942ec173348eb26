package snappyblock_test

import "testing"

// mostFuzzed is how long a block may state that it becomes.
const mostFuzzed = 64 << 10

// Blocks of anybody's become what the reference makes of them, or are corrupt:
// never a panic, and never bytes of the block beside.
func FuzzUnpack(f *testing.F) {
	f.Fuzz(func(t *testing.T, a, b, c []byte, share, ahead uint8) {
		var w bench
		var all, some blocks
		for i, packed := range [][]byte{a, b, c} {
			stated, _, _ := reference(packed, mostFuzzed)
			all[i] = block{ahead: make([]byte, int(ahead)*i), packed: packed, unpacked: stated, wanted: stated}
			some[i] = all[i]
			some[i].wanted = stated * int(share) / 255
		}
		judge(t, "all", &w, all)
		judge(t, "some", &w, some)
	})
}
