package manifest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// written is a Parquet file of the rows.
func written[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// whole is a row with every column, all but two optional.
type whole struct {
	Extra    []string  `parquet:"extra,list"`
	Bucket   string    `parquet:"bucket,dict"`
	Key      *string   `parquet:"key,optional"`
	Key64    *string   `parquet:"key_base64,optional"`
	Version  *string   `parquet:"version_id,optional,dict"`
	Size     *int64    `parquet:"size,optional"`
	ETag     *string   `parquet:"etag,optional,plain"`
	Recorded time.Time `parquet:"recorded_at,optional,timestamp(microsecond)"`
	State    *string   `parquet:"state,optional"`
	Tenant   *string   `parquet:"tenant,optional"`
	Upload   *string   `parquet:"upload,optional"`
}

func TestAParquetListSaysWhatItsColumnsSay(t *testing.T) {
	at := time.Date(2026, 11, 1, 1, 0, 0, 500_999_000, time.UTC)
	list := written(t, []whole{
		{nil, "b", new("k"), nil, new("v"), new(int64(0)), new(`"e"`), at, new("live"), new("t"), new("u")},
		{[]string{"x", "y"}, "b", new("a%20b+c"), new(""), nil, nil, nil, time.Time{}, nil, nil, nil},
		{nil, "b2", nil, new("/wBh"), new(""), new(int64(7)), new(""), at, new("deleted"), new(""), new("")},
	})
	want := []kept{
		{Bucket: "b", Key: "k", Version: "v", ETag: "e", At: at.UnixMilli(), Tenant: "t", Upload: "u"},
		plain("a%20b+c", 1),
		{Bucket: "b2", Key: "\xff\x00a", Size: 7, At: at.UnixMilli(), State: Deleted, Number: 2},
	}
	for _, name := range []string{"l.parquet", "list"} {
		got, err := read(t.Context(), shelf{name: list}, name)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// pandas writes a column that is empty in every row without a type: refusing
// it, a list that says nothing of ETags could not be read.
func TestAParquetColumnOfNothingIsAnAbsentOne(t *testing.T) {
	list, err := os.ReadFile("testdata/nothing.parquet") // pyarrow 26's; etag, tenant, size, recorded_at are nothing
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t.Context(), shelf{"l.parquet": list}, "l.parquet")
	if diff := cmp.Diff([]kept{plain("k", 0), plain("l", 1)}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestInstantsAndSizesOfEveryParquetTypeAreRead(t *testing.T) {
	at := time.Date(2026, 11, 1, 1, 0, 0, 123_000_000, time.UTC)
	old := time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	julian := func(at time.Time) deprecated.Int96 {
		nanos := uint64(at.UnixNano()) % 86_400_000_000_000
		return deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(at.Unix()/86_400) + 2_440_588}
	}
	type millis struct {
		Bucket, Key string
		At          time.Time `parquet:"recorded_at,timestamp(millisecond)"`
		Size        int32     `parquet:"size"`
	}
	type nanos struct {
		Bucket, Key string
		At          time.Time `parquet:"recorded_at,timestamp(nanosecond)"`
		Size        uint32    `parquet:"size"`
	}
	type text struct {
		Bucket, Key string
		At          string `parquet:"recorded_at"`
		Size        string `parquet:"size"`
	}
	type hive struct {
		Bucket, Key string
		At          deprecated.Int96 `parquet:"recorded_at"`
		Size        int64            `parquet:"size,delta"`
	}
	for name, list := range map[string][]byte{
		"milliseconds, 32 bits": written(t, []millis{{"b", "k", at, 7}}),
		"nanoseconds, unsigned": written(t, []nanos{{"b", "k", at, 7}}),
		"text":                  written(t, []text{{"b", "k", "2026-11-01T01:00:00.123Z", "7"}}),
		"days and nanoseconds":  written(t, []hive{{"b", "k", julian(at), 7}}),
	} {
		got, err := read(t.Context(), shelf{"l.parquet": list}, "l.parquet")
		want := []kept{{Bucket: "b", Key: "k", Size: 7, At: at.UnixMilli()}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	got, err := read(t.Context(), shelf{"l.parquet": written(t, []nanos{{"b", "k", old, 0}})}, "l.parquet")
	if err != nil || got[0].At != -1 {
		t.Errorf("before 1970: %v, %v", got, err)
	}
}

func TestAParquetListThatIsWrongIsRefusedWithItsPlace(t *testing.T) {
	type one struct {
		Bucket string `parquet:"bucket"`
		Key    string `parquet:"key"`
		Key64  string `parquet:"key_base64,delta"`
		State  string `parquet:"state"`
		Size   int64  `parquet:"size"`
	}
	rows := func(n int, last one) []byte {
		all := make([]one, n)
		for i := range all {
			all[i] = one{Bucket: "b", Key: fmt.Sprint("secret", i)}
		}
		return written(t, append(all, last), parquet.MaxRowsPerRowGroup(1_000))
	}
	type keyless struct {
		Bucket string `parquet:"bucket"`
		Name   string `parquet:"name"`
	}
	type numbers struct {
		Bucket string `parquet:"bucket"`
		Key    int64  `parquet:"key"`
	}
	type repeated struct {
		Bucket string   `parquet:"bucket"`
		Key    []string `parquet:"key"`
	}
	type epoch struct {
		Bucket   string `parquet:"bucket"`
		Key      string `parquet:"key"`
		Recorded int64  `parquet:"recorded_at"`
	}
	type ratio struct {
		Bucket string  `parquet:"bucket"`
		Key    string  `parquet:"key"`
		Size   float64 `parquet:"size"`
	}
	good := rows(10, one{Bucket: "b", Key: "k"})
	for name, c := range map[string]struct {
		list []byte
		want string
	}{
		"no bytes":                  {nil, "read key list 1: it is empty"},
		"a text":                    {[]byte("bucket,key\n"), "its footer"},
		"cut off":                   {good[:len(good)-20], "its footer"},
		"no key":                    {written(t, []keyless{{"b", "secret"}}), `read key list 1: the columns are "bucket", "name": bucket is needed, and key or key_base64`},
		"keys that are numbers":     {written(t, []numbers{{"b", 7}}), "the column key is not text"},
		"keys that are lists":       {written(t, []repeated{{"b", []string{"secret"}}}), "the column key is not text"},
		"instants that are numbers": {written(t, []epoch{{"b", "secret", 7}}), "the column recorded_at is neither a timestamp nor text"},
		"sizes that are fractions":  {written(t, []ratio{{"b", "secret", 7}}), "the column size is neither"},
		"an empty bucket":           {rows(2_999, one{Key: "secret"}), "row 3,000: bucket is empty"},
		"an empty key":              {rows(300, one{Bucket: "b"}), "row 301: key is empty"},
		"other bytes":               {rows(0, one{Bucket: "b", Key: "secret\xff"}), "row 1: key is not UTF-8"},
		"two keys":                  {rows(3, one{Bucket: "b", Key: "secret", Key64: "YQ=="}), "row 4: both key and key_base64"},
		"base64 that is none":       {rows(3, one{Bucket: "b", Key64: "secret!"}), "row 4: key_base64 is not base64"},
		"a negative size":           {rows(3, one{Bucket: "b", Key: "secret", Size: -1}), "row 4: size is not a whole number"},
		"a state of another kind":   {rows(3, one{Bucket: "b", Key: "secret", State: "gone"}), "row 4: state is neither"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t.Context(), shelf{"l.parquet": c.list}, "l.parquet")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want …%s…", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error names a key: %v", err)
			}
		})
	}
}

// numbered is a list of n rows over several row groups and many pages; every
// third version is absent.
func numbered(t testing.TB, n int) []byte {
	rows := make([]whole, n)
	for i := range rows {
		rows[i] = whole{Bucket: "b", Key: new(fmt.Sprintf("key-%07d", i)), Size: new(int64(i))}
		if i%3 != 0 {
			rows[i].Version = new(fmt.Sprint("v", i%100))
		}
	}
	return written(t, rows, parquet.MaxRowsPerRowGroup(1_500), parquet.PageBufferSize(4_000))
}

func TestEntriesAreLookedUpByTheirNumbers(t *testing.T) {
	list := shelf{"l.parquet": numbered(t, 5_000)}
	l, err := open(t.Context(), list, "l.parquet")
	if err != nil || !l.Seekable() {
		t.Fatalf("seekable: %v, %v", l.Seekable(), err)
	}
	all, err := read(t.Context(), list, "l.parquet")
	if err != nil || len(all) != 5_000 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for name, numbers := range map[string][]int64{
		"none": nil, "the first": {0}, "the last": {4_999}, "of the last group": {4_500, 4_501, 4_999},
		"ends of groups": {1_499, 1_500, 2_999, 3_000}, "near each other": {7, 8, 9, 255, 256, 257, 511, 513, 1_400},
		"far apart": {3, 1_700, 4_800}, "one twice": {7, 7, 4_800, 4_800}, "every 11th": every(11, 5_000), "every one": every(1, 5_000),
	} {
		got := []kept{}
		for e, err := range l.Lookup(t.Context(), 0, numbers) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, keep(e))
		}
		want := []kept{}
		for _, n := range numbers {
			want = append(want, all[n])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, numbers := range map[string][]int64{
		"behind the end": {4_999, 5_000}, "far behind": {9_000}, "descending": {700, 3}, "near and descending": {7, 6}, "negative": {-1},
	} {
		last := error(nil)
		for _, err := range l.Lookup(t.Context(), 0, numbers) {
			last = err
		}
		if last == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func every(nth, n int64) (numbers []int64) {
	for i := int64(0); i < n; i += nth {
		numbers = append(numbers, i)
	}
	return numbers
}

func TestOnlyLocalParquetListsAreLookedUp(t *testing.T) {
	list := shelf{"l.parquet": numbered(t, 3), "l.csv": []byte("bucket,key\n")}
	mixed, err := open(t.Context(), list, "l.parquet", "l.csv")
	if err != nil || mixed.Seekable() || mixed.Parts() != 2 {
		t.Errorf("mixed: seekable %v, %v", mixed.Seekable(), err)
	}
	last := error(nil)
	for _, err := range mixed.Lookup(t.Context(), 1, []int64{0}) {
		last = err
	}
	if last == nil {
		t.Error("a row of CSV was looked up")
	}
	remote, err := OpenLists(t.Context(), []List{{Files: list, Name: "l.parquet"}})
	if err != nil || remote.Seekable() {
		t.Errorf("remote: seekable %v, %v", remote.Seekable(), err)
	}
	none, err := OpenLists(t.Context(), nil)
	if err != nil || none.Seekable() || none.Parts() != 0 {
		t.Errorf("none: seekable %v, %v", none.Seekable(), err)
	}
}
