package manifest

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/strandline-dev/strandline/shared/inventory"
)

// endless is a list of n rows that is made while it is read.
type endless struct {
	row  []byte
	head string
	n    int64
}

func (e endless) Open(context.Context, string) (inventory.File, error) { return e, nil }
func (e endless) Size() int64                                          { return int64(len(e.head)) + e.n*int64(len(e.row)) }
func (endless) Close() error                                           { return nil }

func (e endless) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && off < e.Size() {
		part := e.head[min(off, int64(len(e.head))):]
		if part == "" {
			part = string(e.row[(off-int64(len(e.head)))%int64(len(e.row)):])
		}
		k := copy(b[n:], part)
		n, off = n+k, off+int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// A list that is kept while it is read does not fit into a function's memory.
func TestReadingALongListAllocatesNothingForARow(t *testing.T) {
	rows := int64(300_000)
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		rows = 20_000
	}
	key := fmt.Sprintf("tenants/t-00001/%060d", 7)
	for name, list := range map[string]endless{
		"l.csv": {
			head: "bucket,key,version_id,size,recorded_at\n", n: rows,
			row: []byte("b,\"" + key + "\",v,7,2026-11-30T00:00:00+01:00\n"),
		},
		"l.jsonl": {
			n: rows, row: []byte(`{"bucket":"b","key":"` + key + `\u00e9","size":7,"recorded_at":"2026-11-30T00:00:00Z"}` + "\n"),
		},
	} {
		l, err := OpenLists(t.Context(), []List{{Files: list, Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n := int64(0)
		for _, err := range l.Entries(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		runtime.ReadMemStats(&after)
		made := after.TotalAlloc - before.TotalAlloc
		if n != rows || made > 64<<20 { // what the test itself makes for a row is 100 bytes
			t.Errorf("%s: %d entries, %d bytes allocated", name, n, made)
		}
		t.Logf("%s: %d bytes", name, made)
	}
}
