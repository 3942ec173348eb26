package reconcile

import (
	"cmp"
	"encoding/binary"
	"errors"

	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/manifest"
)

// A named item is a row or an entry with all that the judge asks for, as bytes:
// what is logged while a side is read that cannot be looked up, and what the
// second look sorts by name.
//
//	side, flags | key | bucket | version id | ETag | size | instant | tenant, upload (entries)
//
// Texts are behind their lengths; a bucket that is the inventory's is empty.

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendRow(b []byte, r *inventory.Row) []byte {
	version, marker := r.VersionID, r.Marker
	if len(version) == 0 { // of a list of current versions: as the judge takes it
		version, marker = null, inventory.No
	}
	b = append(b, byte(ofInventory), byte(r.Latest)|byte(marker)<<2)
	b = appendText(b, r.Key)
	b = appendText(b, nil)
	b = appendText(b, version)
	b = appendText(b, r.ETag)
	b = binary.AppendVarint(b, r.Size)
	return binary.AppendVarint(b, r.LastModified)
}

func appendEntry(b []byte, e *manifest.Entry, bucket string) []byte {
	flags := byte(e.State)
	if e.Retained {
		flags |= retainedFlag
	}
	b = append(b, byte(ofOwner), flags)
	b = appendText(b, e.Key)
	if string(e.Bucket) == bucket {
		b = appendText(b, nil)
	} else {
		b = appendText(b, e.Bucket)
	}
	b = appendText(b, e.VersionID)
	b = appendText(b, e.ETag)
	b = binary.AppendVarint(b, e.Size)
	b = binary.AppendVarint(b, e.RecordedAt)
	b = appendText(b, e.Tenant)
	return appendText(b, e.Upload)
}

const (
	stateBits    = 1<<2 - 1
	retainedFlag = 1 << 2
)

var errItem = errors.New("temporary data does not read as it was written")

// itemReader takes an item apart; after an error it yields nothing.
type itemReader struct {
	rest []byte
	err  error
}

func (r *itemReader) text() []byte {
	size, n := binary.Uvarint(r.rest)
	if n <= 0 || size > uint64(len(r.rest)-n) {
		r.rest, r.err = nil, errItem
		return nil
	}
	text := r.rest[n : n+int(size)]
	r.rest = r.rest[n+int(size):]
	return text
}

func (r *itemReader) number() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.rest, r.err = nil, errItem
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// nameOf is what an item's key and bucket are, without the rest.
func nameOf(item []byte) (key, bucket []byte) {
	r := itemReader{rest: item[2:]}
	return r.text(), r.text()
}

// versionOf is an item's version.
func versionOf(item []byte) []byte {
	r := itemReader{rest: item[2:]}
	r.text()
	r.text()
	return r.text()
}

// countedOf is what an item is counted by: its size, its instant, and of an
// entry the tenant.
func countedOf(item []byte) (size, at int64, tenant []byte, err error) {
	r := itemReader{rest: item[2:]}
	for range 4 {
		r.text()
	}
	size, at = r.number(), r.number()
	if sideOfItem(item) == ofOwner {
		tenant = r.text()
	}
	return size, at, tenant, r.err
}

// compareItems sorts by key, bucket and version.
func compareItems(a, b []byte) int {
	x, y := itemReader{rest: a[2:]}, itemReader{rest: b[2:]}
	for range 3 {
		if c := cmp.Compare(string(x.text()), string(y.text())); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(string(a), string(b)))
}

func sideOfItem(item []byte) side { return side(item[0]) }

func readRow(item []byte, bucket string) (keptRow, error) {
	r := itemReader{rest: item[2:]}
	row := keptRow{Bucket: bucket, Latest: inventory.Answer(item[1] & 3), Marker: inventory.Answer(item[1] >> 2)}
	row.Key = string(r.text())
	r.text()
	row.VersionID, row.ETag = string(r.text()), string(r.text())
	row.Size, row.LastModified = r.number(), r.number()
	return row, r.err
}

func readEntry(item []byte, bucket string) (keptEntry, error) {
	r := itemReader{rest: item[2:]}
	e := keptEntry{Bucket: bucket, State: manifest.State(item[1] & stateBits), Retained: item[1]&retainedFlag != 0}
	e.Key = string(r.text())
	if other := r.text(); len(other) > 0 {
		e.Bucket = string(other)
	}
	e.VersionID, e.ETag = string(r.text()), string(r.text())
	e.Size, e.RecordedAt = r.number(), r.number()
	e.Tenant, e.Upload = string(r.text()), string(r.text())
	return e, r.err
}
