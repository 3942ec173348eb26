package memory

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Versioning is the versioning state of a bucket.
type Versioning uint8

// The zero value is what the product asks for; S3's own default is Never.
const (
	Enabled Versioning = iota
	Suspended
	Never
)

// BucketOptions are the settings of a bucket. The zero BucketOptions is a
// bucket that the product accepts.
type BucketOptions struct {
	Versioning Versioning
	MFADelete  bool
}

// Store is a set of buckets. It is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu       sync.Mutex
	buckets  map[string]*bucket
	sequence int64 // of version ids and multipart ids
}

type bucket struct {
	options    BucketOptions
	keys       []string // sorted; every key of versions
	versions   map[string][]*version
	multiparts []*multipart // in the order of their beginning
}

// version is one version or marker; those of a key stand oldest first.
type version struct {
	id        string
	marker    bool
	body      []byte
	etag      string
	checksum  string // as objects.Facts has it
	mediaType string
	modified  time.Time
	lock      Lock
	legalHold bool
}

// New returns a store without buckets, whose instants come from now.
func New(now func() time.Time) *Store {
	return &Store{now: now, buckets: map[string]*bucket{}}
}

// CreateBucket creates the bucket, or gives an existing one these settings and
// leaves what it holds.
func (s *Store) CreateBucket(name string, options BucketOptions) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.buckets[name]; ok {
		b.options = options
		return
	}
	s.buckets[name] = &bucket{options: options, versions: map[string][]*version{}}
}

// bucket returns the named bucket; the lock must be held. One that does not
// exist is an installation gone wrong: "absent" is what versions are.
func (s *Store) bucket(name string) (*bucket, error) {
	b, ok := s.buckets[name]
	if !ok {
		return nil, fmt.Errorf("bucket %s does not exist: %w", name, upload.ErrRefused)
	}
	return b, nil
}

func (s *Store) nextID(kind string) string {
	s.sequence++
	return fmt.Sprintf("%s%08d", kind, s.sequence)
}

// add puts v on top of the key's versions. Where versioning is not enabled it
// is the null version, and overwrites the one before.
func (s *Store) add(b *bucket, key string, v *version) {
	v.id = objects.NullVersion
	if b.options.Versioning == Enabled {
		v.id = s.nextID("v")
	} else {
		b.remove(key, objects.NullVersion)
	}
	i, found := slices.BinarySearch(b.keys, key)
	if !found {
		b.keys = slices.Insert(b.keys, i, key)
	}
	b.versions[key] = append(b.versions[key], v)
}

// current is the version on top, nil if the key has none.
func (b *bucket) current(key string) *version {
	all := b.versions[key]
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

func (b *bucket) find(key, id string) *version {
	for _, v := range b.versions[key] {
		if v.id == id {
			return v
		}
	}
	return nil
}

func (b *bucket) remove(key, id string) {
	rest := slices.DeleteFunc(b.versions[key], func(v *version) bool { return v.id == id })
	if len(rest) > 0 {
		b.versions[key] = rest
		return
	}
	delete(b.versions, key)
	if i, found := slices.BinarySearch(b.keys, key); found {
		b.keys = slices.Delete(b.keys, i, i+1)
	}
}

// below lists the versions of the keys with the prefix, newest first.
func (b *bucket) below(prefix string) []objects.Version {
	var all []objects.Version
	start, _ := slices.BinarySearch(b.keys, prefix)
	for _, key := range b.keys[start:] {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		versions := b.versions[key]
		for i := len(versions) - 1; i >= 0; i-- {
			all = append(all, versions[i].listed(key, i == len(versions)-1))
		}
	}
	return all
}

func (v *version) listed(key string, latest bool) objects.Version {
	return objects.Version{
		Key: key, VersionID: v.id, Marker: v.marker, Latest: latest,
		Size: int64(len(v.body)), ETag: v.etag, LastModified: v.modified,
	}
}

func (v *version) facts() objects.Facts {
	return objects.Facts{
		Marker: v.marker, Size: int64(len(v.body)), ETag: v.etag, LastModified: v.modified, Checksum: v.checksum,
		LockedUntil: v.lock.Until, LegalHold: v.legalHold,
	}
}
