package inventory

import (
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/celltext"
)

// startRows returns n rows that know nothing yet but their number, in rows if
// there is room.
func startRows(rows []Row, n int, number int64, versions bool) []Row {
	if cap(rows) < n {
		rows = make([]Row, n)
	}
	rows = rows[:n]
	clear(rows)
	for i := range rows {
		r := &rows[i]
		r.Size, r.LastModified, r.Number = NoSize, NoTime, number+int64(i)
	}
	if versions {
		for i := range rows {
			rows[i].VersionID = nullVersion
		}
	}
	return rows
}

// setText sets one field of a row to what a cell of text says.
func setText(row *Row, c column, text []byte) (err error) {
	switch c {
	case bucketColumn:
		row.Bucket = text
	case keyColumn:
		row.Key = text
	case versionColumn:
		row.VersionID = versionOf(text)
	case etagColumn:
		row.ETag = celltext.ETag(text)
	case sizeColumn:
		row.Size, err = parseSize(text)
	case modifiedColumn:
		row.LastModified, err = parseTime(text)
	case latestColumn:
		if row.Latest, err = parseAnswer(text); err != nil {
			err = fmt.Errorf("IsLatest: %w", err)
		}
	case markerColumn:
		if row.Marker, err = parseAnswer(text); err != nil {
			err = fmt.Errorf("IsDeleteMarker: %w", err)
		}
	}
	return err
}

var errNoKey = errors.New("no key")

func checkKeys(rows []Row) error {
	for i := range rows {
		if len(rows[i].Key) == 0 {
			return errNoKey
		}
	}
	return nil
}
