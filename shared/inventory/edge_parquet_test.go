package inventory_test

import (
	"bytes"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// parquetOf is rows as a Parquet file.
func parquetOf[R any](t testing.TB, rows []R, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readParquet(content []byte) ([]inventory.Row, error) {
	return read(inventoryOf(inventory.Parquet, "message s3.inventory { }", content))
}

// s3Row is the columns as S3 writes them.
type s3Row struct {
	Bucket   string     `parquet:"bucket"`
	Key      string     `parquet:"key"`
	Version  *string    `parquet:"version_id,optional"`
	Latest   *bool      `parquet:"is_latest,optional"`
	Marker   *bool      `parquet:"is_delete_marker,optional"`
	Size     *int64     `parquet:"size,optional"`
	Modified *time.Time `parquet:"last_modified_date,optional,timestamp(millisecond)"`
	ETag     *string    `parquet:"e_tag,optional"`
	Class    *string    `parquet:"storage_class,optional"`
}

func pointer[T any](v T) *T { return &v }

var (
	november = time.Date(2026, 11, 1, 1, 0, 0, 123e6, time.UTC)

	someS3 = []s3Row{
		{"b", "k", pointer("v"), pointer(true), pointer(false), pointer(int64(7)), &november, pointer("e"), pointer("STANDARD")},
		{"b", "a%20b+c", nil, pointer(false), pointer(true), nil, &november, nil, nil},
		{"b", "\xff\x00é", pointer(""), nil, nil, pointer(int64(0)), nil, pointer(`"quoted"`), nil},
	}
	someRows = []inventory.Row{
		{Bucket: []byte("b"), Key: []byte("k"), VersionID: []byte("v"), ETag: []byte("e"), Size: 7, LastModified: november.UnixMilli(), Latest: inventory.Yes, Marker: inventory.No},
		{Bucket: []byte("b"), Key: []byte("a%20b+c"), VersionID: []byte("null"), Size: inventory.NoSize, LastModified: november.UnixMilli(), Latest: inventory.No, Marker: inventory.Yes, Number: 1},
		{Bucket: []byte("b"), Key: []byte("\xff\x00é"), VersionID: []byte("null"), ETag: []byte("quoted"), Size: 0, LastModified: inventory.NoTime, Number: 2},
	}
)

// Decoding a key of Parquet turns "a+b" into "a b": one more orphan, and one
// more missing.
func TestEdge09And10And11KeysOfParquetAreTakenAsTheyAre(t *testing.T) {
	rows, err := readParquet(parquetOf(t, someS3))
	if diff := cmp.Diff(someRows, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestEdge07And15ParquetWithoutColumnsIsUnknown(t *testing.T) {
	type bare struct {
		Key    string `parquet:"key"`
		Bucket string `parquet:"bucket"`
	}
	rows, err := readParquet(parquetOf(t, []bare{{"k", "b"}}))
	want := []inventory.Row{{Bucket: []byte("b"), Key: []byte("k"), Size: inventory.NoSize, LastModified: inventory.NoTime}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	type keyless struct {
		Bucket string `parquet:"bucket"`
	}
	if _, err := readParquet(parquetOf(t, []keyless{{"b"}})); err == nil || !strings.Contains(err.Error(), "Key") {
		t.Errorf("no key: %v", err)
	}
}

func TestParquetIsReadInEveryCompressionPageAndGroup(t *testing.T) {
	var rows []s3Row
	var want []inventory.Row
	for i := range 240 {
		row, read := someS3[i%3], someRows[i%3]
		row.Key += strings.Repeat("x", i%50)
		read.Key = append(bytes.Clone(read.Key), strings.Repeat("x", i%50)...)
		read.Number = int64(i)
		rows, want = append(rows, row), append(want, read)
	}
	for name, codec := range map[string]compress.Codec{
		"uncompressed": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd,
	} {
		for _, version := range []int{1, 2} {
			for _, page := range []int{256, 1 << 20} {
				content := parquetOf(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(page), parquet.MaxRowsPerRowGroup(100))
				got, err := readParquet(content)
				if err != nil || !reflect.DeepEqual(want, got) {
					t.Errorf("%s, pages of version %d and %d bytes: %v\n%.600s", name, version, page, err, cmp.Diff(want, got))
				}
			}
		}
	}
}

// The columns as other writers have them.
type (
	dictionaryRow struct {
		Bucket   string     `parquet:"bucket,dict"`
		Key      string     `parquet:"key,dict"`
		Version  *string    `parquet:"version_id,optional,dict"`
		Latest   *bool      `parquet:"is_latest,optional"`
		Marker   *bool      `parquet:"is_delete_marker,optional"`
		Size     *int64     `parquet:"size,optional,dict"`
		Modified *time.Time `parquet:"last_modified_date,optional,timestamp(millisecond),dict"`
		ETag     *string    `parquet:"e_tag,optional,dict"`
	}
	deltaRow struct {
		Bucket   []byte     `parquet:"Bucket,delta"`
		Key      []byte     `parquet:"Key,delta"`
		Version  []byte     `parquet:"VersionId,optional,delta"`
		Latest   *bool      `parquet:"IsLatest,optional"`
		Marker   *bool      `parquet:"IsDeleteMarker,optional"`
		Size     *int64     `parquet:"Size,optional"`
		Modified *time.Time `parquet:"LastModifiedDate,optional,timestamp(microsecond)"`
		ETag     *string    `parquet:"ETag,optional"`
	}
	nanoRow struct {
		ETag     *string    `parquet:"ETAG,optional"`
		Modified *time.Time `parquet:"LAST_MODIFIED_DATE,optional,timestamp(nanosecond)"`
		Size     *int32     `parquet:"SIZE,optional"`
		Marker   *string    `parquet:"is_delete_marker,optional"`
		Latest   *string    `parquet:"is_latest,optional"`
		Version  *string    `parquet:"version_id,optional"`
		Key      *string    `parquet:"key,optional"`
		Bucket   *string    `parquet:"bucket,optional"`
	}
	textRow struct {
		Bucket   string `parquet:"bucket"`
		Key      string `parquet:"key"`
		Version  string `parquet:"version_id"`
		Latest   string `parquet:"is_latest"`
		Marker   string `parquet:"is_delete_marker"`
		Size     string `parquet:"size"`
		Modified string `parquet:"last_modified_date"`
		ETag     string `parquet:"e_tag"`
	}
)

func TestParquetOfEveryLayoutGivesTheSameRows(t *testing.T) {
	var dictionary []dictionaryRow
	var delta []deltaRow
	var nano []nanoRow
	var text []textRow
	word := func(b *bool) *string {
		if b == nil {
			return nil
		}
		return pointer(map[bool]string{true: "true", false: "False"}[*b])
	}
	cell := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for _, r := range someS3 {
		var small *int32
		var size, modified string
		if r.Size != nil {
			small, size = pointer(int32(*r.Size)), string(rune('0'+*r.Size))
		}
		if r.Modified != nil {
			modified = r.Modified.Format(time.RFC3339Nano)
		}
		dictionary = append(dictionary, dictionaryRow{r.Bucket, r.Key, r.Version, r.Latest, r.Marker, r.Size, r.Modified, r.ETag})
		delta = append(delta, deltaRow{[]byte(r.Bucket), []byte(r.Key), []byte(cell(r.Version)), r.Latest, r.Marker, r.Size, r.Modified, r.ETag})
		nano = append(nano, nanoRow{r.ETag, r.Modified, small, word(r.Marker), word(r.Latest), r.Version, &r.Key, &r.Bucket})
		text = append(text, textRow{r.Bucket, r.Key, cell(r.Version), cell(word(r.Latest)), cell(word(r.Marker)), size, modified, cell(r.ETag)})
	}
	for name, content := range map[string][]byte{
		"dictionaries": parquetOf(t, dictionary), "deltas, microseconds, byte arrays, names of CSV": parquetOf(t, delta),
		"nanoseconds, small sizes, words": parquetOf(t, nano), "text": parquetOf(t, text),
	} {
		rows, err := readParquet(content)
		if diff := cmp.Diff(someRows, rows); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestOldTimestampsAreRead(t *testing.T) {
	type int96Row struct {
		Bucket   string           `parquet:"bucket"`
		Key      string           `parquet:"key"`
		Modified deprecated.Int96 `parquet:"last_modified_date"`
	}
	nanos := uint64(3600e9 + 123456789) // 01:00:00.123456789
	row := int96Row{"b", "k", deprecated.Int96{uint32(nanos), uint32(nanos >> 32), 2440588 + 20_758}}
	rows, err := readParquet(parquetOf(t, []int96Row{row}))
	if err != nil || rows[0].LastModified != millis("2026-11-01T01:00:00.123Z") {
		t.Errorf("%v, %v", rows, err)
	}
}

// Without the error a number of days or an instant of unknown unit is a time in
// 1970, and every unowned version is old enough to be an orphan.
func TestColumnOfATypeThatItCannotHaveIsAnError(t *testing.T) {
	type plainTime struct {
		Bucket   string `parquet:"bucket"`
		Key      string `parquet:"key"`
		Modified int64  `parquet:"last_modified_date"`
	}
	type dates struct {
		Bucket   string `parquet:"bucket"`
		Key      string `parquet:"key"`
		Modified int32  `parquet:"last_modified_date,date"`
	}
	type numbers struct {
		Bucket string `parquet:"bucket"`
		Key    int64  `parquet:"key"`
	}
	type doubles struct {
		Bucket string  `parquet:"bucket"`
		Key    string  `parquet:"key"`
		Size   float64 `parquet:"size"`
	}
	type flags struct {
		Bucket string `parquet:"bucket"`
		Key    string `parquet:"key"`
		Latest int32  `parquet:"is_latest"`
	}
	type lists struct {
		Bucket string   `parquet:"bucket"`
		Key    []string `parquet:"key"`
	}
	type twice struct {
		Bucket string `parquet:"bucket"`
		Key    string `parquet:"key"`
		Tag    string `parquet:"e_tag"`
		Other  string `parquet:"ETag"`
	}
	for name, content := range map[string][]byte{
		"time without a unit": parquetOf(t, []plainTime{{"b", "k", 1}}), "dates": parquetOf(t, []dates{{"b", "k", 1}}),
		"keys of numbers": parquetOf(t, []numbers{{"b", 1}}), "sizes of fractions": parquetOf(t, []doubles{{"b", "k", 1}}),
		"flags of numbers": parquetOf(t, []flags{{"b", "k", 1}}), "lists of keys": parquetOf(t, []lists{{"b", []string{"k"}}}),
		"two of a name": parquetOf(t, []twice{{"b", "k", "e", "f"}}),
	} {
		if rows, err := readParquet(content); err == nil || len(rows) > 0 {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

func TestNestedAndRepeatedColumnsNobodyNeedsArePassedOver(t *testing.T) {
	type grant struct {
		Key  string `parquet:"key"`
		Size int64  `parquet:"size"`
	}
	type row struct {
		Grants []grant           `parquet:"object_access_control_list"`
		Owner  struct{ ID int }  `parquet:"object_owner"`
		Tags   map[string]string `parquet:"tags"`
		Bucket string            `parquet:"bucket"`
		Key    string            `parquet:"key"`
		Size   int64             `parquet:"size"`
	}
	rows, err := readParquet(parquetOf(t, []row{{Grants: []grant{{"x", 1}, {"y", 2}}, Tags: map[string]string{"a": "b"}, Bucket: "b", Key: "k", Size: 9}, {Bucket: "b", Key: "l"}}))
	if err != nil || len(rows) != 2 || string(rows[0].Key) != "k" || rows[0].Size != 9 || string(rows[1].Key) != "l" {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestEdge06ParquetRowOfAnotherBucketOrWithoutKeyIsAnError(t *testing.T) {
	for name, bad := range map[string]s3Row{"other bucket": {Bucket: "other", Key: "k"}, "no key": {Bucket: "b"}, "negative size": {Bucket: "b", Key: "k", Size: pointer(int64(-5))}} {
		if _, err := readParquet(parquetOf(t, []s3Row{someS3[0], bad})); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestEmptyParquetHasNoRows(t *testing.T) {
	rows, err := readParquet(parquetOf(t, []s3Row{}))
	if err != nil || len(rows) > 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// Without the comparison with the footer a file that lost a row group or a page
// is a shorter inventory.
func TestEdge31ParquetWithOtherRowsThanItsFooterStatesFails(t *testing.T) {
	rows := make([]s3Row, 0, 1000)
	for i := range 1000 {
		row := someS3[0]
		row.Key = strings.Repeat("k", 1+i%40)
		rows = append(rows, row)
	}
	content := parquetOf(t, rows, parquet.PageBufferSize(512), parquet.MaxRowsPerRowGroup(500), parquet.Compression(&parquet.Uncompressed))
	if got, err := readParquet(content); err != nil || len(got) != 1000 {
		t.Fatal(len(got), err)
	}
	// 1,000 and 500 are varints of the footer: make them other numbers
	footer := len(content) - 8 - int(content[len(content)-8]) - int(content[len(content)-7])<<8 - int(content[len(content)-6])<<16
	for name, change := range map[string][2]string{
		"fewer in all": {"\xd0\x0f", "\xce\x0f"}, "more in all": {"\xd0\x0f", "\xd2\x0f"},
		"fewer in a group": {"\xe8\x07", "\xe6\x07"}, "more in a group": {"\xe8\x07", "\xea\x07"},
	} {
		changed := append(bytes.Clone(content[:footer]), bytes.ReplaceAll(content[footer:], []byte(change[0]), []byte(change[1]))...)
		if bytes.Equal(changed, content) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if got, err := readParquet(changed); err == nil {
			t.Errorf("%s: %d rows and no error", name, len(got))
		}
	}
}

func TestWithoutETagTheRestIsTheSame(t *testing.T) {
	k := inventoryOf(inventory.Parquet, "", parquetOf(t, someS3))
	files, key, err := inventory.Local(k.inFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	r, err := inventory.Open(t.Context(), files, key, inventory.Options{WithoutETag: true})
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int64
	for i := range someRows {
		numbers = append(numbers, int64(i))
	}
	for name, rows := range map[string]iter.Seq2[*inventory.Row, error]{
		"read": r.Rows(t.Context(), 0), "looked up": r.Lookup(t.Context(), 0, numbers),
	} {
		n := 0
		for row, err := range rows {
			if err != nil {
				t.Fatal(name, err)
			}
			want := someRows[n]
			want.ETag = nil
			if diff := cmp.Diff(want, clone(row)); diff != "" {
				t.Error(name, diff)
			}
			n++
		}
		if n != len(someRows) {
			t.Errorf("%s: %d rows of %d", name, n, len(someRows))
		}
	}
}
