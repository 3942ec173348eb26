package manifest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
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

// columnOf knows a column by its name, in capitals or not: a list whose "State"
// were ignored would say that what is deleted must stand.
func columnOf(name []byte) column {
	for c, known := range columnNames {
		if len(name) == len(known) && strings.EqualFold(known, string(name)) {
			return column(c)
		}
	}
	return noColumn
}

// header refuses the columns of a list that cannot name objects. The found
// names are only for the message.
func header(has [columns]bool, found []string) error {
	if has[bucketColumn] && (has[keyColumn] || has[key64Column]) {
		return nil
	}
	const most = 20
	if len(found) > most {
		found = append(found[:most:most], fmt.Sprintf("and %d more", len(found)-most))
	}
	return fmt.Errorf("the columns are %s: bucket is needed, and key or key_base64", quoted(found))
}

// quoted joins names for a message; a name is short or it is none.
func quoted(names []string) string {
	const longest = 40
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if len(name) > longest {
			name = name[:longest] + "…"
		}
		b.WriteString(strconv.Quote(name))
	}
	if len(names) == 0 {
		return "none"
	}
	return b.String()
}

// cells are what one row says, column by column; empty is absent.
type cells [columns][]byte

// entry puts what the cells say into e, whose slices are then those of the
// cells. scratch is where key_base64 is decoded to.
func (c *cells) entry(e *Entry, scratch *[]byte) error {
	if len(c[bucketColumn]) == 0 {
		return errors.New("bucket is empty: every entry needs one")
	}
	if err := c.key(e, scratch); err != nil {
		return err
	}
	if err := c.facts(e); err != nil {
		return err
	}
	for _, text := range [...]column{bucketColumn, versionColumn, tenantColumn, uploadColumn} {
		if !utf8.Valid(c[text]) {
			return fmt.Errorf("%s is not UTF-8", text)
		}
	}
	e.Bucket, e.VersionID = c[bucketColumn], c[versionColumn]
	e.Tenant, e.Upload = c[tenantColumn], c[uploadColumn]
	e.ETag = unquoted(c[etagColumn])
	return nil
}

// key refuses what is not UTF-8: it is more likely a list in another encoding,
// all of whose keys would look like orphans, than a key of such bytes.
func (c *cells) key(e *Entry, scratch *[]byte) error {
	switch plain, coded := c[keyColumn], c[key64Column]; {
	case len(plain) == 0 && len(coded) == 0:
		return errors.New("key is empty: every entry needs one, or key_base64")
	case len(coded) == 0:
		if !utf8.Valid(plain) {
			return errors.New("key is not UTF-8: write the list in UTF-8, and keys of other bytes as key_base64")
		}
		e.Key = plain
		return nil
	case len(plain) != 0:
		return errors.New("both key and key_base64 are there: give one of them")
	default:
		decoded, err := base64.StdEncoding.Strict().AppendDecode((*scratch)[:0], coded)
		*scratch = decoded[:0]
		if err != nil || len(decoded) == 0 {
			return errors.New("key_base64 is not base64 (the standard alphabet, padded)")
		}
		e.Key = decoded
		return nil
	}
}

func (c *cells) facts(e *Entry) error {
	e.Size, e.RecordedAt, e.State = NoSize, NoTime, Live
	if size := c[sizeColumn]; len(size) != 0 {
		n, ok := parseSize(size)
		if !ok {
			return errors.New("size is not a whole number of bytes, 0 or more")
		}
		e.Size = n
	}
	if at := c[recordedColumn]; len(at) != 0 {
		ms, ok := parseInstant(at)
		if !ok {
			return errors.New("recorded_at is no instant of RFC 3339, such as 2026-11-30T00:00:00Z")
		}
		e.RecordedAt = ms
	}
	switch state := c[stateColumn]; {
	case len(state) == 0, string(state) == "live":
	case string(state) == "deleted":
		e.State = Deleted
	default:
		return errors.New("state is neither live nor deleted")
	}
	return nil
}

// unquoted is an ETag without the quotes that HTTP puts around it.
func unquoted(etag []byte) []byte {
	if n := len(etag); n >= 2 && etag[0] == '"' && etag[n-1] == '"' {
		return etag[1 : n-1]
	}
	return etag
}

// parseSize reads decimal digits.
func parseSize(text []byte) (int64, bool) {
	const digits = 18 // fit into 63 bits; more is no object of S3
	if len(text) == 0 || len(text) > digits {
		return 0, false
	}
	n := int64(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
