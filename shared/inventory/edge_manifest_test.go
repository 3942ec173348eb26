package inventory_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// The numbers are those of the edge cases of S3 Inventory that the project
// collected; docs/cases.md lists them.

func open(files inventory.Files) (inventory.Reader, error) {
	return inventory.Open(context.Background(), files, keptManifest, inventory.Options{})
}

// Without the comparison, a manifest.json of one run is read with files of
// another, and everything they do not share is an orphan or missing.
func TestEdge01ManifestThatDoesNotMatchItsChecksumIsRefused(t *testing.T) {
	k := inventoryOf(inventory.CSV, versionsSchema, zipped(rowText("k")))
	k[keptManifest] = append(k[keptManifest], ' ')
	if _, err := open(k); err == nil || !strings.Contains(err.Error(), "does not match its manifest.checksum") {
		t.Errorf("got %v", err)
	}
}

// Without the checksum the inventory may still be on its way.
func TestEdge02ManifestWithoutChecksumIsNotStarted(t *testing.T) {
	k := inventoryOf(inventory.CSV, versionsSchema, zipped(rowText("k")))
	delete(k, "inv/b/daily/2026-11-28T01-00Z/manifest.checksum")
	if _, err := open(k); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "manifest.checksum") {
		t.Errorf("got %v", err)
	}
}

// Without the verification a file that was cut off, exchanged or damaged gives
// other rows than S3 listed, and no error.
func TestEdge03FileThatIsNotWhatTheManifestStatesGivesNoRow(t *testing.T) {
	good := zipped(rowText("k"))
	other := zipped(rowText("other"))
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, content := range map[string][]byte{
		"missing": nil, "shorter": good[:len(good)-1], "longer": append(bytes.Clone(good), 0),
		"one bit": flipped, "a member more": append(bytes.Clone(good), other...), "another file": other, "empty": {},
	} {
		k := inventoryOf(inventory.CSV, versionsSchema, good)
		k[keptKey(0)] = content
		if content == nil {
			delete(k, keptKey(0))
		}
		rows, err := read(k)
		if err == nil || len(rows) > 0 || !strings.Contains(err.Error(), "file 1 of the inventory's 1") {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

func TestEdge03FilesThatWereSwappedGiveNoRow(t *testing.T) {
	a, b := zipped(rowText("a1")), zipped(rowText("b2"))
	k := keep(manifestOf("CSV", versionsSchema, a, b), b, a)
	if rows, err := read(k); err == nil || len(rows) > 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestEdge04InventoryWithoutFilesIsOpenedForTheComparisonToJudge(t *testing.T) {
	r, err := open(keep(manifestOf("CSV", versionsSchema)))
	if err != nil || r.Parts() != 0 {
		t.Errorf("%v", err)
	}
}

func TestEdge26InventoryInItsOwnBucketKnowsItsOwnFiles(t *testing.T) {
	m := manifestOf("CSV", versionsSchema)
	m["destinationBucket"] = "b"
	r, err := open(keep(m))
	if err != nil {
		t.Fatal(err)
	}
	for key, own := range map[string]bool{
		"inv/b/daily/data/x.csv.gz": true, keptManifest: true, "inv/b/weekly/data/x": false, "inv/b/daily": false, "k": false,
	} {
		if r.Manifest().Own([]byte(key)) != own {
			t.Errorf("%s: own is not %t", key, own)
		}
	}
	elsewhere, err := open(keep(manifestOf("CSV", versionsSchema)))
	if err != nil || elsewhere.Manifest().Own([]byte("inv/b/daily/data/x.csv.gz")) {
		t.Errorf("a key of the source counts as a file of an inventory that lies in another bucket: %v", err)
	}
}

func TestEdge27CreationTimestampOfTenDigitsIsInSeconds(t *testing.T) {
	want := time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)
	for _, stamp := range []any{"1795827600000", "1795827600", 1795827600000, 1795827600} {
		m := manifestOf("CSV", versionsSchema)
		m["creationTimestamp"] = stamp
		r, err := open(keep(m))
		if err != nil || !r.Manifest().Created.Equal(want) {
			t.Errorf("%v: %v", stamp, err)
		}
	}
	for _, stamp := range []string{"", "0", "-795827600000", "179582760000", "17958276000000", "2026-11-28T01:00:00Z"} {
		m := manifestOf("CSV", versionsSchema)
		m["creationTimestamp"] = stamp
		if _, err := open(keep(m)); err == nil || !strings.Contains(err.Error(), "creationTimestamp") {
			t.Errorf("%q: %v", stamp, err)
		}
	}
}

func TestManifestAsRealOnesAreWritten(t *testing.T) {
	text := `{
  "sourceBucket" : "b",
  "destinationBucket" : "arn:aws-us-gov:s3:::inventories",
  "version" : "2025-01-01",
  "fileFormat" : "csv", "somethingNew" : {"a" : [1]},
  "creationTimestamp" : "1795827600000",
  "fileSchema" : " Key ,Bucket,  Size ",
  "files" : [ ]
}
`
	k := kept{keptManifest: []byte(text)}
	k.sum()
	r, err := open(k)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Manifest()
	if m.Destination != "inventories" || m.Format != inventory.CSV || m.SourceBucket != "b" || m.Prefix != "inv/" || m.Config != "daily" {
		t.Errorf("%+v", m)
	}
}

func TestManifestThatCannotBeTrustedIsRefusedInOneLine(t *testing.T) {
	a := zipped(rowText("k"))
	file := func(change func(map[string]any)) func(map[string]any) {
		return func(m map[string]any) { change(m["files"].([]map[string]any)[0]) }
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		says   string
	}{
		"no source":             {func(m map[string]any) { delete(m, "sourceBucket") }, "sourceBucket"},
		"no files":              {func(m map[string]any) { delete(m, "files") }, "files"},
		"null files":            {func(m map[string]any) { m["files"] = nil }, "files"},
		"not S3's ARN":          {func(m map[string]any) { m["destinationBucket"] = "arn:aws:sqs:eu-central-1:1:q" }, "destinationBucket"},
		"format unknown":        {func(m map[string]any) { m["fileFormat"] = "Avro" }, "Avro"},
		"no format":             {func(m map[string]any) { delete(m, "fileFormat") }, "fileFormat"},
		"no schema":             {func(m map[string]any) { delete(m, "fileSchema") }, "fileSchema"},
		"schema without key":    {func(m map[string]any) { m["fileSchema"] = "Bucket, Size" }, "Key"},
		"a column twice":        {func(m map[string]any) { m["fileSchema"] = "Bucket, Key, Size, size" }, "twice"},
		"file without key":      {file(func(f map[string]any) { delete(f, "key") }), "file 1"},
		"file without size":     {file(func(f map[string]any) { delete(f, "size") }), "file 1"},
		"file of negative size": {file(func(f map[string]any) { f["size"] = -1 }), "file 1"},
		"file without MD5":      {file(func(f map[string]any) { delete(f, "MD5checksum") }), "file 1"},
		"file with half an MD5": {file(func(f map[string]any) { f["MD5checksum"] = "d41d8cd98f00b204" }), "file 1"},
		"the same file twice": {func(m map[string]any) {
			files := m["files"].([]map[string]any)
			m["files"] = append(files, files[0])
		}, "file 2"},
	} {
		m := manifestOf("CSV", versionsSchema, a)
		c.change(m)
		_, err := open(keep(m, a))
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "null", "[]", "{", `{"files": 3}`, "\x00"} {
		k := kept{keptManifest: []byte(text)}
		k.sum()
		if _, err := open(k); err == nil {
			t.Errorf("%q is taken for a manifest", text)
		}
	}
}

// Without the check a manifest names any file of this machine as its own.
func TestKeyThatLeadsOutOfTheFolderIsNotOpened(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, zipped(rowText("k")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{secret, "../secret", "inv/../../secret", "inv/b/daily/data/../../../../../secret", "", ".", "a//b", "a/./b", `..\secret`} {
		f, err := inventory.Dir(filepath.Dir(secret)).Open(t.Context(), key)
		if err == nil {
			f.Close()
			t.Errorf("%q was opened", key)
		}
	}
	a := zipped(rowText("k"))
	m := manifestOf("CSV", versionsSchema, a)
	m["files"].([]map[string]any)[0]["key"] = "../secret"
	path := keep(m, a).inFolder(t)
	if files, key, err := inventory.Local(path); err == nil {
		if r, err := inventory.Open(t.Context(), files, key, inventory.Options{}); err == nil {
			for _, err := range r.Rows(t.Context(), 0) {
				if err == nil {
					t.Error("read a file outside of the folder")
				}
			}
		}
	}
}

func TestFolderIsNoFile(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if f, err := inventory.Dir(root).Open(t.Context(), "d"); err == nil {
		f.Close()
		t.Error("a folder was opened as a file")
	}
}

func TestFilesAreFoundFromTheManifestsPath(t *testing.T) {
	content := zipped(rowText("k"))
	k := inventoryOf(inventory.CSV, versionsSchema, content)
	whole := k.inFolder(t)

	part := t.TempDir() // copied from the configuration's folder on
	for from, to := range map[string]string{keptManifest: "x/s/manifest.json", "inv/b/daily/2026-11-28T01-00Z/manifest.checksum": "x/s/manifest.checksum", keptKey(0): "x/data/0"} {
		if err := os.MkdirAll(filepath.Join(part, filepath.Dir(to)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(part, to), k[from], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, path := range map[string]string{"with its prefix": whole, "without": filepath.Join(part, "x/s/manifest.json")} {
		if rows := allRows(t, openLocal(t, path)); len(rows) != 1 {
			t.Errorf("%s: %d rows", name, len(rows))
		}
	}
	t.Chdir(filepath.Dir(whole))
	if rows := allRows(t, openLocal(t, "manifest.json")); len(rows) != 1 {
		t.Errorf("by a relative path: %d rows", len(rows))
	}
}

func TestFilesThatAreNotThereAreNamedBeforeAnythingIsRead(t *testing.T) {
	k := inventoryOf(inventory.CSV, versionsSchema, zipped(rowText("k")))
	delete(k, keptKey(0))
	if _, _, err := inventory.Local(k.inFolder(t)); err == nil || !strings.Contains(err.Error(), "data/") {
		t.Errorf("got %v", err)
	}
	if _, _, err := inventory.Local(filepath.Join(t.TempDir(), "manifest.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// An error is logged; keys are not for logs.
func TestErrorsNameNoKey(t *testing.T) {
	a := zipped(rowText("k"))
	m := manifestOf("CSV", versionsSchema, a)
	m["files"].([]map[string]any)[0]["key"] = "inv/secret-name"
	text, _ := json.Marshal(m)
	k := kept{keptManifest: text}
	k.sum()
	r, err := inventory.Open(t.Context(), inventory.Dir(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(k.inFolder(t))))))), keptManifest, inventory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Rows(t.Context(), 0) {
		if err == nil || strings.Contains(err.Error(), "secret-name") {
			t.Errorf("got %v", err)
		}
	}
}

// A device may have no end: read whole, it would fill the memory.
func TestManifestThatIsNoFileIsNotRead(t *testing.T) {
	if _, _, err := inventory.Local(os.DevNull); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("%v", err)
	}
	large := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<30); err != nil { // a hole
		t.Fatal(err)
	}
	if _, _, err := inventory.Local(large); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%v", err)
	}
}
