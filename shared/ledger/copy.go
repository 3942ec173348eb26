package ledger

import (
	"slices"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Copy returns a record that shares nothing with the given one.
func Copy(r upload.Record) upload.Record {
	m := &r.Manifest
	m.Attempts = slices.Clone(m.Attempts)
	for i := range m.Attempts {
		m.Attempts[i].Listed = slices.Clone(m.Attempts[i].Listed)
	}
	m.Objects = slices.Clone(m.Objects)
	for i := range m.Objects {
		m.Objects[i].Multiparts = slices.Clone(m.Objects[i].Multiparts)
	}
	m.Explicit = slices.Clone(m.Explicit)
	return r
}
