package main

import (
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/inventory"
)

var listedAt = time.Date(2026, 11, 28, 1, 0, 0, 0, time.UTC)

// report is a fault that was reported of another system, made small: what
// stands, and the key list. Objects are a year old and have 5 bytes.
type report struct {
	name   string
	stands []string
	list   string
	code   int
	counts map[string]int64
	says   string
	// blocked: nothing may be held.
	blocked bool
}

const csvHead = "bucket,key,size,recorded_at,state\n"

func live(keys ...string) (lines string) {
	for _, key := range keys {
		lines += fmt.Sprintf("b,%s,5,2026-01-01T00:00:00Z,live\n", key)
	}
	return lines
}

func numbered(n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("k/%03d", i))
	}
	return keys
}

func reports() []report {
	return []report{
		{
			name:   "one path has a slash in front, the other not: two keys, and both are reported",
			stands: []string{"/upload/a", "k/1", "k/2", "k/3"}, list: csvHead + live("upload/a", "k/1", "k/2", "k/3"),
			code: exitFindings, counts: map[string]int64{"ok": 3, "orphan": 1, "missing": 1},
		},
		{
			name:   "keys with a scheme are other keys than those without",
			stands: []string{"s3://b/a", "k/1", "k/2", "k/3"}, list: csvHead + live("a", "k/1", "k/2", "k/3"),
			code: exitFindings, counts: map[string]int64{"ok": 3, "orphan": 1, "missing": 1},
		},
		{
			name:   "a bucket with a scheme is no bucket of the inventory: refused",
			stands: []string{"a"}, list: csvHead + strings.ReplaceAll(live("a"), "b,", "s3://b,"),
			code: exitFailed, says: "another bucket",
		},
		{
			name:   "nine of ten objects are in no list: reported, and nothing may be held",
			stands: numbered(100), list: csvHead + live(numbered(10)...),
			code: exitFindings, counts: map[string]int64{"ok": 10, "orphan": 90}, blocked: true,
		},
		{
			name:   "the list is empty: refused, and nothing is an orphan",
			stands: numbered(100), list: csvHead,
			code: exitFailed, says: "everything would be an orphan",
		},
		{
			name:   "the bucket is empty: refused, and nothing is missing",
			stands: nil, list: csvHead + live(numbered(100)...),
			code: exitFailed, says: "everything would be missing",
		},
		{
			name:   "an object is recorded after the inventory began: not missing",
			stands: []string{"k/1"}, list: csvHead + live("k/1") + "b,new,5,2026-11-29T00:00:00Z,live\n",
			code: exitOK, counts: map[string]int64{"ok": 1, "unsettled": 1},
		},
		{
			name:   "plus, space and percent are what they are",
			stands: []string{"a b", "a+b", "a%20b", "é", "日本", "%"}, list: csvHead + live("a b", "a+b", "a%20b", "é", "日本", "%"),
			code: exitOK, counts: map[string]int64{"ok": 6},
		},
		{
			name:   "the scope up/ has nothing of up2/ and upload/",
			stands: []string{"up/x", "up2/x", "upload/x"}, list: csvHead + live("up/x"),
			code: exitOK, counts: map[string]int64{"ok": 1, "ignored": 2},
		},
	}
}

// TestPublicReports: each is a kind of fault that others have shipped.
func TestPublicReports(t *testing.T) {
	for _, r := range reports() {
		for _, format := range []inventory.Format{inventory.CSV, inventory.Parquet} {
			t.Run(r.name+"/"+string(format), func(t *testing.T) { r.check(t, format) })
		}
	}
}

func (r report) check(t *testing.T, format inventory.Format) {
	dir := t.TempDir()
	list := filepath.Join(dir, "keys.csv")
	must(t, os.WriteFile(list, []byte(r.list), 0o600))
	key, err := inventory.Write(t.Context(), inventory.Folder(dir), inventory.Delivery{
		Bucket: "b", Destination: "inventories", Config: "daily", Created: listedAt, Format: format, TempDir: dir,
	}, rowsOf(r.stands))
	must(t, err)
	args := []string{"reconcile", "--inventory", filepath.Join(dir, key), "--manifest", list, "--manifest-time", "2026-11-29T12:00:00Z", "--json"}
	if strings.HasPrefix(r.name, "the scope") {
		args = append(args, "--prefix", "up/")
	}
	got := runLine(t.Context(), args...)
	if got.code != r.code || !strings.Contains(got.errs, r.says) {
		t.Fatalf("exit %d, expected %d; says %q, expected %q", got.code, r.code, got.errs, r.says)
	}
	if r.code == exitFailed {
		return
	}
	var summary struct {
		Counts  map[string]int64 `json:"counts"`
		Blocked bool             `json:"holds_blocked"`
	}
	must(t, json.Unmarshal([]byte(got.out), &summary))
	if diff := cmp.Diff(r.counts, summary.Counts); diff != "" || summary.Blocked != r.blocked {
		t.Errorf("holds blocked %v, counts (-want +got):\n%s", summary.Blocked, diff)
	}
}

func rowsOf(keys []string) iter.Seq2[*inventory.Row, error] {
	return func(yield func(*inventory.Row, error) bool) {
		for i, key := range keys {
			row := &inventory.Row{
				Bucket: []byte("b"), Key: []byte(key), VersionID: fmt.Appendf(nil, "v%d", i), ETag: []byte("e"), Size: 5,
				LastModified: listedAt.AddDate(-1, 0, 0).UnixMilli(), Latest: inventory.Yes, Marker: inventory.No, Number: int64(i),
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
