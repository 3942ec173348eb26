package reconcile

import (
	"errors"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// sides counts what was read of both sides: what a run refuses can only be known
// when all of it was. Counts of several readers are added up.
type sides struct {
	rows, rowsInside       int64 // inside: of the bucket, in scope
	entries, entriesInside int64
	foreign                int64 // entries of another bucket
	// Rows with a version id, and of those the ones that say whether they are
	// delete markers.
	versions, answered int64
}

func (s *sides) sawRow(r *inventory.Row, inside bool) {
	s.rows++
	if inside {
		s.rowsInside++
	}
	if len(r.VersionID) == 0 {
		return
	}
	s.versions++
	if r.Marker != inventory.Unknown {
		s.answered++
	}
}

func (s *sides) sawEntry(rules *ruleset, e *manifest.Entry, inside bool) {
	s.entries++
	switch {
	case inside:
		s.entriesInside++
	case string(e.Bucket) != rules.Bucket:
		s.foreign++
	}
}

func (s *sides) add(other sides) {
	s.rows += other.rows
	s.rowsInside += other.rowsInside
	s.entries += other.entries
	s.entriesInside += other.entriesInside
	s.foreign += other.foreign
	s.versions += other.versions
	s.answered += other.answered
}

// currentOnly reports whether the list has no version ids.
func (s *sides) currentOnly() bool { return s.rows > 0 && s.versions == 0 }

// refuse says why nothing may be concluded from what was read, if so. An empty
// inventory may be allowed, when a bucket is known to be empty; an owner's side
// that says nothing of the bucket never: everything would be an orphan.
func (s *sides) refuse(allowEmpty bool) error {
	switch {
	case s.versions > 0 && s.versions < s.rows:
		return errors.New("some files of the inventory list versions and others do not: take another inventory")
	case s.versions > 0 && s.answered == 0:
		return errors.New("the inventory lists versions without the column IsDeleteMarker: delete markers cannot be told from objects")
	case s.entries > 0 && s.foreign == s.entries:
		return errors.New("every entry of the manifest is of another bucket than the inventory")
	case s.rowsInside > 0 && s.entriesInside == 0:
		return errors.New("the manifest has no entry for what the inventory lists: everything would be an orphan")
	case s.rowsInside == 0 && s.entriesInside > 0 && !allowEmpty:
		return errors.New("the inventory lists nothing of what the manifest has: everything would be missing")
	case s.rows+s.entries > 0 && s.rowsInside == 0 && s.entriesInside == 0 && !allowEmpty:
		return errors.New("neither the inventory nor the manifest has anything in scope, so nothing would be compared: is the prefix right?")
	}
	return nil
}
