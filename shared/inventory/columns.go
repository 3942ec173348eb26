package inventory

import (
	"errors"
	"fmt"
	"strings"
)

// column is what a column of an inventory is about.
type column int8

const (
	other column = iota - 1 // any that is not needed
	bucketColumn
	keyColumn
	versionColumn
	etagColumn
	sizeColumn
	modifiedColumn
	latestColumn
	markerColumn
	columnCount
)

var columnNames = map[string]column{
	"bucket": bucketColumn, "key": keyColumn, "versionid": versionColumn, "etag": etagColumn, "size": sizeColumn,
	"lastmodifieddate": modifiedColumn, "islatest": latestColumn, "isdeletemarker": markerColumn,
}

// columnOf knows a column by its name in CSV (LastModifiedDate), or in Parquet
// and ORC (last_modified_date), in any case.
func columnOf(name string) column {
	c, ok := columnNames[strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), "_", ""))]
	if !ok {
		return other
	}
	return c
}

// places is where the needed columns are, -1 for those that are absent.
type places [columnCount]int

func placesOf(names []string) (places, error) {
	var p places
	for c := range p {
		p[c] = -1
	}
	for i, name := range names {
		c := columnOf(name)
		if c == other {
			continue
		}
		if p[c] >= 0 {
			return p, fmt.Errorf("column %s is there twice", strings.TrimSpace(name))
		}
		p[c] = i
	}
	if p[bucketColumn] < 0 || p[keyColumn] < 0 {
		return p, errors.New("the columns Bucket and Key are needed: is it an S3 Inventory?")
	}
	return p, nil
}

func (p places) has(c column) bool { return p[c] >= 0 }
