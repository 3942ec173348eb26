package snappyblock

// element unpacks the next element of a block, whatever it is like, and reports
// whether it is one. Of a block that has ended there is none.
func (l *lane) element(packed, unpacked []byte) bool {
	in, out := packed[l.in:l.inEnd], unpacked[l.out:l.outEnd]
	if len(in) == 0 {
		return true
	}
	if in[0]&kindBits == literal {
		n, ahead := literalLength(in)
		if ahead > len(in) || n > uint64(len(in)-ahead) || n > uint64(len(out)) {
			return false
		}
		copy(out[:n], in[ahead:])
		l.in, l.out = l.in+ahead+int(n), l.out+int(n)
		return true
	}
	c := copies[in[0]]
	n, size := int(c.length), int(c.size)
	if size > len(in) || n > len(out) {
		return false
	}
	offset := uint64(littleEndian(in[1:size])&c.mask | uint32(c.high))
	if offset == 0 || offset > uint64(l.out-l.begin) {
		return false
	}
	// What is copied may reach into what it makes, and repeats it.
	for from, done := l.out-int(offset), 0; done < n; {
		done += copy(out[done:n], unpacked[from:l.out+done])
	}
	l.in, l.out = l.in+size, l.out+n
	return true
}

// literalLength is how many bytes a literal has, and how many are ahead of them.
func literalLength(in []byte) (n uint64, ahead int) {
	n = uint64(in[0]>>2) + 1
	if n <= inTag {
		return n, 1
	}
	ahead = 1 + int(n-inTag)
	if ahead > len(in) {
		return 0, ahead
	}
	return uint64(littleEndian(in[1:ahead])) + 1, ahead
}

func littleEndian(b []byte) (n uint32) {
	for i, v := range b {
		n |= uint32(v) << (8 * i)
	}
	return n
}
