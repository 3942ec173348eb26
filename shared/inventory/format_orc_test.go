package inventory

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

// orcRows scans a file of the ORC reader's test data, of the tables that are
// inventories. The rows are in its text's form.
func orcRows(t *testing.T, path string) ([]string, error) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for row, err := range each(scanORC(t.Context(), held{bytes.NewReader(b)})) {
		if err != nil {
			return rows, err
		}
		if row.Number != int64(len(rows)) {
			t.Errorf("row %d has number %d", len(rows), row.Number)
		}
		rows = append(rows, textOf(row))
	}
	return rows, nil
}

func textOf(r *Row) string {
	answers := map[Answer]string{Unknown: "-", Yes: "true", No: "false"}
	size := strconv.FormatInt(r.Size, 10)
	if r.Size == NoSize {
		size = "-"
	}
	return strings.Join([]string{
		escaped(r.Bucket), escaped(r.Key), escaped(r.VersionID), answers[r.Latest], answers[r.Marker], size,
		strconv.FormatInt(r.LastModified, 10), escaped(r.ETag),
	}, "\t")
}

func escaped(b []byte) string {
	if len(b) == 0 {
		return "-"
	}
	var s strings.Builder
	s.WriteByte('=')
	for _, c := range b {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_./-", c) >= 0 {
			s.WriteByte(c)
			continue
		}
		s.WriteString("%" + strings.ToUpper(strconv.FormatUint(256+uint64(c), 16)[1:]))
	}
	return s.String()
}

// orcTruth is what the text beside the files says, as rows have it: a version
// without a name is "null", the last column is none of ours.
func orcTruth(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[3:] {
		cells := strings.Split(line, "\t")[1:]
		if cells[2] == "-" {
			cells[2] = "=" + NullVersion
		}
		rows = append(rows, strings.Join(cells[:8], "\t"))
	}
	return rows
}

// Without the rule that keys of ORC are taken as they are, k/a+b and k/a%20b
// would become other keys: both of them orphans, and missing.
func TestORCRowsAreWhatWasWrittenWhateverTheWriterChose(t *testing.T) {
	for table, least := range map[string]int{"inventory": 11, "strings": 2} {
		want := orcTruth(t, filepath.Join("orc", "testdata", table+".txt"))
		for _, odd := range []string{"=k/a%2Bb", "=k/a%2520b", "=k/%00", "=k/%C3%A9"} {
			if !slices.ContainsFunc(want, func(row string) bool { return strings.Contains(row, "\t"+odd+"\t") }) {
				t.Fatalf("%s: the test data has no key %s", table, odd)
			}
		}
		paths, err := filepath.Glob(filepath.Join("orc", "testdata", table+".*.orc"))
		if err != nil || len(paths) < least {
			t.Fatalf("%s: %d files, %v", table, len(paths), err)
		}
		for _, path := range paths {
			got, err := orcRows(t, path)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d rows differ from the %d that were written", path, len(got), len(want))
			}
		}
	}
}

func TestORCFilesThatAreNoInventoriesAreRefused(t *testing.T) {
	for table, says := range map[string]string{
		"numbers.zlib-012-dict":    "Bucket and Key are needed",
		"refused.lz4":              "LZ4",
		"neighbours.nested-bloom":  "Bucket and Key are needed",
		"wrongtypes.zlib-012-dict": "column size is of a type that it cannot have",
		"nokey.zlib-012-dict":      "no key",
	} {
		rows, err := orcRows(t, filepath.Join("orc", "testdata", table+".orc"))
		if err == nil || !strings.Contains(err.Error(), says) || len(rows) > 0 {
			t.Errorf("%s: %d rows and %v, want: %s", table, len(rows), err, says)
		}
	}
}
