package inventory_test

import (
	"encoding/csv"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// FuzzManifest: any text with its right checksum is refused or gives a manifest
// whose every file can be verified.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"sourceBucket":"b","destinationBucket":"arn:aws:s3:::d","creationTimestamp":"1795827600000","fileFormat":"CSV","fileSchema":"Bucket, Key","files":[{"key":"k","size":1,"MD5checksum":"d41d8cd98f00b204e9800998ecf8427e"}]}`))
	f.Add([]byte(`{"sourceBucket" : "b","destinationBucket":"d","creationTimestamp":1795827600,"fileFormat":"parquet","files":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		k := kept{keptManifest: text}
		k.sum()
		r, err := open(k)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		m := r.Manifest()
		if m.SourceBucket == "" || m.Created.IsZero() || r.Parts() != len(m.Files) {
			t.Errorf("%+v", m)
		}
		for _, stated := range m.Files {
			if stated.Key == "" || stated.Size < 0 {
				t.Errorf("%+v", stated)
			}
		}
	})
}

// FuzzCSV: whatever a CSV file says, its rows are those that the standard
// library's readers of CSV and of form values find in it.
func FuzzCSV(f *testing.F) {
	f.Add(rowText("k") + rowText("a%20b+c"))
	f.Add("\r\n" + strings.ReplaceAll(rowText("k"), `"`, "") + strings.TrimSuffix(rowText(`q""uote`), "\n"))
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := csvRows(text)
		if err != nil {
			return
		}
		strict := csv.NewReader(strings.NewReader(text))
		strict.FieldsPerRecord = 9
		for i := 0; ; i++ {
			record, err := strict.Read()
			if errors.Is(err, io.EOF) {
				if i != len(rows) {
					t.Fatalf("%d rows, want %d", len(rows), i)
				}
				return
			}
			if err != nil {
				t.Fatalf("accepted, but %v", err)
			}
			key, err := url.QueryUnescape(record[1])
			if err != nil || key != string(rows[i].Key) || record[0] != "b" || !sameVersion(record[2], rows[i].VersionID) {
				t.Fatalf("row %d is %s, want %q, %v", i, printed(&rows[i]), record, err)
			}
		}
	})
}

// sameVersion knows the null version, and that the standard library takes the
// CR of a line end within quotes away.
func sameVersion(cell string, id []byte) bool {
	return cell == string(id) || cell == "" && string(id) == inventory.NullVersion || cell == strings.ReplaceAll(string(id), "\r\n", "\n")
}

// FuzzParquet: a file is refused or gives rows with a bucket and a key, as many
// as they are numbered.
func FuzzParquet(f *testing.F) {
	files, _ := originals(f, inventory.Parquet)
	for _, content := range files {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		rows, err := readParquet(content)
		if err != nil {
			return
		}
		for i, r := range rows {
			if len(r.Key) == 0 || r.Number != int64(i) || r.Size < inventory.NoSize {
				t.Fatalf("row %d is %s", i, printed(&r))
			}
		}
	})
}

// FuzzKeys: a key of any bytes that is written is read back as it was.
func FuzzKeys(f *testing.F) {
	f.Add("a b+c%20/~é\x00\xff", "v\"1", "e\"tag")
	f.Fuzz(func(t *testing.T, key, version, etag string) {
		if key == "" || version == "" || strings.HasPrefix(etag, `"`) || strings.ContainsAny(version+etag, "\r") {
			return
		}
		row := inventory.Row{Bucket: []byte("b"), Key: []byte(key), VersionID: []byte(version), ETag: []byte(etag), Size: inventory.NoSize, LastModified: inventory.NoTime}
		for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
			root, d := t.TempDir(), delivery(t, format)
			d.Bucket = "b"
			name, err := inventory.Write(t.Context(), inventory.Folder(root), d, func(yield func(*inventory.Row, error) bool) { yield(&row, nil) })
			if err != nil {
				t.Fatal(err)
			}
			got := allRows(t, openLocal(t, root+"/"+name))
			if !slices.Equal(got, []string{printed(&row)}) {
				t.Errorf("%s (UTF-8: %t): %v, want %s", format, utf8.ValidString(key), got, printed(&row))
			}
		}
	})
}
