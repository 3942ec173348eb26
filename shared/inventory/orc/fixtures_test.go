package orc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The files of testdata were written by other people's writers (make.py,
// Make.java), and the texts beside them say what is in them.
func TestFilesOfOtherWritersGiveTheValuesThatWereWritten(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.orc")
	if err != nil || len(paths) < 35 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		table, how, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".orc"), ".")
		if table == "refused" || table == "nokey" || table == "wrongtypes" || table == "strings" {
			continue // for the tests of who reads inventories by it
		}
		t.Run(table+" "+how, func(t *testing.T) {
			compare(t, readFixture(t, path), readTruth(t, filepath.Join("testdata", table+".txt")))
		})
	}
}

func readFixture(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// truth is what a text of testdata says of a table.
type truth struct {
	columns []string
	rows    int
	digest  string
	shown   map[int]string
}

func readTruth(t *testing.T, path string) truth {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	want := truth{columns: strings.Fields(lines[0])[1:], shown: map[int]string{}}
	want.digest = strings.Fields(lines[2])[1]
	if want.rows, err = strconv.Atoi(strings.Fields(lines[1])[1]); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[3:] {
		number, row, _ := strings.Cut(line, "\t")
		i, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		want.shown[i] = row
	}
	return want
}

func compare(t *testing.T, file []byte, want truth) {
	t.Helper()
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != int64(want.rows) {
		t.Errorf("%d rows, want %d", f.Rows(), want.rows)
	}
	lines, err := dump(f, want.columns)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	wrong := 0
	for i, line := range lines {
		fmt.Fprintln(sum, line)
		if shown, ok := want.shown[i]; ok && shown != line && wrong < 5 {
			wrong++
			t.Errorf("row %d:\ngot  %s\nwant %s", i, line, shown)
		}
	}
	if len(lines) != want.rows {
		t.Errorf("%d rows scanned, want %d", len(lines), want.rows)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != want.digest {
		t.Errorf("digest of all rows is %s, want %s", got, want.digest)
	}
}

// dump writes rows as make.py writes them.
func dump(f *File, columns []string) ([]string, error) {
	kinds := map[string]Kind{}
	for _, c := range f.Columns() {
		kinds[c.Name] = c.Kind
	}
	var lines []string
	for b, err := range f.Scan(context.Background(), columns) {
		if err != nil {
			return lines, err
		}
		for i := range b.Rows {
			cells := make([]string, len(columns))
			for c, name := range columns {
				cells[c] = cell(&b.Columns[c], kinds[name], i)
			}
			lines = append(lines, strings.Join(cells, "\t"))
		}
	}
	return lines, nil
}

func cell(v *Values, kind Kind, i int) string {
	if v.Null != nil && v.Null[i] {
		return "-"
	}
	switch kind {
	case Bool:
		return strconv.FormatBool(v.Bools[i])
	case Long:
		return strconv.FormatInt(v.Longs[i], 10)
	case Time:
		return strconv.FormatInt(v.Times[i], 10)
	}
	b := v.Bytes[i]
	if len(b) > 2000 {
		return fmt.Sprintf("=%d bytes %x", len(b), sha256.Sum256(b))
	}
	s := []byte("=")
	for _, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_./-", c) >= 0 {
			s = append(s, c)
			continue
		}
		s = fmt.Appendf(s, "%%%02X", c)
	}
	return string(s)
}
