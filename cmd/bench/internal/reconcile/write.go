package reconcile

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
)

// writer writes the objects from one place of the scattered order to another.
type writer func(to io.Writer, s shape, from, until int64) error

func inventoryWriter(format string) writer {
	if format == "csv" {
		return inventoryCSV
	}
	return inventoryParquet
}

func keyListWriter(format string) writer {
	if format == "csv" {
		return keyListCSV
	}
	return keyListParquet
}

// stored is the object at a place of the inventory.
func (s shape) stored(i int64) object { return s.object(spread(s.rows, 0.6180339887, i)) }

// listed is the object at a place of the key lists.
func (s shape) listed(i int64) object {
	n := spread(s.owned(), 0.4142135623, i) + s.orphans + s.young
	o := s.object(n)
	if n < s.orphans+s.young+s.mismatched {
		o.size++
	}
	return o
}

func inventoryCSV(to io.Writer, s shape, from, until int64) error {
	return compressed(to, func(w io.Writer) error {
		for i := from; i < until; i++ {
			o := s.stored(i)
			_, err := fmt.Fprintf(w, "%q,%q,%q,\"%t\",\"false\",\"%d\",%q,%q,\"STANDARD\"\n", bucket, escaped(o.key), o.version,
				o.latest, o.size, o.modified.Format("2006-01-02T15:04:05.000Z"), o.etag)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// escaped writes a key as S3 does: as of a form, save that slashes stay.
func escaped(key string) string { return strings.ReplaceAll(url.QueryEscape(key), "%2F", "/") }

func keyListCSV(to io.Writer, s shape, from, until int64) error {
	return compressed(to, func(w io.Writer) error {
		if _, err := io.WriteString(w, "bucket,key,version_id,size,recorded_at\n"); err != nil {
			return err
		}
		for i := from; i < until; i++ {
			o := s.listed(i)
			if strings.Contains(o.key, ",") {
				o.key = `"` + o.key + `"`
			}
			_, err := fmt.Fprintf(w, "%s,%s,%s,%d,%s\n", bucket, o.key, o.version, o.size, o.modified.Format(time.RFC3339))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func compressed(to io.Writer, write func(io.Writer) error) error {
	const level = 4
	z, err := gzip.NewWriterLevel(to, level)
	if err != nil {
		return err
	}
	return errors.Join(write(z), z.Close())
}

type inventoryRow struct {
	Bucket   string    `parquet:"bucket,dict"`
	Key      string    `parquet:"key,plain"`
	Version  *string   `parquet:"version_id,optional,plain"`
	Latest   *bool     `parquet:"is_latest,optional"`
	Marker   *bool     `parquet:"is_delete_marker,optional"`
	Size     *int64    `parquet:"size,optional"`
	Modified time.Time `parquet:"last_modified_date,optional,timestamp(millisecond)"`
	ETag     *string   `parquet:"e_tag,optional,plain"`
	Class    *string   `parquet:"storage_class,optional,dict"`
}

func inventoryParquet(to io.Writer, s shape, from, until int64) error {
	no, class := false, "STANDARD"
	return columns(to, parquet.NewSchema("s3.inventory", parquet.SchemaOf(inventoryRow{})), from, until, func(i int64) inventoryRow {
		o := s.stored(i)
		return inventoryRow{bucket, o.key, &o.version, &o.latest, &no, &o.size, o.modified, &o.etag, &class}
	})
}

type keyListRow struct {
	Bucket   string    `parquet:"bucket,dict"`
	Key      string    `parquet:"key,plain"`
	Version  string    `parquet:"version_id,plain"`
	Size     int64     `parquet:"size"`
	Recorded time.Time `parquet:"recorded_at,timestamp(millisecond)"`
}

func keyListParquet(to io.Writer, s shape, from, until int64) error {
	return columns(to, parquet.SchemaOf(keyListRow{}), from, until, func(i int64) keyListRow {
		o := s.listed(i)
		return keyListRow{bucket, o.key, o.version, o.size, o.modified}
	})
}

func columns[T any](to io.Writer, schema *parquet.Schema, from, until int64, row func(int64) T) error {
	const group, batch = 500_000, 1024
	w := parquet.NewGenericWriter[T](to, schema, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(group))
	rows := make([]T, 0, batch)
	for i := from; i < until; i++ {
		rows = append(rows, row(i))
		if len(rows) == batch || i == until-1 {
			if _, err := w.Write(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	return w.Close()
}
