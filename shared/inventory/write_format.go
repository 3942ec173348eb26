package inventory

import (
	"bufio"
	"hash"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"
)

// hashed counts and digests what goes through it.
type hashed struct {
	w    io.Writer
	md5  hash.Hash
	size int64
}

func (h *hashed) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	h.md5.Write(p[:n])
	h.size += int64(n)
	return n, err
}

// csvEncoder writes rows as S3 does: every field quoted, the key encoded as a
// form's value, what is unknown empty.
type csvEncoder struct {
	zip     *gzip.Writer
	buf     *bufio.Writer
	current bool
	line    []byte
}

func newCSVEncoder(w io.Writer, current bool) *csvEncoder {
	zip := gzip.NewWriter(w)
	return &csvEncoder{zip: zip, buf: bufio.NewWriterSize(zip, 64<<10), current: current}
}

func (e *csvEncoder) write(r *Row) error {
	b := e.line[:0]
	b = appendQuoted(append(b, '"'), r.Bucket)
	b = appendEncoded(append(b, `","`...), r.Key)
	if !e.current {
		b = append(b, `","`...)
		if string(r.VersionID) != NullVersion {
			b = appendQuoted(b, r.VersionID)
		}
		b = append(append(b, `","`...), wordOf(r.Latest)...)
		b = append(append(b, `","`...), wordOf(r.Marker)...)
	}
	b = append(b, `","`...)
	if r.Size != NoSize {
		b = strconv.AppendInt(b, r.Size, 10)
	}
	b = append(b, `","`...)
	if r.LastModified != NoTime {
		b = time.UnixMilli(r.LastModified).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	}
	b = appendQuoted(append(b, `","`...), r.ETag)
	b = append(b, '"', '\n')
	e.line = b
	_, err := e.buf.Write(e.line)
	return err
}

func (e *csvEncoder) close() error {
	if err := e.buf.Flush(); err != nil {
		return err
	}
	return e.zip.Close()
}

func wordOf(a Answer) string { return [...]string{"", "false", "true"}[a] }

func appendQuoted(b, cell []byte) []byte {
	for _, c := range cell {
		if c == '"' {
			b = append(b, '"')
		}
		b = append(b, c)
	}
	return b
}

// appendEncoded encodes a key as S3 does in CSV: as a form's value, the slashes
// left alone.
func appendEncoded(b, key []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range key {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '-', c == '_', c == '.', c == '*':
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

// The rows of S3's Parquet files, with the columns of versions and without.
type parquetVersion struct {
	Bucket   string  `parquet:"bucket,dict"`
	Key      string  `parquet:"key"`
	Version  *string `parquet:"version_id,optional"`
	Latest   *bool   `parquet:"is_latest,optional"`
	Marker   *bool   `parquet:"is_delete_marker,optional"`
	Size     *int64  `parquet:"size,optional"`
	Modified *int64  `parquet:"last_modified_date,optional,timestamp(millisecond)"`
	ETag     *string `parquet:"e_tag,optional"`
}

type parquetCurrent struct {
	Bucket   string  `parquet:"bucket,dict"`
	Key      string  `parquet:"key"`
	Size     *int64  `parquet:"size,optional"`
	Modified *int64  `parquet:"last_modified_date,optional,timestamp(millisecond)"`
	ETag     *string `parquet:"e_tag,optional"`
}

func versionRow(r *Row) parquetVersion {
	c := currentRow(r)
	row := parquetVersion{Bucket: c.Bucket, Key: c.Key, Size: c.Size, Modified: c.Modified, ETag: c.ETag}
	if string(r.VersionID) != NullVersion {
		row.Version = known(string(r.VersionID), len(r.VersionID) > 0)
	}
	row.Latest = known(r.Latest == Yes, r.Latest != Unknown)
	row.Marker = known(r.Marker == Yes, r.Marker != Unknown)
	return row
}

func currentRow(r *Row) parquetCurrent {
	return parquetCurrent{
		Bucket: string(r.Bucket), Key: string(r.Key),
		Size:     known(r.Size, r.Size != NoSize),
		Modified: known(r.LastModified, r.LastModified != NoTime),
		ETag:     known(string(r.ETag), len(r.ETag) > 0),
	}
}

func known[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

// rowGroup bounds the memory of the writer.
const rowGroup = 100_000

type parquetEncoder[R any] struct {
	w     *parquet.GenericWriter[R]
	of    func(*Row) R
	batch []R
}

func newParquetEncoder[R any](w io.Writer, of func(*Row) R) *parquetEncoder[R] {
	var r R
	return &parquetEncoder[R]{of: of, w: parquet.NewGenericWriter[R](w,
		parquet.NewSchema("s3.inventory", parquet.SchemaOf(r)),
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("strandline", "1", ""))}
}

func (e *parquetEncoder[R]) write(r *Row) error {
	e.batch = append(e.batch, e.of(r))
	if len(e.batch) < 512 {
		return nil
	}
	return e.flush()
}

func (e *parquetEncoder[R]) flush() error {
	_, err := e.w.Write(e.batch)
	e.batch = e.batch[:0]
	return err
}

func (e *parquetEncoder[R]) close() error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.w.Close()
}
