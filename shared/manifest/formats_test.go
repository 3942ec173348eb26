package manifest

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

// text draws what a cell may hold, the awkward more often than not.
func text(t *rapid.T, label string) string {
	awkward := rapid.SampledFrom([]string{`"`, ",", "\n", "\r", "\r\n", "%20", "+", "é", "😀", `\`, `\u00e9`, " ", "\t", "{", "}", ":", "a", "\u2028", "\ufeff", "\x00", "\x7f"})
	return strings.Join(rapid.SliceOfN(awkward, 0, 6).Draw(t, label), "")
}

func drawn(t *rapid.T) []kept {
	n := rapid.IntRange(0, 8).Draw(t, "entries")
	all := make([]kept, n)
	for i := range all {
		e := &all[i]
		e.Number, e.Bucket = int64(i), "b"+text(t, "bucket")
		e.Key = "k" + text(t, "key")
		if rapid.IntRange(0, 4).Draw(t, "bytes") == 0 {
			e.Key = string(append([]byte{0xff}, rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "other key")...))
		}
		e.Version, e.ETag = text(t, "version"), strings.ReplaceAll(text(t, "etag"), `"`, "")
		e.Tenant, e.Upload = text(t, "tenant"), text(t, "upload")
		e.Size = rapid.Int64Range(NoSize, 1<<50).Draw(t, "size")
		e.At = NoTime
		if rapid.Bool().Draw(t, "recorded") {
			e.At = rapid.Int64Range(-1<<40, 1<<45).Draw(t, "at")
		}
		e.State = State(rapid.IntRange(0, 1).Draw(t, "state"))
	}
	return all
}

// said are the cells of an entry, in the order of the columns.
func said(e kept) [columns]string {
	cells := [columns]string{bucketColumn: e.Bucket, versionColumn: e.Version, etagColumn: e.ETag, tenantColumn: e.Tenant, uploadColumn: e.Upload}
	if cells[keyColumn] = e.Key; !utf8.ValidString(e.Key) {
		cells[keyColumn], cells[key64Column] = "", base64.StdEncoding.EncodeToString([]byte(e.Key))
	}
	if e.Size != NoSize {
		cells[sizeColumn] = fmt.Sprint(e.Size)
	}
	if e.At != NoTime {
		zone := time.FixedZone("", 3_600*5+1_800)
		cells[recordedColumn] = time.UnixMilli(e.At).In(zone).Format(time.RFC3339Nano)
	}
	if e.State == Deleted {
		cells[stateColumn] = "deleted"
	}
	return cells
}

func asCSV(t require, all []kept) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	lines := [][]string{columnNames[:]}
	for _, e := range all {
		cells := said(e)
		lines = append(lines, cells[:])
	}
	if err := w.WriteAll(lines); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJSON(t require, all []kept) []byte {
	var b bytes.Buffer
	for _, e := range all {
		fields := map[string]any{}
		for c, text := range said(e) {
			if text != "" {
				fields[columnNames[c]] = text
			}
		}
		if e.Size != NoSize {
			fields["size"] = e.Size
		}
		if err := json.NewEncoder(&b).Encode(fields); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func asParquet(t require, all []kept) []byte {
	var b bytes.Buffer
	rows := make([]whole, len(all))
	for i, e := range all {
		cells := said(e)
		at := func(c column) *string {
			if cells[c] == "" {
				return nil
			}
			return &cells[c]
		}
		rows[i] = whole{
			Bucket: e.Bucket, Key: at(keyColumn), Key64: at(key64Column), Version: at(versionColumn), ETag: at(etagColumn),
			State: at(stateColumn), Tenant: at(tenantColumn), Upload: at(uploadColumn),
		}
		if e.Size != NoSize {
			rows[i].Size = &e.Size
		}
		if e.At != NoTime {
			rows[i].Recorded = time.UnixMilli(e.At)
		}
	}
	w := parquet.NewGenericWriter[whole](&b, parquet.MaxRowsPerRowGroup(3), parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type require interface{ Fatal(...any) }

// Where one format reads a key in another way, the same list gives orphans in
// one and none in the other.
func TestTheSameEntriesAreReadFromEveryFormat(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawn(rt)
		for name, list := range map[string][]byte{
			"l.csv": asCSV(rt, want), "l.jsonl": asJSON(rt, want), "l.parquet": asParquet(rt, want),
		} {
			got, err := read(t.Context(), shelf{name: list}, name)
			if err != nil {
				rt.Fatalf("%s: %v\n%q", name, err, list)
			}
			if len(got)+len(want) > 0 && !cmp.Equal(want, got) {
				rt.Fatalf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
			}
		}
	})
}

// A file in which a byte has changed may still be a list, of another key even;
// but it never panics, never has an entry more or less without an error, and
// reads the same each time.
func TestAMutatedParquetListIsAnErrorOrAListOfAsManyEntries(t *testing.T) {
	mutations := 2_000
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		mutations = 200
	}
	good := numbered(t, 700)
	random := rand.New(rand.NewPCG(4, 2))
	refused := 0
	for range mutations {
		bad := bytes.Clone(good)
		switch random.IntN(4) {
		case 0:
			bad = bad[:random.IntN(len(bad))]
		case 1: // of the footer
			for range 1 + random.IntN(3) {
				bad[len(bad)-1-random.IntN(min(2_000, len(bad)))] = byte(random.Uint32())
			}
		case 2:
			from, n := random.IntN(len(bad)-64), 1+random.IntN(64)
			copy(bad[random.IntN(len(bad)-64):], good[from:from+n])
		default:
			bad[random.IntN(len(bad))] ^= 1 << random.IntN(8)
		}
		got, err := read(t.Context(), shelf{"l.parquet": bad}, "l.parquet")
		if err != nil {
			refused++
			continue
		}
		if len(got) != 700 {
			t.Fatalf("%d entries without an error", len(got))
		}
	}
	t.Logf("%d of %d mutations were refused", refused, mutations)
}

// Every prefix of an inflated list ends in the middle of something, or of
// nothing; of a zipped one only the whole is read.
func TestAZippedListThatIsCutOffIsRefused(t *testing.T) {
	for name, list := range map[string]string{
		"l.csv.gz":   "bucket,key\n" + strings.Repeat("b,k\n", 50),
		"l.jsonl.gz": strings.Repeat("{\"bucket\":\"b\",\"key\":\"k\"}\n", 50),
	} {
		zipped := zip(t, []byte(list))
		for n := range len(zipped) {
			if got, err := read(t.Context(), shelf{name: zipped[:n]}, name); err == nil {
				t.Errorf("%s: %d of %d bytes are a list of %d entries", name, n, len(zipped), len(got))
			}
		}
		for _, behind := range []string{"garbage", "\x1f\x8b", "\x00\x00\x00\x00"} {
			if _, err := read(t.Context(), shelf{name: append(bytes.Clone(zipped), behind...)}, name); err == nil {
				t.Errorf("%s: %q behind it is no error", name, behind)
			}
		}
		damaged := bytes.Clone(zipped)
		damaged[len(damaged)-6] ^= 1 // of the checksum
		if _, err := read(t.Context(), shelf{name: damaged}, name); err == nil {
			t.Errorf("%s: a wrong checksum is no error", name)
		}
	}
}
