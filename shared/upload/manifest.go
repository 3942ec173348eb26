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
	// Expected is what was stated of it before it was put.
	Expected Expected
	// VersionID is empty until known. A key's first version wins.
	VersionID string
	Size      int64
	ETag      string
	Checksum  string
	// Multiparts are ids of multipart uploads begun on this key.
	Multiparts []string
}

// Expected is what an object has to be, stated before it is put, so that what
// comes by a presigned URL can be judged by whoever records it. The zero value
// states nothing.
type Expected struct {
	Stated bool
	Size   int64
	// Checksum is the SHA-256 in lower-case hexadecimal; of a multipart object
	// the SHA-256 of its parts' sums, with "-" and the number of parts, as S3
	// composes it
	// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html).
	// Empty: any.
	Checksum string
}

// Met reports whether an object of this size and checksum is what was stated.
func (e Expected) Met(size int64, checksum string) bool {
	return !e.Stated || e.Size == size && (e.Checksum == "" || e.Checksum == checksum)
}

// ExpectedObject states what is expected of one sequence of an attempt.
type ExpectedObject struct {
	Seq int
	Expected
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

// expecting returns a copy in which what is expected of the attempt's keys is
// stated; in one pass, since there may be thousands.
func (m Manifest) expecting(number int64, all []ExpectedObject) Manifest {
	said := make(map[int]Expected, len(all))
	for _, e := range all {
		said[e.Seq] = e.Expected
	}
	objects := make([]Object, 0, len(m.Objects)+len(said))
	for _, o := range m.Objects {
		if e, ok := said[o.Seq]; ok && o.Attempt == number {
			o.Expected = e
			delete(said, o.Seq)
		}
		objects = append(objects, o)
	}
	for seq, e := range said {
		objects = append(objects, Object{Key: Key{number, seq}, Expected: e})
	}
	slices.SortFunc(objects, func(a, b Object) int { return compareKeys(a.Key, b.Key) })
	if len(objects) > 0 {
		m.Objects = objects
	}
	return m
}

// Gathered lists, for every sequence that any attempt declared, the newest key
// that is recorded, ascending by sequence; whole is false if one has none, or
// if nothing was declared. It is what a confirmation by storage events lists.
//
// A sequence of which a newer attempt has stated something else, or has begun a
// multipart upload, is not there until that has come: its writer came back with
// other bytes.
func (m Manifest) Gathered() (list []Key, whole bool) {
	recorded, awaited, last := map[int]Object{}, map[int]Expected{}, 0
	for _, o := range m.Objects { // ascending by attempt
		switch {
		case o.VersionID != "":
			recorded[o.Seq] = o
			delete(awaited, o.Seq)
		case o.Expected.Stated || len(o.Multiparts) > 0:
			awaited[o.Seq] = o.Expected
		}
	}
	for _, a := range m.Attempts {
		last = max(last, a.Declared)
	}
	for seq := 1; seq <= last; seq++ {
		o, ok := recorded[seq]
		if e, waits := awaited[seq]; ok && (!waits || e.meansExactly(o)) {
			list = append(list, o.Key)
		}
	}
	return list, last > 0 && len(list) == last
}

// meansExactly reports whether the object has the very bytes that were stated;
// a size alone may be that of others.
func (e Expected) meansExactly(o Object) bool {
	return e.Checksum != "" && e.Met(o.Size, o.Checksum)
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
