package inventory_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// kept is files in memory, by key.
type kept map[string][]byte

func (k kept) Open(_ context.Context, key string) (inventory.File, error) {
	b, ok := k[key]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return keptFile{bytes.NewReader(b)}, nil
}

type keptFile struct{ *bytes.Reader }

func (keptFile) Close() error { return nil }

const keptManifest = "inv/b/daily/2026-11-28T01-00Z/manifest.json"

// manifestOf is the members of a manifest.json whose files have the contents.
func manifestOf(format, schema string, contents ...[]byte) map[string]any {
	files := []map[string]any{}
	for i, c := range contents {
		sum := md5.Sum(c)
		files = append(files, map[string]any{"key": keptKey(i), "size": len(c), "MD5checksum": hex.EncodeToString(sum[:])})
	}
	return map[string]any{
		"sourceBucket": "b", "destinationBucket": "arn:aws:s3:::inventories", "version": "2016-11-30",
		"creationTimestamp": "1795827600000", "fileFormat": format, "fileSchema": schema, "files": files,
	}
}

func keptKey(i int) string { return fmt.Sprintf("inv/b/daily/data/%d", i) }

// keep returns an inventory in memory: a manifest, its checksum, its files.
func keep(manifest map[string]any, contents ...[]byte) kept {
	text, _ := json.Marshal(manifest)
	k := kept{keptManifest: text}
	k.sum()
	for i, c := range contents {
		k[keptKey(i)] = c
	}
	return k
}

func (k kept) sum() {
	sum := md5.Sum(k[keptManifest])
	k["inv/b/daily/2026-11-28T01-00Z/manifest.checksum"] = []byte(hex.EncodeToString(sum[:]) + "\n")
}

// inventoryOf is an inventory in memory of one file.
func inventoryOf(format inventory.Format, schema string, content []byte) kept {
	return keep(manifestOf(string(format), schema, content), content)
}

// inFolder writes files into a folder and returns the path of the manifest.
func (k kept) inFolder(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	for key, content := range k {
		name := filepath.Join(root, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, filepath.FromSlash(keptManifest))
}

// read returns copies of every row, and the first error.
func read(files inventory.Files) ([]inventory.Row, error) {
	r, err := inventory.Open(context.Background(), files, keptManifest, inventory.Options{})
	if err != nil {
		return nil, err
	}
	var rows []inventory.Row
	for row, err := range rowsOf(context.Background(), r) {
		if err != nil {
			return rows, err
		}
		rows = append(rows, clone(row))
	}
	return rows, nil
}

func clone(r *inventory.Row) inventory.Row {
	c := *r
	for _, b := range []*[]byte{&c.Bucket, &c.Key, &c.VersionID, &c.ETag} {
		*b = append([]byte(nil), *b...) // nil where it is empty
	}
	return c
}

// zipped is text as one gzip member.
func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

const versionsSchema = "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag, StorageClass"

// csvRows reads a CSV inventory of one file with all the columns.
func csvRows(text string) ([]inventory.Row, error) {
	return read(inventoryOf(inventory.CSV, versionsSchema, zipped(text)))
}

// rowText is one line of versionsSchema with a key.
func rowText(key string) string {
	return `"b","` + key + `","v","true","false","7","2026-11-01T01:00:00.000Z","e","STANDARD"` + "\n"
}
