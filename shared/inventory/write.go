package inventory

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// Sink is where an inventory is written: a folder, or a bucket.
type Sink interface {
	Exists(ctx context.Context, key string) (bool, error)
	// Put stores a file as a whole, or not at all.
	Put(ctx context.Context, key string, body io.ReadSeeker, size int64) error
	Remove(ctx context.Context, key string) error
}

// Delivery is what an inventory to be written says of itself.
type Delivery struct {
	Bucket      string // the source: every row's
	Destination string // the bucket the inventory is for, by name; for a folder any
	Prefix      string // in the destination
	Config      string // the configuration's id
	Created     time.Time
	Format      Format // CSV or Parquet
	// CurrentOnly leaves the columns of versions out.
	CurrentOnly bool
	// RowsPerFile is how many rows a file holds, a million if 0.
	RowsPerFile int64
	// TempDir is where a file lies until it is whole.
	TempDir string
}

const defaultRowsPerFile = 1_000_000

// Write writes an inventory as S3 delivers it, and returns its manifest's key:
// data files first, manifest.checksum last, so that it is not there until it is
// whole. What an error leaves unfinished is removed again. The same rows give
// the same bytes and names. An inventory that is there already is refused with
// fs.ErrExist.
func Write(ctx context.Context, sink Sink, d Delivery, rows iter.Seq2[*Row, error]) (manifestKey string, err error) {
	if err := d.check(); err != nil {
		return "", fmt.Errorf("write an inventory: %w", err)
	}
	w := &writer{sink: sink, delivery: d}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write an inventory: %w", err), w.remove())
		}
	}()
	folder := path.Join(d.home(), d.Created.UTC().Format("2006-01-02T15-04Z"))
	checksumKey := path.Join(folder, checksumName)
	there, err := sink.Exists(ctx, checksumKey)
	if err != nil {
		return "", fmt.Errorf("look for an older one: %w", err)
	}
	if there {
		return "", fmt.Errorf("one of that minute is there: %w", fs.ErrExist)
	}
	if err := w.writeData(ctx, rows); err != nil {
		return "", err
	}
	manifest, err := w.manifest()
	if err != nil {
		return "", err
	}
	sum := md5.Sum(manifest)
	manifestKey = path.Join(folder, manifestName)
	if err := w.put(ctx, manifestKey, bytesBody(manifest)); err != nil {
		return "", err
	}
	return manifestKey, w.put(ctx, checksumKey, bytesBody([]byte(hex.EncodeToString(sum[:])+"\n")))
}

func (d *Delivery) check() error {
	if d.RowsPerFile == 0 {
		d.RowsPerFile = defaultRowsPerFile
	}
	switch {
	case d.Bucket == "" || d.Config == "":
		return errors.New("bucket and configuration id are needed")
	case !isFolderName(d.Bucket) || !isFolderName(d.Config):
		return errors.New("bucket or configuration id cannot be the name of a folder")
	case d.Created.IsZero():
		return errors.New("when the listing began is needed")
	case d.Format != CSV && d.Format != Parquet:
		return fmt.Errorf("%q is not a format that is written: CSV or Parquet", d.Format)
	case d.RowsPerFile < 0:
		return errors.New("a file cannot have a negative number of rows")
	}
	return nil
}

func isFolderName(s string) bool { return s != "." && s != ".." && !strings.ContainsAny(s, `/\`) }

// home is <prefix>/<bucket>/<config>.
func (d *Delivery) home() string {
	return path.Join(strings.Trim(d.Prefix, "/"), d.Bucket, d.Config)
}

type writer struct {
	sink     Sink
	delivery Delivery
	files    []statedJSON
	written  []string // keys that were not there before
}

type statedJSON struct {
	Key  string `json:"key"`
	Size int64  `json:"size"`
	MD5  string `json:"MD5checksum"`
}

// writeData writes the rows as files of at most RowsPerFile rows.
func (w *writer) writeData(ctx context.Context, rows iter.Seq2[*Row, error]) error {
	var file *dataFile
	defer func() { file.discard() }()
	for row, err := range rows {
		if err != nil {
			return fmt.Errorf("the rows to write: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if string(row.Bucket) != w.delivery.Bucket {
			return errors.New("a row is of another bucket")
		}
		if file == nil {
			if file, err = newDataFile(&w.delivery); err != nil {
				return err
			}
		}
		if err := file.write(row); err != nil {
			return err
		}
		if file.rows == w.delivery.RowsPerFile {
			if err := w.finish(ctx, file); err != nil {
				return err
			}
			file = nil
		}
	}
	if file == nil {
		return nil
	}
	return w.finish(ctx, file)
}

// finish puts a file where it belongs. A file of the same name has the same
// content, and is not this run's to remove.
func (w *writer) finish(ctx context.Context, file *dataFile) error {
	defer file.discard()
	size, sum, err := file.close()
	if err != nil {
		return err
	}
	d := &w.delivery
	key := path.Join(d.home(), "data", nameOf(d.Created, len(w.files), sum)+file.extension())
	w.files = append(w.files, statedJSON{Key: key, Size: size, MD5: hex.EncodeToString(sum)})
	there, err := w.sink.Exists(ctx, key)
	if err != nil || there {
		return err
	}
	return w.put(ctx, key, body{ReadSeeker: file.temp, size: size})
}

type body struct {
	io.ReadSeeker
	size int64
}

func bytesBody(b []byte) body {
	return body{ReadSeeker: strings.NewReader(string(b)), size: int64(len(b))}
}

func (w *writer) put(ctx context.Context, key string, b body) error {
	if _, err := b.Seek(0, io.SeekStart); err != nil {
		return err
	}
	// noted before: a put without an answer may have been done
	w.written = append(w.written, key)
	if err := w.sink.Put(ctx, key, b.ReadSeeker, b.size); err != nil {
		return fmt.Errorf("store file %d of it: %w", len(w.written), err)
	}
	return nil
}

// remove takes back what was written; the last first, so that nothing that
// looks whole is left. It outlives the run's context.
func (w *writer) remove() error {
	var errs []error
	for i := len(w.written) - 1; i >= 0; i-- {
		if err := w.sink.Remove(context.Background(), w.written[i]); err != nil {
			errs = append(errs, fmt.Errorf("remove what was written: %w", err))
		}
	}
	return errors.Join(errs...)
}

// nameOf makes a file's name in the form of S3's (a UUID) of its run, number
// and content.
func nameOf(created time.Time, number int, sum []byte) string {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, []int64{created.UnixMilli(), int64(number)})
	h.Write(sum)
	x := hex.EncodeToString(h.Sum(nil)[:16])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

func (w *writer) manifest() ([]byte, error) {
	d := &w.delivery
	if w.files == nil {
		w.files = []statedJSON{}
	}
	return json.MarshalIndent(struct {
		SourceBucket      string       `json:"sourceBucket"`
		DestinationBucket string       `json:"destinationBucket"`
		Version           string       `json:"version"`
		CreationTimestamp string       `json:"creationTimestamp"`
		FileFormat        Format       `json:"fileFormat"`
		FileSchema        string       `json:"fileSchema"`
		Files             []statedJSON `json:"files"`
	}{
		d.Bucket, "arn:aws:s3:::" + d.Destination, "2016-11-30",
		strconv.FormatInt(d.Created.UnixMilli(), 10), d.Format, d.schema(), w.files,
	}, "", "  ")
}

func (d *Delivery) schema() string {
	switch {
	case d.Format == CSV && d.CurrentOnly:
		return "Bucket, Key, Size, LastModifiedDate, ETag"
	case d.Format == CSV:
		return "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag"
	case d.CurrentOnly:
		return parquetSchema("")
	}
	return parquetSchema(" optional binary version_id (STRING); optional boolean is_latest; optional boolean is_delete_marker;")
}

func parquetSchema(versions string) string {
	return "message s3.inventory { required binary bucket (STRING); required binary key (STRING);" + versions +
		" optional int64 size; optional int64 last_modified_date (TIMESTAMP(MILLIS,true)); optional binary e_tag (STRING); }"
}

// dataFile is a file while it is written, in the temporary folder.
type dataFile struct {
	temp    *os.File
	sum     *hashed
	encoder encoder
	format  Format
	rows    int64
}

// encoder writes rows in a format.
type encoder interface {
	write(*Row) error
	close() error
}

func newDataFile(d *Delivery) (*dataFile, error) {
	temp, err := os.CreateTemp(d.TempDir, "strandline-inventory-*")
	if err != nil {
		return nil, fmt.Errorf("make a temporary file: %w", err)
	}
	f := &dataFile{temp: temp, format: d.Format, sum: &hashed{w: temp, md5: md5.New()}}
	switch {
	case d.Format == CSV:
		f.encoder = newCSVEncoder(f.sum, d.CurrentOnly)
	case d.CurrentOnly:
		f.encoder = newParquetEncoder(f.sum, currentRow)
	default:
		f.encoder = newParquetEncoder(f.sum, versionRow)
	}
	return f, nil
}

func (f *dataFile) extension() string {
	if f.format == CSV {
		return ".csv.gz"
	}
	return ".parquet"
}

func (f *dataFile) write(row *Row) error {
	f.rows++
	if err := f.encoder.write(row); err != nil {
		return fmt.Errorf("encode a row: %w", err)
	}
	return nil
}

// close ends the file's content and returns its size and MD5.
func (f *dataFile) close() (size int64, sum []byte, err error) {
	if err := f.encoder.close(); err != nil {
		return 0, nil, fmt.Errorf("end a file: %w", err)
	}
	return f.sum.size, f.sum.md5.Sum(nil), nil
}

// discard removes the temporary file; a second time it does nothing.
func (f *dataFile) discard() {
	if f == nil || f.temp == nil {
		return
	}
	f.temp.Close()
	_ = os.Remove(f.temp.Name())
	f.temp = nil
}
