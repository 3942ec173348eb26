package reconcile

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"golang.org/x/sync/errgroup"
)

const (
	inventoryFiles = 8
	keyLists       = 4
	place          = "inv/" + bucket + "/daily"
	manifestPlace  = place + "/2026-11-30T00-00Z/manifest.json"
)

// makeData makes a format's data unless it is there: in a process of its own, so
// that this one stays small, for what it starts is charged with its size.
func makeData(ctx context.Context, o Options, format string) error {
	dir := o.data(format)
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "making %d rows of %s in %s, once\n", o.Rows, format, dir)
	cmd := exec.CommandContext(ctx, self, "reconcile", "-generate", format, "-rows", strconv.FormatInt(o.Rows, 10), "-dir", o.Dir)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// writeData writes to a folder beside the place and renames it when it is whole.
func writeData(dir, format string, s shape) error {
	partial := dir + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return err
	}
	files := make([]file, inventoryFiles)
	var g errgroup.Group
	g.SetLimit(2)
	for n := range int64(inventoryFiles) {
		g.Go(func() (err error) {
			key := fmt.Sprintf("%s/data/%08d-0000-4000-8000-000000000000%s", place, n, extension(format))
			files[n], err = writeFile(partial, key, func(w io.Writer) error {
				return inventoryWriter(format)(w, s, n*s.rows/inventoryFiles, (n+1)*s.rows/inventoryFiles)
			})
			return err
		})
	}
	for n := range int64(keyLists) {
		g.Go(func() error {
			_, err := writeFile(partial, fmt.Sprintf("owned-%02d%s", n, extension(format)), func(w io.Writer) error {
				return keyListWriter(format)(w, s, n*s.owned()/keyLists, (n+1)*s.owned()/keyLists)
			})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := writeManifest(partial, format, files); err != nil {
		return err
	}
	return os.Rename(partial, dir)
}

func extension(format string) string {
	if format == "csv" {
		return ".csv.gz"
	}
	return ".parquet"
}

// file is one as manifest.json names it.
type file struct {
	Key  string `json:"key"`
	Size int64  `json:"size"`
	MD5  string `json:"MD5checksum"`
}

func writeFile(dir, key string, write func(io.Writer) error) (_ file, err error) {
	path := filepath.Join(dir, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return file{}, err
	}
	f, err := os.Create(path)
	if err != nil {
		return file{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := &summed{file: f, sum: md5.New()}
	b := bufio.NewWriterSize(sum, 1<<18)
	if err := write(b); err != nil {
		return file{}, err
	}
	if err := b.Flush(); err != nil {
		return file{}, err
	}
	return file{key, sum.size, hex.EncodeToString(sum.sum.Sum(nil))}, nil
}

// summed counts and digests what goes to a file.
type summed struct {
	file *os.File
	sum  hash.Hash
	size int64
}

func (s *summed) Write(p []byte) (int, error) {
	s.sum.Write(p)
	s.size += int64(len(p))
	return s.file.Write(p)
}

func writeManifest(dir, format string, files []file) error {
	schema, name := "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag, StorageClass", "CSV"
	if format == "parquet" {
		schema, name = "message s3.inventory { required binary bucket (STRING); required binary key (STRING); }", "Parquet"
	}
	b, err := json.MarshalIndent(map[string]any{
		"sourceBucket": bucket, "destinationBucket": "arn:aws:s3:::inventories", "version": "2016-11-30",
		"creationTimestamp": strconv.FormatInt(created.UnixMilli(), 10), "fileFormat": name, "fileSchema": schema, "files": files,
	}, "", "  ")
	if err != nil {
		return err
	}
	at := filepath.Join(dir, filepath.FromSlash(manifestPlace))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(at, b, 0o644); err != nil {
		return err
	}
	sum := md5.Sum(b)
	return os.WriteFile(filepath.Join(filepath.Dir(at), "manifest.checksum"), []byte(hex.EncodeToString(sum[:])+"\n"), 0o644)
}
