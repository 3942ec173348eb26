package upload

import (
	"cmp"
	"slices"
	"time"
)

// Limits of one manifest. S3 takes 10,000 parts of a multipart upload; an
// upload of more objects than that is better split by its application.
const (
	MaxDeclared = 10_000 // sequences per attempt
	MaxAttempts = 100    // attempts that declared anything
	MaxExplicit = 1_000  // explicit objects of an adopted record
)

// Manifest is what an upload may have written: attempts with the number of
// keys each declared, what is known of those keys, and objects that were not
// uploaded through us.
type Manifest struct {
	Attempts []Attempt  // ascending by Number
	Objects  []Object   // ascending by Attempt, Seq; only what is known
	Explicit []Explicit // adopted records only
}

// Attempt is one writer's generation: the fence it was given, how many
// sequences (1..Declared) it may have put, and which of them were listed when
// the upload completed.
type Attempt struct {
	Number   int64
	Declared int
	Listed   Bits
}

// Key names one generated key of an upload.
type Key struct {
	Attempt int64
	Seq     int
}

// Object is what is known of one declared key.
type Object struct {
	Key
	// VersionID is empty until known. A key's first version wins.
	VersionID string
	Size      int64
	ETag      string
	Checksum  string
	// Multiparts are ids of multipart uploads begun on this key.
	Multiparts []string
}

// Explicit is an object version that was not uploaded through us, with the
// facts under which it was condemned.
type Explicit struct {
	Bucket       string
	Key          string
	VersionID    string
	ETag         string
	Size         int64
	LastModified time.Time
}

func compareKeys(a, b Key) int {
	if c := cmp.Compare(a.Attempt, b.Attempt); c != 0 {
		return c
	}
	return cmp.Compare(a.Seq, b.Seq)
}

// attempt returns the attempt with the number, or nil.
func (m Manifest) attempt(number int64) *Attempt {
	for i := range m.Attempts {
		if m.Attempts[i].Number == number {
			return &m.Attempts[i]
		}
	}
	return nil
}

// Object returns what is known of a key; the zero Object with the key if
// nothing is.
func (m Manifest) Object(k Key) Object {
	i, ok := m.find(k)
	if !ok {
		return Object{Key: k}
	}
	return m.Objects[i]
}

func (m Manifest) find(k Key) (int, bool) {
	return slices.BinarySearchFunc(m.Objects, k, func(o Object, k Key) int {
		return compareKeys(o.Key, k)
	})
}

// declares reports whether the key may have been put.
func (m Manifest) declares(k Key) bool {
	a := m.attempt(k.Attempt)
	return a != nil && k.Seq >= 1 && k.Seq <= a.Declared
}

// Listed reports whether the key was listed when the upload completed.
func (m Manifest) Listed(k Key) bool {
	a := m.attempt(k.Attempt)
	return a != nil && a.Listed.Has(k.Seq)
}

// with returns a copy of the manifest in which o stands under its key.
func (m Manifest) with(o Object) Manifest {
	i, found := m.find(o.Key)
	objects := make([]Object, 0, len(m.Objects)+1)
	objects = append(objects, m.Objects[:i]...)
	objects = append(objects, o)
	if found {
		i++
	}
	m.Objects = append(objects, m.Objects[i:]...)
	return m
}

// declaring returns a copy in which the attempt has at least count sequences.
func (m Manifest) declaring(number int64, count int) Manifest {
	m.Attempts = slices.Clone(m.Attempts)
	if a := m.attempt(number); a != nil {
		a.Declared = max(a.Declared, count)
		return m
	}
	m.Attempts = append(m.Attempts, Attempt{Number: number, Declared: count})
	return m
}

// listing returns a copy in which exactly the keys are listed.
func (m Manifest) listing(keys []Key) Manifest {
	m.Attempts = slices.Clone(m.Attempts)
	for i := range m.Attempts {
		m.Attempts[i].Listed = nil
	}
	for _, k := range keys {
		a := m.attempt(k.Attempt)
		a.Listed = a.Listed.With(k.Seq)
	}
	return m
}

// declared counts every key that may have been put, and every explicit object.
func (m Manifest) declared() int64 {
	n := int64(len(m.Explicit))
	for _, a := range m.Attempts {
		n += int64(a.Declared)
	}
	return n
}

// superseded counts the declared keys that were not listed.
func (m Manifest) superseded() int64 {
	n := int64(0)
	for _, a := range m.Attempts {
		n += int64(a.Declared - a.Listed.Count())
	}
	return n
}

// Declared is how many objects a purge of the whole upload has to account for:
// every key that may have been put, and every explicit object.
func (r Record) Declared() int64 { return r.Manifest.declared() }

// Superseded is what of an upload was declared and not listed: how many object
// versions may stand, and the sum of their known sizes. What a trim is judged
// by; zero once it is trimmed.
func (r Record) Superseded() (objects, bytes int64) {
	if r.State != StateComplete || r.Trimmed {
		return 0, 0
	}
	for _, o := range r.Manifest.Objects {
		if !r.Manifest.Listed(o.Key) {
			bytes += o.Size
		}
	}
	return r.Manifest.superseded(), bytes
}

// listsExactly reports whether the listed keys are exactly the given ones.
func (m Manifest) listsExactly(keys []Key) bool {
	total := 0
	for _, a := range m.Attempts {
		total += a.Listed.Count()
	}
	distinct := make(map[Key]struct{}, len(keys))
	for _, k := range keys {
		if !m.Listed(k) {
			return false
		}
		distinct[k] = struct{}{}
	}
	return total == len(distinct)
}
