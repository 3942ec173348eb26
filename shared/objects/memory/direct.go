package memory

import (
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// LockMode is the mode of an object lock. The product bypasses neither; the
// difference is that governance can be lifted by [Store.Unlock].
type LockMode uint8

// The two modes of S3's object lock.
const (
	Governance LockMode = iota
	Compliance
)

// Lock keeps a version from being deleted until an instant. The zero Lock is
// none.
type Lock struct {
	Mode  LockMode
	Until time.Time
}

// Write puts an object on top of its key, whatever is there: a writer that
// knows nothing of conditions, fences or deadlines. A modified of zero is now.
// A bucket that does not exist is a mistake of the caller, and panics.
func (s *Store) Write(name, key string, body []byte, modified time.Time) objects.Version {
	return s.direct(name, key, &version{body: body, etag: etagOf(body), modified: modified})
}

// Mark puts a delete marker on top of the key, as a delete without a version
// id does.
func (s *Store) Mark(name, key string) objects.Version {
	return s.direct(name, key, &version{marker: true})
}

// Remove takes a version or marker away as something does that knows nothing of
// locks or records: a person's own tool, a disk. ErrAbsent if it does not stand.
func (s *Store) Remove(name, key, versionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return err
	}
	if b.find(key, versionID) == nil {
		return fmt.Errorf("version %s: %w", versionID, upload.ErrAbsent)
	}
	b.remove(key, versionID)
	return nil
}

func (s *Store) direct(name, key string, v *version) objects.Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		panic(err)
	}
	if v.modified.IsZero() {
		v.modified = s.now()
	}
	s.add(b, key, v)
	return v.listed(key, true)
}

// Lock locks a version. A compliance lock that is not over can only be made
// longer (ErrDenied); ErrAbsent if there is no such version.
func (s *Store) Lock(name, key, versionID string, lock Lock) error {
	return s.change(name, key, versionID, func(v *version) error {
		if v.lock.Mode == Compliance && v.lock.Until.After(s.now()) && lock.Until.Before(v.lock.Until) {
			return fmt.Errorf("lock version %s: a compliance lock cannot be shortened: %w", versionID, upload.ErrDenied)
		}
		v.lock = lock
		return nil
	})
}

// Unlock takes a governance lock away.
func (s *Store) Unlock(name, key, versionID string) error {
	return s.Lock(name, key, versionID, Lock{})
}

// SetLegalHold sets or lifts the legal hold of a version.
func (s *Store) SetLegalHold(name, key, versionID string, on bool) error {
	return s.change(name, key, versionID, func(v *version) error {
		v.legalHold = on
		return nil
	})
}

func (s *Store) change(name, key, versionID string, edit func(*version) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return err
	}
	v := b.find(key, versionID)
	if v == nil || v.marker {
		return fmt.Errorf("version %s: %w", versionID, upload.ErrAbsent)
	}
	return edit(v)
}

// All lists every version and marker of a bucket; nothing for a bucket that
// does not exist.
func (s *Store) All(name string) []objects.Version {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bucket(name)
	if err != nil {
		return nil
	}
	return b.below("")
}

// Read returns the body of one version; ErrAbsent if it does not stand.
func (s *Store) Read(name, key, versionID string) ([]byte, error) {
	var body []byte
	err := s.change(name, key, versionID, func(v *version) error {
		body = v.body
		return nil
	})
	return body, err
}
