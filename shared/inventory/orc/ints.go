package orc

// maxRun is the longest run of either encoding of whole numbers.
const maxRun = 512

// ints decodes whole numbers, run by run, in either version of the encoding.
type ints struct {
	s      *stream
	signed bool
	v2     bool

	at, n  int // the part of run that was not taken yet
	run    [maxRun]int64
	packed [maxRun * 8]byte
}

func (d *ints) next(dst []int64) error {
	for len(dst) > 0 {
		if d.at == d.n {
			if err := d.load(); err != nil {
				return err
			}
		}
		n := copy(dst, d.run[d.at:d.n])
		d.at += n
		dst = dst[n:]
	}
	return nil
}

func (d *ints) finished() error {
	if d.at < d.n {
		return corrupt("a run goes on after its last row")
	}
	return d.s.finished()
}

func (d *ints) load() error {
	d.at, d.n = 0, 0
	h, err := d.s.readByte()
	if err != nil {
		return err
	}
	if d.v2 {
		return d.loadV2(h)
	}
	return d.loadV1(h)
}

// loadV1 reads a run with a fixed delta, or varints.
func (d *ints) loadV1(h byte) error {
	if h >= 0x80 {
		n := 256 - int(h)
		for i := range n {
			v, err := d.number()
			if err != nil {
				return err
			}
			d.run[i] = v
		}
		d.n = n
		return nil
	}
	delta, err := d.s.readByte()
	if err != nil {
		return err
	}
	v, err := d.number()
	if err != nil {
		return err
	}
	d.n = int(h) + 3
	for i := range d.n {
		d.run[i] = v
		v += int64(int8(delta))
	}
	return nil
}

// number reads a varint of the stream's signedness.
func (d *ints) number() (int64, error) {
	v, err := d.s.varint()
	return d.sign(v), err
}

func (d *ints) sign(v uint64) int64 {
	if d.signed {
		return unzigzag(v)
	}
	return int64(v)
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
