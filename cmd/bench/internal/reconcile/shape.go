package reconcile

import (
	"strconv"
	"time"
)

const (
	bucket   = "acme-prod-uploads"
	digits   = "0123456789abcdef"
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._"
)

var (
	created = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	oldest  = created.AddDate(0, -10, 0)
)

// shape is how many objects of which kind there are. Numbered from 0 they are
// orphans, then unowned ones that are too young to be, then owned ones, the
// first of them with another size on either side; from rows on they are owned
// and not stored: missing, then too new to judge.
type shape struct{ rows, orphans, young, mismatched, missing, fresh int64 }

func newShape(n int64) shape {
	return shape{rows: n, orphans: n / 1000, young: n / 5000, mismatched: n / 10000, missing: n / 2000, fresh: n / 5000}
}

func (s shape) owned() int64 { return s.rows - s.orphans - s.young + s.missing + s.fresh }

// object is one version. In 100 keys 3 need decoding, and every twentieth
// version is an older one of the key before it.
type object struct {
	key, version, etag string
	size               int64
	modified           time.Time
	latest             bool
}

func (s shape) object(i int64) object {
	of := i
	if i%20 == 19 {
		of--
	}
	r := sequence(uint64(i)*0xA0761D6478BD642F + 7)
	o := object{key: key(of), latest: of == i}
	o.version, o.etag = r.text(alphabet, 8), r.text(digits, 16)
	o.size = int64(r.next() % (8 << 20))
	o.modified = s.modified(i, int64(r.next()>>1))
	return o
}

func (s shape) modified(i, random int64) time.Time {
	switch {
	case i >= s.orphans && i < s.orphans+s.young:
		return created.Add(-time.Duration(1+random%160) * time.Hour)
	case i >= s.rows+s.missing:
		return created.Add(-time.Duration(random%40) * time.Hour)
	}
	settled := int64(created.Add(-240*time.Hour).Sub(oldest) / time.Second)
	return oldest.Add(time.Duration(random%settled) * time.Second)
}

func key(i int64) string {
	r := sequence(uint64(i)*0xD1342543DE82EF95 + 42)
	a, x, y, c := r.next(), r.next(), r.next(), r.next()
	b := make([]byte, 0, 96)
	b = padded(append(b, "tenants/t-"...), int(a>>8%20000)%20000, 5)
	b = padded(append(b, "/uploads/2026/"...), 1+int(a>>32)%11, 2)
	b = append(padded(append(b, '/'), 1+int(a>>40)%28, 2), '/')
	for n := range 32 {
		if n == 8 || n == 12 || n == 16 || n == 20 {
			b = append(b, '-')
		}
		if n == 16 {
			x = y
		}
		b = append(b, digits[x&15])
		x >>= 4
	}
	if c%100 < 3 {
		return string(strconv.AppendInt(append(b, "/résumé a+b, v"...), int64(c>>20%50), 10))
	}
	return string(padded(append(b, "/part-"...), int(c>>32)%40, 5))
}

func padded(b []byte, v, width int) []byte {
	s := strconv.Itoa(v)
	return append(append(b, "00000"[:width-len(s)]...), s...)
}

// sequence is splitmix64: the same numbers on every machine.
type sequence uint64

func (r *sequence) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	return z ^ (z >> 31)
}

// text is 32 letters, so many of one number.
func (r *sequence) text(letters string, each int) string {
	var b [32]byte
	for n := 0; n < len(b); n += each {
		v := r.next()
		for j := range each {
			b[n+j] = letters[v%uint64(len(letters))]
			v /= uint64(len(letters))
		}
	}
	return string(b[:])
}

// spread visits 0 to n-1 in a scattered but fixed order, so that nothing is
// sorted.
func spread(n int64, stride float64, i int64) int64 {
	a := int64(float64(n)*stride) | 1
	for gcd(a, n) != 1 {
		a += 2
	}
	return int64((uint64(i)*uint64(a) + 12345) % uint64(n))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
