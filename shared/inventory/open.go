package inventory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/strandline-dev/strandline/shared/celltext"
)

// Options of one reader.
type Options struct {
	// WithoutETag leaves the rows' ETag empty: where nobody compares it, a
	// Parquet file is read faster.
	WithoutETag bool
}

// Open reads the manifest under a key, after its checksum agreed, and returns a
// reader of its files. An inventory without files is opened too: whether it may
// be empty is the comparison's question.
func Open(ctx context.Context, files Files, manifestKey string, o Options) (Reader, error) {
	m, err := readManifest(ctx, files, manifestKey)
	if err != nil {
		return nil, err
	}
	r := &reader{files: files, manifest: m, options: o, verified: &verified{files: make([]fs.FileInfo, len(m.Files))}}
	if m.Format == CSV {
		if r.schema, err = parseSchema(m.Schema); err != nil {
			return nil, fmt.Errorf("manifest.json: fileSchema: %w", err)
		}
	}
	return r, nil
}

type reader struct {
	files    Files
	manifest Manifest
	options  Options
	schema   schema // of CSV

	verified *verified
}

// WithoutETag returns the same inventory, opened with that option. What one of
// the two has verified is verified for both.
func (r *reader) WithoutETag() Reader {
	without := *r
	without.options.WithoutETag = true
	return &without
}

func (r *reader) Manifest() Manifest { return r.manifest }

func (r *reader) Parts() int { return len(r.manifest.Files) }

// Seekable: Lookup needs a file that stays; one of a bucket would be fetched
// again.
func (r *reader) Seekable() bool {
	_, local := r.files.(folder)
	return local && r.manifest.Format == Parquet
}

func (r *reader) Rows(ctx context.Context, part int) iter.Seq2[*Row, error] {
	return each(r.Batches(ctx, part))
}

// Batches yields the rows of a part as Rows does, many at a time where the
// format has them so. They hold until it yields the next.
func (r *reader) Batches(ctx context.Context, part int) iter.Seq2[[]Row, error] {
	return func(yield func([]Row, error) bool) {
		file, err := r.openVerified(ctx, part)
		if err != nil {
			yield(nil, r.failed(part, err))
			return
		}
		defer file.Close()
		r.yieldAll(part, r.decode(ctx, file), yield)
	}
}

func (r *reader) Lookup(ctx context.Context, part int, numbers []int64) iter.Seq2[*Row, error] {
	return each(func(yield func([]Row, error) bool) {
		if !r.Seekable() {
			yield(nil, r.failed(part, errors.New("rows of this format cannot be looked up by number")))
			return
		}
		file, err := r.openVerified(ctx, part)
		if err != nil {
			yield(nil, r.failed(part, err))
			return
		}
		defer file.Close()
		r.yieldAll(part, lookupParquet(ctx, file, numbers, r.options.WithoutETag), yield)
	})
}

// each yields the rows of batches one by one.
func each(batches iter.Seq2[[]Row, error]) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for rows, err := range batches {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range rows {
				if !yield(&rows[i], nil) {
					return
				}
			}
		}
	}
}

func (r *reader) decode(ctx context.Context, file File) iter.Seq2[[]Row, error] {
	switch r.manifest.Format {
	case CSV:
		return scanCSV(ctx, file, r.schema)
	case ORC:
		return scanORC(ctx, file)
	}
	return scanParquet(ctx, file, r.options.WithoutETag)
}

// yieldAll passes a part's rows on, and stops at the first that is wrong.
func (r *reader) yieldAll(part int, batches iter.Seq2[[]Row, error], yield func([]Row, error) bool) {
	for rows, err := range batches {
		if err == nil {
			err = r.checkBuckets(rows)
		}
		if err != nil {
			yield(nil, r.failed(part, err))
			return
		}
		if !yield(rows, nil) {
			return
		}
	}
}

func (r *reader) checkBuckets(rows []Row) error {
	for i := range rows {
		if string(rows[i].Bucket) != r.manifest.SourceBucket {
			return fmt.Errorf("row %s is of another bucket than the manifest's sourceBucket", celltext.Place(rows[i].Number+1))
		}
	}
	return nil
}

// failed says which file an error is of: by its position, since names of files
// are not logged.
func (r *reader) failed(part int, err error) error {
	return fmt.Errorf("file %d of the inventory's %d: %w", part+1, len(r.manifest.Files), err)
}
