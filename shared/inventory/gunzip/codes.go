package gunzip

import (
	"fmt"
	"math/bits"
)

// Table entries. A code of up to tableBits is found at once; a longer one by
// an entry that leads to a second table.
//
//	literals:  bits 0-5 length of the code(s), 6-7 how many (1, 2), 8-15 and 16-23 which
//	the rest:  bits 0-5 length of the code, 8-12 extra bits, 13-15 kind, 16-31 base or second table
//
// A zero entry is a code that does not exist.
const (
	lenMask    = 63
	countShift = 6
	countMask  = 3 << countShift
	kindEnd    = 1 << 13
	kindBase   = 2 << 13
	kindSub    = 4 << 13
	kindMask   = 7 << 13

	litBits  = 11
	distBits = 9
	maxCode  = 15

	litCodes, distCodes = 286, 30
)

// codes are the tables of a block. Second tables need at most 2,048 entries
// more for 286 codes, 512 for 30 (https://github.com/madler/zlib/blob/master/examples/enough.c
// counts less).
type codes struct {
	lit     [1<<litBits + 4096]uint32
	dist    [1<<distBits + 2048]uint32
	single  [1 << litBits]uint32 // lit before literals were paired
	lengths [litCodes + distCodes + 2]uint8
	fixed   bool // lit and dist are those of fixed blocks
}

// entries of the symbols, without the length of their code.
var litEntries, distEntries = func() (lit [288]uint32, dist [32]uint32) {
	for i := range 256 {
		lit[i] = 1<<countShift | uint32(i)<<8
	}
	lit[256] = kindEnd
	base := uint32(3)
	for i := range uint32(28) { // 257 to 284
		extra := uint32(0)
		if i >= 8 {
			extra = (i - 4) / 4
		}
		lit[257+i] = kindBase | extra<<8 | base<<16
		base += 1 << extra
	}
	lit[285] = kindBase | maxMatch<<16
	base = 1
	for i := range uint32(distCodes) {
		extra := uint32(0)
		if i >= 4 {
			extra = i/2 - 1
		}
		dist[i] = kindBase | extra<<8 | base<<16
		base += 1 << extra
	}
	return lit, dist
}()

func (c *codes) setFixed() {
	if c.fixed {
		return
	}
	var lit [288]uint8
	for i := range lit {
		switch {
		case i < 144:
			lit[i] = 8
		case i < 256:
			lit[i] = 9
		case i < 280:
			lit[i] = 7
		default:
			lit[i] = 8
		}
	}
	var dist [32]uint8
	for i := range dist {
		dist[i] = 5
	}
	_ = build(c.lit[:], lit[:], litEntries[:], litBits) // they are complete
	_ = build(c.dist[:], dist[:], distEntries[:], distBits)
	c.pair()
	c.fixed = true
}

// order is that in which the lengths of the lengths' codes come.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readCodes reads the codes of a dynamic block.
func (r *Reader) readCodes() error {
	c := &r.codes
	c.fixed = false
	nlit, ndist, nlen := int(r.take(5))+257, int(r.take(5))+1, int(r.take(4))+4
	if nlit > litCodes || ndist > distCodes {
		return fmt.Errorf("%w: too many codes", ErrCorrupt)
	}
	var first [19]uint8
	for _, at := range order[:nlen] {
		first[at] = uint8(r.take(3))
	}
	var entries [19]uint32
	for i := range entries {
		entries[i] = kindBase | uint32(i)<<16
	}
	table := c.dist[:] // free until the distances are known
	if err := build(table, first[:], entries[:], 7); err != nil {
		return err
	}
	lengths := c.lengths[:nlit+ndist]
	if err := r.readLengths(lengths, table); err != nil {
		return err
	}
	if lengths[256] == 0 {
		return fmt.Errorf("%w: a block without end", ErrCorrupt)
	}
	if err := build(c.lit[:], lengths[:nlit], litEntries[:], litBits); err != nil {
		return err
	}
	c.pair()
	return build(c.dist[:], lengths[nlit:], distEntries[:], distBits)
}

var errLengths = fmt.Errorf("%w: the lengths of codes", ErrCorrupt)

// readLengths reads the lengths of codes, which are coded themselves by a table
// of seven bits: 16 repeats the one before, 17 and 18 are zeros.
func (r *Reader) readLengths(lengths []uint8, table []uint32) error {
	for i := 0; i < len(lengths); {
		r.need()
		e := table[r.bits&127]
		if e == 0 || r.overrun() {
			return errLengths
		}
		r.drop(uint(e & lenMask))
		symbol := uint8(e >> 16)
		if symbol < 16 {
			lengths[i] = symbol
			i++
			continue
		}
		var again int
		var value uint8
		switch symbol {
		case 16:
			if i == 0 {
				return errLengths
			}
			value, again = lengths[i-1], 3+int(r.take(2))
		case 17:
			again = 3 + int(r.take(3))
		default:
			again = 11 + int(r.take(7))
		}
		if again > len(lengths)-i {
			return errLengths
		}
		for range again {
			lengths[i] = value
			i++
		}
	}
	return nil
}

// build makes the table of a canonical code. Codes have to be complete, save
// for one that has a single symbol, or none.
func build(table []uint32, lengths []uint8, entries []uint32, tableBits int) error {
	var count [maxCode + 1]int
	longest := 0
	for _, n := range lengths {
		count[n]++
		longest = max(longest, int(n))
	}
	count[0] = 0
	var next [maxCode + 2]uint32
	code := uint32(0)
	for n := 1; n <= maxCode; n++ {
		next[n] = code
		code = (code + uint32(count[n])) << 1
	}
	clear(table[:1<<tableBits])
	switch total := code >> 1; {
	case longest == 0:
		return nil
	case total == 1<<maxCode:
	case total == 1<<(maxCode-1) && longest == 1:
	default:
		return fmt.Errorf("%w: a code that is not complete", ErrCorrupt)
	}
	free := 1 << tableBits
	sub := secondBits(&count, &next, tableBits)
	for symbol, length := range lengths {
		if length == 0 {
			continue
		}
		n := int(length)
		reversed := bits.Reverse32(next[n]) >> (32 - n)
		next[n]++
		e := entries[symbol]
		if e == 0 {
			e = kindMask // a symbol that has no meaning
		}
		if n <= tableBits {
			for i := int(reversed); i < 1<<tableBits; i += 1 << n {
				table[i] = e | uint32(n)
			}
			continue
		}
		prefix := reversed & (1<<tableBits - 1)
		size := int(sub[prefix])
		if table[prefix] == 0 {
			table[prefix] = kindSub | uint32(free)<<16 | uint32(size)<<8 | uint32(tableBits)
			free += 1 << size
		}
		second := table[table[prefix]>>16:]
		for i := int(reversed >> tableBits); i < 1<<size; i += 1 << (n - tableBits) {
			second[i] = e | uint32(n-tableBits)
		}
	}
	return nil
}

// secondBits is how many bits the second table of each prefix has: the longest
// code of a prefix makes its size.
func secondBits(count *[maxCode + 1]int, next *[maxCode + 2]uint32, tableBits int) (sub [1 << litBits]uint8) {
	for n := maxCode; n > tableBits; n-- {
		at := next[n]
		for range count[n] {
			prefix := bits.Reverse32(at) >> (32 - n) & (1<<tableBits - 1)
			if sub[prefix] == 0 {
				sub[prefix] = uint8(n - tableBits)
			}
			at++
		}
	}
	return sub
}

// pair puts two literals into an entry wherever both codes fit.
func (c *codes) pair() {
	single := &c.single
	copy(single[:], c.lit[:1<<litBits])
	for i := range single {
		e := single[i]
		n := e & lenMask
		if e&countMask == 0 || n >= litBits {
			continue
		}
		// what follows, the bits beyond the table's unknown
		f := single[uint32(i)>>n]
		if f&countMask == 0 || n+f&lenMask > litBits {
			continue
		}
		c.lit[i] = 2<<countShift | (n + f&lenMask) | e&0xff00 | f&0xff00<<8
	}
}
