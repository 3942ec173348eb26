package inventory_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// mutations is how many damaged files of each format are tried; all of the
// 20,000 take half a minute.
func mutations() int {
	switch os.Getenv("STRANDLINE_BOUNDS") {
	case "reduced":
		return 2_000
	case "full":
		return 20_000
	}
	return 5_000
}

// memoryOfOne is more than reading a damaged file may allocate, also while the
// other two formats are read beside it; a length that is believed takes
// gigabytes.
const memoryOfOne = 1 << 30

// originals are whole files of a format, of different layouts.
func originals(t testing.TB, format inventory.Format) (files [][]byte, schema string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(sampleManifest(format))), "data", "*"))
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
	}
	switch format {
	case inventory.CSV:
		files = append(files, zipped(rowText("a+b%20c")+rowText(`q""uote`)+"\r\n"), append(zipped(rowText("one")), zipped(rowText("two"))...))
	case inventory.Parquet:
		plain := parquet.Compression(&parquet.Uncompressed)
		files = append(files, parquetOf(t, someS3, plain), parquetOf(t, someS3, plain, parquet.DataPageVersion(1)), parquetOf(t, someS3, parquet.Compression(&parquet.Zstd)))
	}
	return files, "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate, ETag, StorageClass"
}

// damage changes a file in one of the ways in which files are damaged.
func damage(random *rand.Rand, file []byte, all [][]byte) []byte {
	b := bytes.Clone(file)
	place := func() int {
		if random.IntN(3) == 0 { // footers are at the end
			return max(0, len(b)-1-random.IntN(min(len(b), 400)))
		}
		return random.IntN(len(b))
	}
	switch random.IntN(8) {
	case 0, 1, 2: // bits flip
		for range 1 + random.IntN(4) {
			b[place()] ^= 1 << random.IntN(8)
		}
	case 3: // bytes are others
		for range 1 + random.IntN(8) {
			b[place()] = byte(random.Uint32())
		}
	case 4: // the end is missing
		b = b[:random.IntN(len(b))]
	case 5: // a piece is missing
		from := place()
		b = append(b[:from], b[min(len(b), from+1+random.IntN(64)):]...)
	case 6: // a piece is there twice, or all ones
		from := place()
		piece := bytes.Clone(b[from:min(len(b), from+1+random.IntN(32))])
		if random.IntN(2) == 0 {
			for i := range piece {
				piece[i] = 0xff
			}
			copy(b[from:], piece)
			break
		}
		b = append(b[:from:from], append(piece, b[from:]...)...)
	case 7: // it goes on with another file
		other := all[random.IntN(len(all))]
		b = append(b[:random.IntN(len(b))], other[random.IntN(len(other)):]...)
	}
	return b
}

// TestDamagedFilesNeverPanicHangOrFillTheMemory restates size and MD5, so that
// the decoders themselves are attacked. Without the guards they panic (Parquet's
// in one of a hundred files) and allocate what a damaged length says.
func TestDamagedFilesNeverPanicHangOrFillTheMemory(t *testing.T) {
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet, inventory.ORC} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			files, schema := originals(t, format)
			random := rand.New(rand.NewPCG(5, 6))
			failed := 0
			for n := range mutations() {
				content := damage(random, files[n%len(files)], files)
				if _, err := readWatched(t, inventoryOf(format, schema, content), n); err != nil {
					failed++
				}
			}
			t.Logf("%d damaged files, %d are errors", mutations(), failed)
			if failed < mutations()/2 {
				t.Errorf("only %d of %d are errors", failed, mutations())
			}
		})
	}
}

// allocated is how many bytes were ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// readWatched reads an inventory and fails the test if that takes too long or
// too much.
func readWatched(t *testing.T, k kept, n int) (rows []inventory.Row, err error) {
	t.Helper()
	watch := time.AfterFunc(30*time.Second, func() { panic(fmt.Sprintf("damaged file %d is read for 30 s", n)) })
	defer watch.Stop()
	k[keptManifest] = bytes.ReplaceAll(k[keptManifest], []byte(`"sourceBucket":"b"`), []byte(`"sourceBucket":"uploads-eu"`))
	k.sum()
	before := allocated()
	rows, err = read(k)
	if took := allocated() - before; took > memoryOfOne {
		t.Errorf("damaged file %d took %d MB", n, took>>20)
	}
	return rows, err
}

// TestDamagedFilesWithTheirStatedMD5GiveNoRow is what a user meets: a file that
// is not what S3 wrote gives no row at all.
func TestDamagedFilesWithTheirStatedMD5GiveNoRow(t *testing.T) {
	for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet, inventory.ORC} {
		files, schema := originals(t, format)
		random := rand.New(rand.NewPCG(7, 8))
		for n := range 500 {
			good := files[n%len(files)]
			bad := damage(random, good, files)
			if bytes.Equal(good, bad) {
				continue
			}
			k := inventoryOf(format, schema, good)
			k[keptKey(0)] = bad
			if rows, err := read(k); err == nil || len(rows) > 0 {
				t.Fatalf("%s: damaged file %d gives %d rows, %v", format, n, len(rows), err)
			}
		}
	}
}

// Rows are looked up in files that are verified. This one was damaged when it
// was written.
func TestDamagedParquetIsLookedUpWithoutAPanic(t *testing.T) {
	files, _ := originals(t, inventory.Parquet)
	random := rand.New(rand.NewPCG(9, 10))
	failed := 0
	for n := range 120 {
		k := inventoryOf(inventory.Parquet, "", damage(random, files[n%len(files)], files))
		path := k.inFolder(t)
		files, key, err := inventory.Local(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := inventory.Open(t.Context(), files, key, inventory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lookup(t.Context(), r, []int64{0, 2, 20}); err != nil {
			failed++
		}
	}
	if failed < 40 {
		t.Errorf("only %d of 120 are errors", failed)
	}
}
