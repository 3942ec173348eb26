// Package listing writes an inventory of a bucket whose store makes none: it
// lists all versions and writes them as S3 Inventory lies in its bucket.
package listing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/shared/inventory"
	"github.com/strandline-dev/strandline/shared/objects"
)

// Versions lists a bucket.
type Versions interface {
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
}

// Options are what the user asks for.
type Options struct {
	Bucket, Out, Format, Config, Prefix string

	Now func() time.Time
	// Progress, where set, is told how many versions are listed.
	Progress func(versions int64)
	// Seen, where set, says when the inventory shows that a version was
	// written; otherwise it is what the store says.
	Seen func(lastModified time.Time) time.Time
}

// Written is an inventory that was written.
type Written struct {
	Bucket   string `json:"bucket"`
	Versions int64  `json:"versions"`
	Manifest string `json:"manifest"` // its path
}

// Print says where it is.
func (w Written) Print(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%s versions of bucket %s\n%s\n", bytesize.Count(w.Versions), w.Bucket, w.Manifest)
	return err
}

// configs are ids that S3 takes too; one is a folder's name here.
var configs = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$`)

// Check refuses what cannot be meant, before anybody is asked.
func (o Options) Check() error {
	_, err := o.check()
	return err
}

func (o Options) check() (inventory.Format, error) {
	switch {
	case o.Bucket == "":
		return "", errors.New("--bucket is not given: name the bucket to list")
	case o.Out == "":
		return "", errors.New("--out is not given: name the folder to write below")
	case !configs.MatchString(o.Config):
		return "", fmt.Errorf("--config is %q: expected letters, digits, and - _ . between", o.Config)
	}
	switch strings.ToLower(o.Format) {
	case "csv":
		return inventory.CSV, nil
	case "parquet":
		return inventory.Parquet, nil
	}
	return "", fmt.Errorf("--format is %q: expected csv or parquet", o.Format)
}

// Write lists and writes. On an error nothing of it is left.
func Write(ctx context.Context, store Versions, o Options) (Written, error) {
	format, err := o.check()
	if err != nil {
		return Written{}, err
	}
	if err := os.MkdirAll(o.Out, 0o700); err != nil {
		return Written{}, fmt.Errorf("make the folder: %w", err)
	}
	w := Written{Bucket: o.Bucket}
	key, err := inventory.Write(ctx, private{inventory.Folder(o.Out), o.Out}, inventory.Delivery{
		Bucket: o.Bucket, Destination: "local", Config: o.Config, Created: o.Now().UTC().Truncate(time.Millisecond), Format: format, TempDir: o.Out,
	}, o.rows(ctx, store, &w.Versions))
	if errors.Is(err, fs.ErrExist) {
		return Written{}, fmt.Errorf("%s has an inventory of this minute already: name another --out or --config, or wait", o.Out)
	}
	if err != nil {
		return Written{}, err
	}
	w.Manifest = filepath.Join(o.Out, filepath.FromSlash(key))
	return w, nil
}

// private makes the folders of what is put its owner's alone: their names are
// nobody else's business, as the files are not.
type private struct {
	inventory.Sink
	root string
}

func (p private) Put(ctx context.Context, key string, body io.ReadSeeker, size int64) error {
	if err := os.MkdirAll(filepath.Dir(filepath.Join(p.root, filepath.FromSlash(key))), 0o700); err != nil {
		return err
	}
	return p.Sink.Put(ctx, key, body, size)
}

// rows yields the bucket's versions as rows.
func (o Options) rows(ctx context.Context, store Versions, count *int64) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		row := &inventory.Row{Bucket: []byte(o.Bucket)}
		for v, err := range store.Versions(ctx, o.Bucket, o.Prefix) {
			if err != nil {
				yield(nil, fmt.Errorf("bucket %s: %w", o.Bucket, err))
				return
			}
			o.fill(row, v)
			row.Number = *count
			*count++
			if o.Progress != nil {
				o.Progress(*count)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func (o Options) fill(row *inventory.Row, v objects.Version) {
	at := v.LastModified
	if o.Seen != nil {
		at = o.Seen(at)
	}
	row.Key, row.VersionID, row.ETag = append(row.Key[:0], v.Key...), append(row.VersionID[:0], v.VersionID...), append(row.ETag[:0], v.ETag...)
	row.LastModified, row.Latest, row.Marker = at.UnixMilli(), answer(v.Latest), answer(v.Marker)
	row.Size = v.Size
	if v.Marker { // it has no bytes, and S3 leaves the cell empty
		row.Size = inventory.NoSize
	}
}

func answer(yes bool) inventory.Answer {
	if yes {
		return inventory.Yes
	}
	return inventory.No
}
