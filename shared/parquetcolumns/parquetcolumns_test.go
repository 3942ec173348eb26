package parquetcolumns_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

type row struct {
	Text   string     `parquet:"text,dict"`
	Maybe  *string    `parquet:"maybe,optional"`
	Number *int32     `parquet:"number,optional"`
	At     *time.Time `parquet:"at,optional,timestamp(nanosecond)"`
	Truth  *bool      `parquet:"truth,optional"`
	List   []string   `parquet:"list,list"`
	Ratio  float64    `parquet:"ratio"`
}

func opened(t *testing.T, n int) *parquetcolumns.File {
	t.Helper()
	rows := make([]row, n)
	for i := range rows {
		rows[i].Text = fmt.Sprint("t", i%7)
		if i%3 > 0 {
			rows[i].Maybe, rows[i].Number = new(fmt.Sprint("m", i)), new(int32(-i))
			rows[i].At, rows[i].Truth = new(time.UnixMilli(int64(i-50)).Add(999)), new(i%2 == 1)
		}
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(400), parquet.PageBufferSize(512))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := parquetcolumns.Open(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// told is what a scan gives out, a line for each row.
func told(t *testing.T, s *parquetcolumns.Scan) (lines []string) {
	t.Helper()
	defer s.Close()
	for {
		values, number, rows, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if rows == 0 {
			return lines
		}
		for i := range rows {
			line := fmt.Sprint(number+int64(i), ":")
			for _, v := range values {
				switch v.Kind {
				case parquetcolumns.Bytes:
					line += fmt.Sprintf(" %q", v.Bytes[i])
				case parquetcolumns.Truth:
					line += fmt.Sprint(" ", v.Truths[i])
				default:
					line += fmt.Sprint(" ", v.Numbers[i])
				}
			}
			lines = append(lines, line)
		}
	}
}

func want(i int) string {
	if i%3 == 0 {
		return fmt.Sprintf("%d: %q \"\" %d %d -1", i, fmt.Sprint("t", i%7), parquetcolumns.None, parquetcolumns.None)
	}
	return fmt.Sprintf("%d: %q %q %d %d %d", i, fmt.Sprint("t", i%7), fmt.Sprint("m", i), -i, i-50, i%2)
}

func TestColumnsAreReadSideBySideAndByRow(t *testing.T) {
	const n = 1_000
	f := opened(t, n)
	kinds := map[string]parquetcolumns.Kind{}
	for i, name := range f.Names() {
		kinds[name] = f.Kind(i)
	}
	if diff := cmp.Diff(map[string]parquetcolumns.Kind{
		"text": parquetcolumns.Bytes, "maybe": parquetcolumns.Bytes, "number": parquetcolumns.Whole, "at": parquetcolumns.Instant,
		"truth": parquetcolumns.Truth, "list": parquetcolumns.Other, "ratio": parquetcolumns.Other,
	}, kinds); diff != "" || f.Rows() != n {
		t.Fatalf("%d rows, kinds (-want +got):\n%s", f.Rows(), diff)
	}
	var all []string
	for i := range n {
		all = append(all, want(i))
	}
	if diff := cmp.Diff(all, told(t, f.Scan(0, 1, 2, 3, 4))); diff != "" {
		t.Errorf("all rows (-want +got):\n%s", diff)
	}
	for _, numbers := range [][]int64{nil, {0}, {999}, {399, 400, 401}, {5, 5, 6, 800, 800}, {799, 999}} {
		var some []string
		for _, n := range numbers {
			some = append(some, want(int(n)))
		}
		s, err := f.Lookup(numbers, 0, 1, 2, 3, 4)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(some, told(t, s)); diff != "" {
			t.Errorf("rows %v (-want +got):\n%s", numbers, diff)
		}
	}
	for _, numbers := range [][]int64{{-1}, {1_000}, {3, 2}} {
		if _, err := f.Lookup(numbers, 0); err == nil {
			t.Errorf("rows %v: no error", numbers)
		}
	}
	if got := told(t, f.Scan()); len(got) != n {
		t.Errorf("without columns: %d rows", len(got))
	}
}

// Read by the decoder, runs of truths come out as others (delete markers as
// objects, and so as orphans), and LZ4 sometimes as another text. The files are
// pyarrow 26's: one column of nine truths and eleven that are not.
func TestWhatTheDecoderGetsWrongIsRefused(t *testing.T) {
	for name, says := range map[string]string{"truths-in-runs": "run-length", "lz4": "LZ4"} {
		content, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquetcolumns.Open(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		s := f.Scan(0)
		defer s.Close()
		if _, _, _, err := s.Next(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
