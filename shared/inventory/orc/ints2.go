package orc

// The four kinds of run in version 2.
const (
	shortRepeat = iota
	direct
	patchedBase
	delta
)

// widths is the 5-bit code of a bit width. In runs of deltas 0 means 0.
var widths = [32]uint{
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64,
}

// nearestWidth is the smallest width with a code that has room for n bits.
func nearestWidth(n uint) uint {
	for _, w := range widths {
		if w >= n {
			return w
		}
	}
	return 64
}

func (d *ints) loadV2(h byte) error {
	switch h >> 6 {
	case shortRepeat:
		return d.loadShortRepeat(h)
	case direct:
		return d.loadDirect(h)
	case patchedBase:
		return d.loadPatched(h)
	}
	return d.loadDelta(h)
}

func (d *ints) loadShortRepeat(h byte) error {
	v, err := d.bigEndian(int(h>>3&7) + 1)
	if err != nil {
		return err
	}
	d.n = int(h&7) + 3
	for i := range d.n {
		d.run[i] = d.sign(v)
	}
	return nil
}

// length reads the low byte of a run's length of 1 to 512.
func (d *ints) length(h byte) (int, error) {
	low, err := d.s.readByte()
	return int(h&1)<<8 + int(low) + 1, err
}

func (d *ints) loadDirect(h byte) error {
	n, err := d.length(h)
	if err != nil {
		return err
	}
	if err := d.unpack(d.run[:n], widths[h>>1&31]); err != nil {
		return err
	}
	for i, v := range d.run[:n] {
		d.run[i] = d.sign(uint64(v))
	}
	d.n = n
	return nil
}

// loadPatched reads values above a base, of which a few have higher bits in a
// list of patches.
func (d *ints) loadPatched(h byte) error {
	n, err := d.length(h)
	if err != nil {
		return err
	}
	var head [2]byte
	if err := d.s.readFull(head[:]); err != nil {
		return err
	}
	width := widths[h>>1&31]
	baseBytes, patchWidth := int(head[0]>>5)+1, widths[head[0]&31]
	gapWidth, patches := uint(head[1]>>5)+1, int(head[1]&31)
	base, err := d.base(baseBytes)
	if err != nil {
		return err
	}
	if err := d.unpack(d.run[:n], width); err != nil {
		return err
	}
	if err := d.patch(d.run[:n], width, gapWidth, patchWidth, patches); err != nil {
		return err
	}
	for i := range n {
		d.run[i] += base
	}
	d.n = n
	return nil
}

// base reads a number whose highest bit is its sign, the rest its magnitude.
func (d *ints) base(size int) (int64, error) {
	v, err := d.bigEndian(size)
	sign := uint64(1) << (size*8 - 1)
	if v&sign != 0 {
		return -int64(v &^ sign), err
	}
	return int64(v), err
}

// patch puts the higher bits in. A gap counts from the patch before; an empty
// patch only carries a gap that is too wide for one.
func (d *ints) patch(run []int64, width, gapWidth, patchWidth uint, patches int) error {
	if gapWidth+patchWidth > 64 {
		return corrupt("a patch of %d bits", gapWidth+patchWidth)
	}
	var list [31]int64
	if err := d.unpack(list[:patches], nearestWidth(gapWidth+patchWidth)); err != nil {
		return err
	}
	at := 0
	for _, p := range list[:patches] {
		at += int(uint64(p) >> patchWidth)
		if at >= len(run) {
			return corrupt("a patch outside its run")
		}
		higher := uint64(p) & (1<<patchWidth - 1)
		run[at] |= int64(higher << width)
	}
	return nil
}

// loadDelta reads a base, the first delta, and the sizes of the other deltas,
// which go the same way as the first.
func (d *ints) loadDelta(h byte) error {
	n, err := d.length(h)
	if err != nil {
		return err
	}
	v, err := d.number()
	if err != nil {
		return err
	}
	first, err := d.s.varint()
	if err != nil {
		return err
	}
	step := unzigzag(first)
	code := h >> 1 & 31
	if code > 0 {
		return d.loadDeltas(n, v, step, widths[code])
	}
	for i := range n {
		d.run[i] = v
		v += step
	}
	d.n = n
	return nil
}

// loadDeltas reads the sizes of all deltas but the first.
func (d *ints) loadDeltas(n int, v, step int64, width uint) error {
	if n < 2 {
		return corrupt("a run of deltas with one value")
	}
	if err := d.unpack(d.run[2:n], width); err != nil {
		return err
	}
	d.run[0], d.run[1] = v, v+step
	for i := 2; i < n; i++ {
		if step < 0 {
			d.run[i] = d.run[i-1] - d.run[i]
		} else {
			d.run[i] += d.run[i-1]
		}
	}
	d.n = n
	return nil
}

// bigEndian reads an unsigned number of 1 to 8 bytes.
func (d *ints) bigEndian(size int) (uint64, error) {
	var v uint64
	for range size {
		b, err := d.s.readByte()
		if err != nil {
			return 0, err
		}
		v = v<<8 | uint64(b)
	}
	return v, nil
}

// unpack reads numbers of width bits each, the highest bit first; the last
// byte is padded.
func (d *ints) unpack(dst []int64, width uint) error {
	size := (len(dst)*int(width) + 7) / 8
	packed := d.packed[:size]
	if err := d.s.readFull(packed); err != nil {
		return err
	}
	var have uint // bits of packed[0] that were not taken yet
	at := 0
	for i := range dst {
		var v uint64
		for need := width; need > 0; {
			if have == 0 {
				have = 8
				at++
			}
			take := min(need, have)
			have -= take
			need -= take
			v = v<<take | uint64(packed[at-1])>>have&(1<<take-1)
		}
		dst[i] = int64(v)
	}
	return nil
}
