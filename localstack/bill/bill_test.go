package bill_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/bill"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/meter"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// shards are few: what is billed for one upload does not depend on how many
// there are, as long as batches are full.
func shards() int {
	if os.Getenv("STRANDLINE_BOUNDS") == "reduced" {
		return 2
	}
	return 4
}

var once struct {
	sync.Once
	run bill.Run
	err error
}

// measured cleans up once for all tests.
func measured(t *testing.T) bill.Run {
	t.Helper()
	cfg := localstacktest.Config(t)
	once.Do(func() { once.run, once.err = bill.Measure(t.Context(), cfg, shards(), time.Now) })
	if once.err != nil {
		t.Fatal(once.err)
	}
	return once.run
}

// Without batches, or with a look more at every record, one of these is passed.
func TestAPurgedUploadTakesNoMoreCallsThanItMay(t *testing.T) {
	w := measured(t).Work()
	for _, c := range []struct {
		what       string
		took, most float64
	}{
		{"ledger reads", w.LedgerReads, 2},
		{"records read", w.RecordReads, 4},
		{"ledger writes: mark, claim, finish, gate, and what a pass notes", w.LedgerWrites, 3.1},
		{"queue calls, the event source's with them", w.QueueCalls, 0.35},
		{"storage calls for 500 objects", 500 / w.PerStoreCall, 1},
	} {
		if c.took > c.most {
			t.Errorf("%s: %.3f for an upload, at most %.2f", c.what, c.took, c.most)
		}
		t.Logf("%s: %.3f, at most %.2f", c.what, c.took, c.most)
	}
}

func TestAMillionAbandonedUploadsCostAtMostTenDollars(t *testing.T) {
	b := billed(t)
	if b.Total() > 10 {
		t.Errorf("a million uploads cost $%.2f\n%s", b.Total(), b.Table())
	}
}

func billed(t *testing.T) bill.Bill {
	t.Helper()
	b, err := measured(t).Bill()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What a document says of costs is believed for years.
func TestTheDocumentsTableIsWhatWasCounted(t *testing.T) {
	text, err := os.ReadFile("../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	got, want := rows(billed(t).Table()), rows(string(text))
	if len(got) != len(want) {
		t.Fatalf("docs/costs.md has %d lines in its table; it should be\n%s", len(want), billed(t).Table())
	}
	for i, g := range got {
		w := want[i]
		// What is paid by the pass is a few cents, and varies with the backlog's size
		// and with what shards ask at the same time.
		cheap := number(g[3]) < 0.03 && number(w[3]) < 0.03
		if g[0] != w[0] || !cheap && (!near(g[1], w[1]) || !near(g[2], w[2]) || !near(g[3], w[3])) {
			t.Errorf("docs/costs.md says %q, counted was %q", w, g)
		}
	}
}

// rows are the cells of the table in a text.
func rows(text string) [][]string {
	_, table, _ := strings.Cut(text, "| for a million uploads |")
	var all [][]string
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|-") && strings.Count(line, "|") == 5 {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			all = append(all, cells)
		} else if len(all) > 0 {
			return all
		}
	}
	return all
}

// near compares what two cells begin with: calls that the emulator broke are sent
// again, and runs differ in size.
func near(a, b string) bool {
	x, y := number(a), number(b)
	return math.Abs(x-y) <= 0.05*math.Max(x, y)+0.005
}

func number(cell string) float64 {
	first, _, _ := strings.Cut(strings.TrimPrefix(cell, "$"), " ")
	v, err := strconv.ParseFloat(strings.ReplaceAll(first, ",", ""), 64)
	if err != nil {
		return 0
	}
	return v
}

// A call that is on no line would be paid, and missing from the sum.
func TestACallThatNoLineCountsIsAnError(t *testing.T) {
	listing := meter.Call{Service: "S3", Operation: "ListObjectVersions"}
	run := bill.Run{Uploads: 1, Purged: bill.Stage{Name: "workers", Counts: meter.Counts{listing: {Requests: 1}}}}
	if _, err := run.Bill(); err == nil || !strings.Contains(err.Error(), "ListObjectVersions") {
		t.Errorf("got %v", err)
	}
}
