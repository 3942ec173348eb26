package parquetcolumns_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/strandline-dev/strandline/shared/parquetcolumns"
)

// laidPage is a page of an optional column of text, or of numbers as text of
// eight bytes, laid out as it says: pages that the writers at hand do not make,
// and others do.
type laidPage struct {
	values []*string
	number bool // each page of the column
	v1     bool
	packed bool // with Snappy; a page of version 1 always is
	repeat bool // it has levels of repetition, which say that nothing repeats
	empty  bool // nothing is packed where nothing is there, though the page says it is
	both   bool // of version 1, and says in the words of version 2 that it is not packed, which it is not
}

// laid writes columns of such pages as one row group.
func laid(t *testing.T, columns ...[]laidPage) []byte {
	t.Helper()
	rows := 0
	for _, page := range columns[0] {
		rows += len(page.values)
	}
	file := []byte("PAR1")
	schema := []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(len(columns)))}}
	var chunks []format.ColumnChunk
	for i, pages := range columns {
		name, kind := fmt.Sprint("text", i), format.ByteArray
		if pages[0].number {
			kind = format.Int64
		}
		schema = append(schema, format.SchemaElement{Name: name, Type: thrift.New(kind), RepetitionType: thrift.New(format.Optional)})
		at := int64(len(file))
		for _, page := range pages {
			file = append(file, page.bytes(t)...)
		}
		chunks = append(chunks, format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: kind, Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: []string{name}, Codec: format.Snappy,
			NumValues: int64(rows), DataPageOffset: at, TotalCompressedSize: int64(len(file)) - at, TotalUncompressedSize: int64(len(file)) - at,
		}})
	}
	footer := marshaled(t, &format.FileMetaData{
		Version: 2, Schema: schema, NumRows: int64(rows), RowGroups: []format.RowGroup{{Columns: chunks, NumRows: int64(rows)}},
	})
	file = binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer)))
	return append(file, "PAR1"...)
}

func (p *laidPage) bytes(t *testing.T) []byte {
	var body []byte
	runs := binary.AppendUvarint(nil, uint64(len(p.values)+7)/8<<1|1)
	bits := make([]byte, (len(p.values)+7)/8)
	nulls := 0
	for i, v := range p.values {
		if v == nil {
			nulls++
			continue
		}
		bits[i>>3] |= 1 << (i & 7)
		if !p.number {
			body = binary.LittleEndian.AppendUint32(body, uint32(len(*v)))
		}
		body = append(body, *v...)
	}
	runs = append(runs, bits...)
	h := format.PageHeader{Type: format.DataPageV2, UncompressedPageSize: int32(len(runs) + len(body))}
	if p.v1 {
		body = append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...), body...)
		h.Type, h.UncompressedPageSize = format.DataPage, int32(len(body))
		h.DataPageHeader = thrift.New(format.DataPageHeader{
			NumValues: int32(len(p.values)), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		})
		if runs = nil; p.both {
			h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{NumValues: int32(len(p.values)), NumRows: int32(len(p.values)), IsCompressed: thrift.New(false)})
		}
	} else {
		h.DataPageHeaderV2 = thrift.New(format.DataPageHeaderV2{
			NumValues: int32(len(p.values)), NumNulls: int32(nulls), NumRows: int32(len(p.values)), Encoding: format.Plain,
			DefinitionLevelsByteLength: int32(len(runs)), IsCompressed: thrift.New(p.packed || p.empty),
		})
		if p.repeat {
			ahead := append(binary.AppendUvarint(nil, uint64(len(p.values))<<1), 0)
			h.DataPageHeaderV2.V.RepetitionLevelsByteLength = int32(len(ahead))
			h.UncompressedPageSize += int32(len(ahead))
			runs = append(ahead, runs...)
		}
	}
	if (p.packed || p.v1) && !p.empty && !p.both {
		body = snappy.Encode(nil, body)
	}
	h.CompressedPageSize = int32(len(runs) + len(body))
	return append(append(marshaled(t, &h), runs...), body...)
}

func marshaled(t *testing.T, v any) []byte {
	t.Helper()
	b, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// texts are values of about a length, a share of which is there.
func texts(r *rand.Rand, n, length int, share float64) []*string {
	values := make([]*string, n)
	for i := range values {
		if r.Float64() < share {
			values[i] = new(fmt.Sprintf("%d/%s", r.IntN(1000), strings.Repeat(string(rune('a'+r.IntN(26))), length)))
		}
	}
	return values
}

// toldOf is what must be told of columns of the same number of rows.
func toldOf(columns ...[]laidPage) (lines []string) {
	for i, pages := range columns {
		row := 0
		for _, page := range pages {
			for _, v := range page.values {
				if i == 0 {
					lines = append(lines, fmt.Sprint(row, ":"))
				}
				lines[row] += page.told(v)
				row++
			}
		}
	}
	return lines
}

func (p *laidPage) told(v *string) string {
	switch {
	case v == nil && p.number:
		return fmt.Sprint(" ", parquetcolumns.None)
	case p.number:
		return fmt.Sprint(" ", int64(binary.LittleEndian.Uint64([]byte(*v))))
	case v == nil:
		return ` ""`
	}
	return fmt.Sprintf(" %q", *v)
}

// checkTold reads all rows, then some, which are given by their numbers.
func checkTold(t *testing.T, what string, numbers []int64, columns ...[]laidPage) {
	t.Helper()
	f := open(t, laid(t, columns...))
	if n := f.Plain(); n != len(columns) {
		t.Fatalf("%s: %d of %d columns are read as plain: the test looks at nothing", what, n, len(columns))
	}
	var indexes []int
	for i := range columns {
		indexes = append(indexes, i)
	}
	want := toldOf(columns...)
	if diff := cmp.Diff(want, told(t, f.Scan(indexes...))); diff != "" {
		t.Fatalf("%s: all rows (-want +got):\n%s", what, diff)
	}
	var some []string
	for _, n := range numbers {
		some = append(some, want[n])
	}
	s, err := f.Lookup(numbers, indexes...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(some, told(t, s)); diff != "" {
		t.Fatalf("%s: rows %v (-want +got):\n%s", what, numbers, diff)
	}
}

// Pages that are taken together, up to seven in a column, of any version, packed
// or not, of one size or of several: each comes in its turn, with its own values
// and its own levels.
func TestPagesOfEveryKindComeInTheirTurn(t *testing.T) {
	for seed := range uint64(bounded(300)) {
		r := rand.New(rand.NewPCG(seed, 8))
		column := func(rows, each int) (pages []laidPage) {
			length, unlike := r.IntN(60), r.IntN(3) == 0
			v1, packed := r.IntN(3), r.IntN(3)
			for rows > 0 {
				page := laidPage{v1: v1 == 0 || v1 == 1 && r.IntN(2) == 0, packed: packed > 0 || r.IntN(3) == 0}
				if unlike {
					length = r.IntN(200)
				}
				page.values = texts(r, min(rows, each), length, []float64{0, 1, 1, r.Float64(), r.Float64()}[r.IntN(5)])
				pages = append(pages, page)
				rows -= each
			}
			return pages
		}
		each := 1 + r.IntN(300)
		rows := each*(1+r.IntN(7)) - r.IntN(each)
		columns := [][]laidPage{column(rows, each), column(rows, each), column(rows, 1+each/2)}
		var numbers []int64
		for n := range rows {
			if r.IntN(1+rows/8) == 0 {
				numbers = append(numbers, int64(n))
			}
		}
		checkTold(t, fmt.Sprint("seed ", seed), numbers, columns...)
	}
}

// Two optional columns share the room of what is packed, where the levels of
// pages of version 2 lie. Were they taken from there, the first column's rows
// would be there and not there as the second's are: keys and versions that
// nobody has.
func TestLevelsOfPagesThatAreTakenTogetherAreTheirColumnsOwn(t *testing.T) {
	column := func(there func(row int) bool) (pages []laidPage) {
		for p := range 3 {
			values := make([]*string, 400)
			for i := range values {
				if there(i) {
					values[i] = new(fmt.Sprintf("%d of page %d", i, p))
				}
			}
			pages = append(pages, laidPage{values: values, packed: true})
		}
		return pages
	}
	checkTold(t, "two columns", []int64{0, 399, 400, 401, 1_199},
		column(func(row int) bool { return row%2 == 0 }), column(func(row int) bool { return row%3 == 0 }))
}

// Of a page that is looked at again only so much is unpacked as its rows have on
// the average. Where the first of them are longer than that, the rest is fetched;
// without (whole) the row would be an error, or one before it. The pages behind
// it lie where they lay.
func TestRowsThatAreLongerThanTheRestAreFoundAgain(t *testing.T) {
	const rows, long = 1_500, 20
	for name, v1 := range map[string]bool{"version 1": true, "version 2": false} {
		for _, share := range []float64{1, 0.7} {
			r := rand.New(rand.NewPCG(9, 9))
			var pages []laidPage
			for range 4 {
				values := texts(r, rows, 3, share)
				for i := 0; i < long; i += 2 {
					var text strings.Builder
					for range 60 { // short elements of Snappy, so that it can stop
						fmt.Fprintf(&text, "%08x and then what is always the same ", r.Uint32())
					}
					values[i] = new(text.String())
				}
				pages = append(pages, laidPage{values: values, v1: v1, packed: true})
			}
			for _, numbers := range [][]int64{
				{0}, {long + 1}, {rows - 1}, {0, rows - 1, rows, 2 * rows, 4*rows - 1},
				{2, rows + 2, 2*rows + 2}, // in the middle of whose value it ends
				{1, long - 2, rows + 5, rows + long, 2*rows + 7, 2*rows + long - 1, 3*rows + 1, 4*rows - 1},
				{long - 2, long - 1, long, long + 1, rows + long - 2, 2*rows + long - 4, 2*rows + long - 2},
			} {
				checkTold(t, name, numbers, pages, pages)
			}
		}
	}
}

// Numbers are all of one length, but the first rows may be the only ones that
// have any.
func TestNumbersThatAreAllAheadAreFoundAgain(t *testing.T) {
	const rows, there = 20_000, 2_000
	r := rand.New(rand.NewPCG(13, 13))
	var pages []laidPage
	for range 3 {
		values := make([]*string, rows)
		for i := range there {
			values[i] = new(string(binary.LittleEndian.AppendUint64(nil, r.Uint64N(1<<20))))
		}
		pages = append(pages, laidPage{values: values, number: true, packed: true})
	}
	checkTold(t, "numbers", []int64{0, there - 1, there, rows, rows + there - 1, 2*rows + there - 2, 2*rows + there - 1, 2*rows + there + 5}, pages)
}

// In a page of version 1 the levels are packed with the values, and may be most
// of it: were only its share unpacked, the first row would be an error.
func TestFirstRowOfAPageThatIsMostlyLevelsIsFoundAgain(t *testing.T) {
	var pages []laidPage
	for i := range uint64(3) {
		pages = append(pages, laidPage{values: texts(rand.New(rand.NewPCG(i, 11)), 60_000, 0, 0.01), v1: true, packed: true})
	}
	s, err := open(t, laid(t, pages)).Lookup([]int64{0, 60_000, 120_000}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := toldOf(pages)
	if diff := cmp.Diff([]string{want[0], want[60_000], want[120_000]}, told(t, s)); diff != "" {
		t.Error(diff)
	}
}

// Nothing at all stands for no values, though the page says that it is packed:
// Spark writes pages of version 2 like that (apache/parquet-java#3122). Such a
// list would be refused.
func TestPageWithoutValuesMayHaveNothingPacked(t *testing.T) {
	var pages []laidPage
	for i := range 5 {
		pages = append(pages, laidPage{values: make([]*string, 50), packed: i%2 == 0, empty: true})
		pages = append(pages, laidPage{values: []*string{new("there"), nil, new("")}, packed: true})
	}
	checkTold(t, "no values", []int64{0, 49, 50, 51, 264}, pages)
}

// Some writers put levels of repetition into pages of columns that do not repeat
// (apache/parquet-testing#24), ahead of those that say what is there. Were they
// taken for these, no row would have a value.
func TestLevelsOfRepetitionAreNotTakenForOthers(t *testing.T) {
	pages := []laidPage{{values: texts(rand.New(rand.NewPCG(12, 12)), 60, 5, 0.7), packed: true, repeat: true}}
	f, want := open(t, laid(t, pages)), toldOf(pages)
	if diff := cmp.Diff(want, told(t, f.Scan(0))); diff != "" {
		t.Errorf("all rows (-want +got):\n%s", diff)
	}
	s, err := f.Lookup([]int64{7}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[7:8], told(t, s)); diff != "" {
		t.Errorf("a row (-want +got):\n%s", diff)
	}
}

// A page of version 1 whose header says what only one of version 2 can, here that
// it is not packed, is not read by what it says: the library would not. Levels
// that it stated would be cut off its values, and its rows would be others.
func TestPageOfVersion1ThatSpeaksAsOneOfVersion2IsAnError(t *testing.T) {
	s := open(t, laid(t, []laidPage{{values: texts(rand.New(rand.NewPCG(14, 14)), 60, 5, 0.7), v1: true, both: true}})).Scan(0)
	defer s.Close()
	if _, _, n, err := s.Next(); err == nil {
		t.Errorf("no error, and %d rows", n)
	}
}

// The last value of a page ends behind the page, where bytes of the one before it
// still lie in the room. Were they taken, the value would be another's, in part
// or whole: each of (plainBytes), (plainNumbers) and (valueOfRow) has to see that
// what it took was the page's.
func TestValueThatEndsBehindItsPageIsAnError(t *testing.T) {
	number := func(n int) *string { return new(strings.Repeat("n", n)) }
	for name, last := range map[string]laidPage{
		"texts":                   {values: []*string{new("there"), new("last")}},
		"texts, some not there":   {values: []*string{nil, new("there"), new("last")}},
		"numbers":                 {values: []*string{number(8), number(4)}, number: true},
		"numbers, some not there": {values: []*string{nil, number(8), number(4)}, number: true},
		"a number less":           {values: []*string{number(8), number(0)}, number: true},
	} {
		before := laidPage{values: slices.Repeat([]*string{number(8)}, 50), number: last.number}
		file := laid(t, []laidPage{before, last})
		if at := bytes.LastIndex(file, []byte("\x04\x00\x00\x00last")); at >= 0 {
			file[at] = 9
		}
		s := open(t, file).Scan(0)
		defer s.Close()
		if _, _, n, err := s.Next(); err != nil || n != 50 {
			t.Fatalf("%s: %d rows, %v", name, n, err)
		}
		if values, _, n, err := s.Next(); err == nil {
			t.Errorf("%s: no error, and %d rows: %q %d", name, n, values[0].Bytes, values[0].Numbers)
		}
	}
}

// A row that is looked at again, whatever is damaged of its page: an error or
// what the row says, where the damage lies behind what is wanted; where all that
// is left of the page is gone, an error.
func TestDamagedPageThatIsLookedAtAgainIsAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	var pages []laidPage
	for range 3 {
		pages = append(pages, laidPage{values: texts(r, 2_000, 20, 0.9), packed: true})
	}
	file, want := laid(t, pages), toldOf(pages)
	size := (len(file) - 200) / 3 // of a page, about
	for _, test := range []struct {
		name          string
		row, from, to int
		errors        bool
	}{
		{"behind the row", 10, size - 2_000, size - 100, false},
		{"before the row", 1_990, size / 3, size / 2, true},
		{"at its end, before the last row", 1_999, size - 200, size - 100, true},
	} {
		damaged := bytes.Clone(file)
		for i := test.from; i < test.to; i++ {
			damaged[i] = 0xff // a copy from farther than anything is
		}
		// A row of each page, so that they are taken together.
		s, err := open(t, damaged).Lookup([]int64{int64(test.row), 2_000, 4_000}, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		values, _, n, err := s.Next()
		switch {
		case err != nil:
			t.Log(test.name, err)
		case test.errors:
			t.Errorf("%s: no error, and %d rows", test.name, n)
		case n != 1 || fmt.Sprintf("%d: %q", test.row, values[0].Bytes[0]) != want[test.row]:
			t.Errorf("%s: it says another row", test.name)
		}
	}
}
