package dynamo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/strandline-dev/strandline/shared/upload"
)

// units counts what DynamoDB would bill for the calls it sees, by its rules
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html):
// a write costs one unit for each KB of the larger of the old and the new item,
// twice that in a transaction; an index costs a unit for an entry that comes or
// goes, two for one that moves; a consistent read costs one for 4 KB.
type units struct {
	mu     sync.Mutex
	items  map[string]item // as this counter has seen them written
	writes int
	reads  int
}

func (u *units) watch(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("units",
			func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
				middleware.InitializeOutput, middleware.Metadata, error,
			) {
				out, meta, err := next.HandleInitialize(ctx, in)
				if err == nil {
					u.count(in.Parameters, out.Result)
				}
				return out, meta, err
			}), middleware.Before)
	})
}

func (u *units) count(in, out any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch in := in.(type) {
	case *dynamodb.PutItemInput:
		u.put(in.Item, 1)
	case *dynamodb.TransactWriteItemsInput:
		for _, w := range in.TransactItems {
			u.transacted(w)
		}
	}
	switch out := out.(type) {
	case *dynamodb.QueryOutput:
		u.reads += kilobytes(4, out.Items...)
	case *dynamodb.GetItemOutput:
		u.reads += kilobytes(4, out.Item)
	}
}

func (u *units) transacted(w types.TransactWriteItem) {
	switch {
	case w.Put != nil:
		u.put(w.Put.Item, 2)
	case w.Delete != nil:
		place := placeOf(w.Delete.Key)
		u.writes += 2 * kilobytes(1, u.items[place])
		delete(u.items, place)
	case w.Update != nil: // a quota or a reference: far below a KB
		u.writes += 2
	}
}

func (u *units) put(it item, times int) {
	old := u.items[placeOf(it)]
	u.writes += times*max(kilobytes(1, old), kilobytes(1, it)) + indexUnits(old, it)
	u.items[placeOf(it)] = it
}

func placeOf(it item) string { return textOf(it["pk"]) + " " + textOf(it["sk"]) }

func indexUnits(old, it item) int {
	was, is := textOf(old["due_at"]), textOf(it["due_at"])
	switch {
	case was == is:
		return 0
	case was == "" || is == "":
		return 1
	}
	return 2
}

func kilobytes(unit int, items ...item) int {
	size := 0
	for _, it := range items {
		n, err := checkItem(it)
		if err != nil {
			panic(err)
		}
		size += n
	}
	return max(1, (size+unit<<10-1)/(unit<<10))
}

func recorded(seq int) upload.RecordObject {
	return upload.RecordObject{
		Fence: 1, Seq: seq, VersionID: strings.Repeat("v", 32), Size: 8 << 20,
		ETag: strings.Repeat("e", 32), Checksum: strings.Repeat("c", 44),
	}
}

// realistic has ids as long as an application's are.
func realistic(n, declared int) upload.Reserve {
	e := reserving(n, declared)
	e.ID = upload.ID{Tenant: "tenant-0042", Upload: fmt.Sprintf("0198f3a2-7c1e-7b5a-9d3e-%012d", n)}
	e.Bucket, e.Prefix, e.Owner = "strandline-prod-uploads", "uploads", "owner-000017"
	e.Holder = "i-0abcdef1234567890/worker-3"
	return e
}

func withEffects(e upload.Reserve) upload.Reserve {
	e.QuotaLimit, e.ContentHash = 100, strings.Repeat("a", 64)
	return e
}

// life counts one part of an upload's life.
type life struct {
	name          string
	writes, reads int
}

// Without this test the costs in the design are a hope. Each number is what the
// calls of that part of a life were, on the wire.
func TestTheUnitsOfAnUploadsWholeLifeAreThoseOfTheDesign(t *testing.T) {
	u := &units{items: map[string]item{}}
	s := open(t, u.watch)
	var lives []life
	part := func(name string, f func()) {
		u.writes, u.reads = 0, 0
		f()
		lives = append(lives, life{name, u.writes, u.reads})
	}
	for n, variant := range []struct {
		name string
		with func(upload.Reserve) upload.Reserve
	}{
		{"alone", func(e upload.Reserve) upload.Reserve { return e }},
		{"with quota and hash", withEffects},
	} {
		var r upload.Record
		part("reserve, "+variant.name, func() {
			r = commit(t, s, upload.Record{}, variant.with(realistic(n, 10)), start)
		})
		part("record 10 objects one at a time, "+variant.name, func() { r = recordAll(t, s, r, 10) })
		part("complete without a hold, "+variant.name, func() { commit(t, s, r, upload.Complete{Fence: 1, List: keys(10)}, start) })

		gone := variant.with(realistic(n+10, 10))
		gone.ContentHash = strings.ReplaceAll(gone.ContentHash, "a", "b")
		r = recordAll(t, s, commit(t, s, upload.Record{}, gone, start), 10)
		part("abandoned: look and mark, "+variant.name, func() {
			now := start.Add(72 * time.Hour)
			r = commit(t, s, loaded(t, s, r), upload.Expire{Version: r.Version, Cutoff: now.Add(-5 * time.Minute)}, now)
		})
		part("abandoned: look and claim, "+variant.name, func() {
			now := start.Add(120 * time.Hour)
			r = commit(t, s, loaded(t, s, r), upload.Claim{
				Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "worker-1", Token: strings.Repeat("t", 26),
			}, now)
		})
		part("abandoned: finish, "+variant.name, func() {
			commit(t, s, r, upload.Finish{Fence: r.Fence, Gone: 10}, start.Add(120*time.Hour))
		})
	}
	design := design(t)
	for _, l := range lives {
		line := fmt.Sprintf("| %s | %d | %d |", l.name, l.writes, l.reads)
		if !strings.Contains(design, line) {
			t.Errorf("the design does not have the line\n%s", line)
		}
	}
}

func recordAll(t *testing.T, s *Store, r upload.Record, n int) upload.Record {
	t.Helper()
	for seq := 1; seq <= n; seq++ {
		r = commit(t, s, r, recorded(seq), start)
	}
	return r
}

func loaded(t *testing.T, s *Store, r upload.Record) upload.Record {
	t.Helper()
	r, err := s.Load(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func keys(n int) []upload.Key {
	var all []upload.Key
	for seq := 1; seq <= n; seq++ {
		all = append(all, upload.Key{Attempt: 1, Seq: seq})
	}
	return all
}

func design(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../../docs/design/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sizes are those of real items: a head without objects, and one object.
func sizes(t *testing.T) (headBytes, objectBytes int) {
	t.Helper()
	r := change(t, upload.Record{}, realistic(1, 32), start).After
	empty, one := encoded(t, r), encoded(t, change(t, r, recorded(10), start).After)
	return empty, one - empty - len("manifest") - 3
}

func encoded(t *testing.T, r upload.Record) int {
	t.Helper()
	it, err := encode(r, strings.Repeat("s", 26))
	if err != nil {
		t.Fatal(err)
	}
	n, err := checkItem(it)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// recording is what it costs to record n objects one at a time and renew the
// lease after every tenth: in the head, or in pages of a width beside it.
func recording(headBytes, objectBytes, n, width int) int {
	kb := func(bytes int) int { return max(1, (bytes+1023)/1024) }
	total := 0
	for i := 1; i <= n; i++ {
		if width == 0 {
			total += kb(headBytes + i*objectBytes)
		} else {
			total += 2 * (kb(headBytes) + kb(100+((i-1)%width+1)*objectBytes))
		}
		if i%10 == 0 {
			total += kb(headBytes)
			if width == 0 {
				total += kb(headBytes+i*objectBytes) - kb(headBytes)
			}
		}
	}
	return total
}

// What decides where a manifest lies, and how wide a page is, is this table.
func TestWhereAManifestLiesIsWhereItIsCheapest(t *testing.T) {
	headBytes, objectBytes := sizes(t)
	design := design(t)
	for _, n := range []int{10, 32, 64, 128, 1_000, 10_000} {
		line := fmt.Sprintf("| %d |", n)
		for _, width := range []int{0, 10, perPage, 50, 100} {
			line += fmt.Sprintf(" %d |", recording(headBytes, objectBytes, n, width))
		}
		if !strings.Contains(design, line) {
			t.Errorf("the design does not have the line\n%s", line)
		}
	}
	if recording(headBytes, objectBytes, maxInline, 0) > recording(headBytes, objectBytes, maxInline, perPage) {
		t.Error("the largest manifest in the head costs more than in pages")
	}
	sentence := fmt.Sprintf("a head of %d bytes and %d bytes for each object", headBytes, objectBytes)
	if !strings.Contains(design, sentence) {
		t.Errorf("the design does not say %q", sentence)
	}
}
