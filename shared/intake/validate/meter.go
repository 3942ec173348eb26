package validate

import (
	"errors"
	"fmt"
	"io"
)

// Size judges the size that a client said, before anything is read; zero or
// less if it said none.
func (r Rules) Size(said int64) error {
	if said > r.MaxBytes {
		return r.tooLarge()
	}
	return nil
}

// Whole judges the size that a file turned out to have, beside the one that its
// client said (zero or less for none).
func (r Rules) Whole(said, size int64) error {
	switch {
	case size <= 0:
		return refuse(FieldFile, Empty, "The file is empty: choose one that has content.")
	case size > r.MaxBytes:
		return r.tooLarge()
	case said > 0 && size > said:
		return refuse(FieldSize, LongerThanSaid, "More came than was announced (%s): send the file again.", bytes(said))
	case said > 0 && size < said:
		return refuse(FieldSize, ShorterThanSaid, "Only %s of %s came: the connection may have broken, send the file again.", bytes(size), bytes(said))
	}
	return nil
}

func (r Rules) tooLarge() error {
	return refuse(FieldSize, TooLarge, "The file is too large: at most %s are taken.", bytes(r.MaxBytes))
}

// Meter passes on what it reads, and fails with a [Refusal] as soon as it is
// more than may come, or at its end if it is less: nothing is read past one
// byte too many. A reader that fails is not a refusal.
func (r Rules) Meter(from io.Reader, said int64) io.Reader {
	return &meter{from: from, rules: r, said: said}
}

type meter struct {
	from  io.Reader
	rules Rules
	said  int64
	seen  int64
}

func (m *meter) Read(p []byte) (int, error) {
	most := m.rules.MaxBytes
	if m.said > 0 {
		most = min(most, m.said)
	}
	if m.seen > most {
		return 0, m.rules.Whole(m.said, m.seen)
	}
	if left := most - m.seen; int64(len(p))-1 > left {
		p = p[:left+1]
	}
	n, err := m.from.Read(p)
	m.seen += int64(n)
	if errors.Is(err, io.EOF) {
		if wrong := m.rules.Whole(m.said, m.seen); wrong != nil {
			err = wrong
		}
	}
	return n, err
}

// bytes says a size as people do; exactly where it is not round.
func bytes(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size && n%unit.size == 0 {
			return fmt.Sprintf("%d %s", n/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
