package manifest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/strandline-dev/strandline/shared/celltext"
)

// column is one thing that a key list says of an object.
type column uint8

const (
	bucketColumn column = iota
	keyColumn
	key64Column
	versionColumn
	sizeColumn
	etagColumn
	recordedColumn
	stateColumn
	tenantColumn
	uploadColumn
	columns
	// noColumn is one that is not ours: ignored.
	noColumn
)

var columnNames = [columns]string{
	"bucket", "key", "key_base64", "version_id", "size", "etag", "recorded_at", "state", "tenant", "upload",
}

func (c column) String() string { return columnNames[c] }

// columnOf knows a column by its name, in capitals or not, its words parted or
// not: a list whose "State" were ignored would say that what is deleted must
// stand, and one whose "versionId" were, that any version will do.
func columnOf(name []byte) column {
	for c, known := range columnNames {
		if string(name) == known {
			return column(c)
		}
	}
	for c, known := range columnNames {
		if sameName(name, known) {
			return column(c)
		}
	}
	return noColumn
}

// sameName compares letters and digits only.
func sameName(name []byte, known string) bool {
	for len(known) > 0 {
		switch {
		case known[0] == '_':
			known = known[1:]
		case len(name) > 0 && isParting(name[0]):
			name = name[1:]
		case len(name) == 0 || name[0] != known[0] && name[0]|0x20 != known[0]:
			return false
		default:
			name, known = name[1:], known[1:]
		}
	}
	return len(bytes.Trim(name, "_- ")) == 0
}

func isParting(c byte) bool { return c == '_' || c == '-' || c == ' ' }

// header refuses the columns of a list that cannot name objects. The found
// names are only for the message.
func header(has [columns]bool, found []string) error {
	if has[bucketColumn] && (has[keyColumn] || has[key64Column]) {
		return nil
	}
	const most = 20
	found = found[:min(len(found), most)]
	return fmt.Errorf("the columns are %s: bucket is needed, and key or key_base64", quoted(found))
}

// quoted joins names for a message. None is shown unless one of them is ours,
// nor what does not look like a name: the first line of a list without names is
// a row with a key.
func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if !slices.ContainsFunc(names, func(name string) bool { return columnOf([]byte(name)) != noColumn }) {
		return fmt.Sprintf("%d, none of them with a name that is known", len(names))
	}
	shown := make([]string, len(names))
	for i, name := range names {
		if shown[i] = strconv.Quote(name); !isName(name) {
			shown[i] = "no name"
		}
	}
	return strings.Join(shown, ", ")
}

func isName(text string) bool {
	const longest = 40
	return len(text) <= longest && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '_' && r != ' ' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// cells are what one row says, column by column; empty is absent.
type cells [columns][]byte

var (
	errNoBucket = errors.New("bucket is empty: every entry needs one")
	errNoKey    = errors.New("key is empty: every entry needs one, or key_base64")
	errKeyText  = errors.New("key is not UTF-8: write the list in UTF-8, and keys of other bytes as key_base64")
	errTwoKeys  = errors.New("both key and key_base64 are there: give one of them")
	errBase64   = errors.New("key_base64 is not base64 (the standard alphabet, padded)")
	errSize     = errors.New("size is not a whole number of bytes, 0 or more")
	errRecorded = errors.New("recorded_at is no instant of RFC 3339, such as 2026-11-30T00:00:00Z")
	errState    = errors.New("state is neither live nor deleted")
	errNothing  = errors.New(`version_id or etag is a word for nothing, such as NULL or \N: leave it empty`)
)

// entry puts what the cells say into e, whose slices are then those of the
// cells. scratch is where key_base64 is decoded to.
func (c *cells) entry(e *Entry, scratch *[]byte) (err error) {
	if len(c[bucketColumn]) == 0 {
		return errNoBucket
	}
	if e.Key, err = c.key(scratch); err != nil {
		return err
	}
	e.Size, e.RecordedAt, e.State = NoSize, NoTime, Live
	for _, fact := range [...]column{sizeColumn, recordedColumn, stateColumn} {
		if err := e.fact(fact, c[fact]); err != nil {
			return err
		}
	}
	e.Bucket, e.VersionID = c[bucketColumn], c[versionColumn]
	e.Tenant, e.Upload = c[tenantColumn], c[uploadColumn]
	e.ETag = celltext.ETag(c[etagColumn])
	return e.meant()
}

// meant refuses what databases and data frames write where there is no value.
// Taken for a version, it would make the one that stands an orphan. Only "null"
// is a version of S3's.
func (e *Entry) meant() error {
	if isNothing(e.VersionID) && string(e.VersionID) != "null" || isNothing(e.ETag) {
		return errNothing
	}
	return nil
}

func isNothing(text []byte) bool {
	const longest = len("undefined")
	if len(text) < 2 || len(text) > longest {
		return false
	}
	switch strings.ToLower(string(text)) {
	case "null", `\n`, "none", "nil", "nan", "<na>", "n/a", "(null)", "<null>", "undefined":
		return true
	}
	return false
}

// key refuses what is not UTF-8: it is more likely a list in another encoding,
// all of whose keys would look like orphans, than a key of such bytes.
func (c *cells) key(scratch *[]byte) ([]byte, error) {
	plain, coded := c[keyColumn], c[key64Column]
	switch {
	case len(coded) != 0:
		return decodeKey(plain, coded, scratch)
	case len(plain) == 0:
		return nil, errNoKey
	case !celltext.Valid(plain):
		return nil, errKeyText
	}
	return plain, nil
}

// decodeKey decodes key_base64 into scratch, unless there is a key as well.
func decodeKey(plain, coded []byte, scratch *[]byte) ([]byte, error) {
	if len(plain) != 0 {
		return nil, errTwoKeys
	}
	key, err := base64.StdEncoding.Strict().AppendDecode((*scratch)[:0], coded)
	*scratch = key
	if err != nil || len(key) == 0 || bytes.ContainsAny(coded, "\r\n") {
		return nil, errBase64
	}
	return key, nil
}

// fact sets a field that has a meaning of its own; an empty one stays unknown.
func (e *Entry) fact(c column, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	ok := false
	switch c {
	case sizeColumn:
		if e.Size, ok = celltext.Size(text); !ok {
			return errSize
		}
	case recordedColumn:
		if e.RecordedAt, ok = celltext.Instant(text); !ok {
			return errRecorded
		}
	case stateColumn:
		switch string(text) {
		case "live":
		case "deleted":
			e.State = Deleted
		default:
			return errState
		}
	}
	return nil
}
