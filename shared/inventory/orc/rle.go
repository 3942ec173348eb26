package orc

// byteRuns decodes byte run length encoding: a run of 3 to 130 equal bytes, or
// 1 to 128 bytes as they are.
type byteRuns struct {
	s       *stream
	left    int // of the current run
	literal bool
	value   byte
}

func (d *byteRuns) next() (byte, error) {
	if d.left == 0 {
		if err := d.run(); err != nil {
			return 0, err
		}
	}
	d.left--
	if d.literal {
		return d.s.readByte()
	}
	return d.value, nil
}

func (d *byteRuns) run() error {
	h, err := d.s.readByte()
	if err != nil {
		return err
	}
	if h >= 0x80 {
		d.left, d.literal = 256-int(h), true
		return nil
	}
	d.left, d.literal = int(h)+3, false
	d.value, err = d.s.readByte()
	return err
}

func (d *byteRuns) finished() error {
	if d.left > 0 {
		return corrupt("a run goes on after its last row")
	}
	return d.s.finished()
}

// bits decodes booleans: byte runs, each byte from its highest bit down.
type bits struct {
	bytes byteRuns
	left  uint
	cur   byte
}

// next decodes into dst, and returns how many are true.
func (d *bits) next(dst []bool) (int, error) {
	n := 0
	for i := range dst {
		if d.left == 0 {
			b, err := d.bytes.next()
			if err != nil {
				return 0, err
			}
			d.cur, d.left = b, 8
		}
		d.left--
		dst[i] = d.cur>>d.left&1 == 1
		if dst[i] {
			n++
		}
	}
	return n, nil
}

func (d *bits) finished() error { return d.bytes.finished() }
