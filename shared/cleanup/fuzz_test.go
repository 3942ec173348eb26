package cleanup

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// FuzzStoredPlan: a stored plan of any bytes is refused, or has the candidates
// that its shards count, and is the same, digest and all, when it is stored and
// read again.
func FuzzStoredPlan(f *testing.F) {
	for _, counts := range [][2]int{{0, 0}, {1, 2}, {2, 0}, {-1, 3}, {math.MaxInt, math.MaxInt}} {
		f.Add([]byte(planText(f, counts[0], counts[1], 3)))
	}
	f.Add([]byte(planText(f, math.MaxInt, math.MaxInt, 0)))
	f.Add([]byte(`{"schema":1,"run":"r","shards":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		plan, err := decodePlan(bytes.NewReader(text))
		if err != nil {
			if plan != nil {
				t.Fatalf("refused (%v), and a plan all the same", err)
			}
			return
		}
		counted := 0
		for i := range plan.shards {
			counted += plan.shards[i].round.Count + plan.shards[i].front.Count
		}
		all := slices.Collect(plan.Candidates())
		if counted != len(all) {
			t.Fatalf("%d candidates, and %d are counted", len(all), counted)
		}
		var stored bytes.Buffer
		digest, err := plan.encode(&stored)
		if err != nil {
			return // an instant that JSON cannot say
		}
		again, err := decodePlan(bytes.NewReader(stored.Bytes()))
		if err != nil || again.digest != digest || again.run != plan.run {
			t.Fatalf("%s\nbecame %s: %v", text, stored.String(), err)
		}
		if d := cmp.Diff(all, slices.Collect(again.Candidates()), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// planText is a plan whose first shard says that it has so many candidates, and
// has others.
func planText(t testing.TB, round, front, candidates int) string {
	t.Helper()
	head := planHead{Schema: planSchema, Run: "r", Cutoff: time.UnixMilli(1796026200000).UTC(), Shards: make([]shardHead, ledger.Shards)}
	head.Shards[0] = shardHead{Revision: 7, Round: leg{Count: round}, Front: leg{Count: front, Ended: true}}
	text, err := json.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	const candidate = `{"t":"acme","u":"u-1","v":4,"d":1796026200000,"a":"purge","o":"claim","r":"cancelled","b":"uploads","n":3,"z":9}`
	return string(text) + strings.Repeat("\n"+candidate, candidates)
}

// FuzzDocuments: whatever a document of a pass holds, it is read as something
// that is the same when it is stored and read again, or is an error; a census
// never counts in another bucket than the document's own.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte(`{"front":{"ID":{"Tenant":"acme","Upload":"u-1"},"At":"2026-12-01T00:00:00Z"},"passed":"2026-12-01T00:00:00Z","round":{"at":{},"until":"2026-12-01T00:00:00Z"}}`))
	f.Add([]byte(`{"schema":1,"run":"r","state":"paused","published":{"b":-5},"tally":{"candidates":{"uploads":1}},"approval":{"by":"ann"}}`))
	f.Add([]byte(`{"bucket":"other","objects":-1,"bytes":9223372036854775807,"as_of":"2026-12-01T00:00:00Z"}`))
	f.Add([]byte(`{"schema":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		wantSameCursor(t, data)
		doc := ledger.Document{Collection: runs, ID: "r", Data: data, Revision: 1}
		if r, err := decodeReport(doc); err == nil {
			if r.Schema > runSchema {
				t.Fatalf("schema %d is read", r.Schema)
			}
			if stored, err := json.Marshal(r); err == nil {
				again, err := decodeReport(ledger.Document{ID: "r", Data: stored, Revision: 1})
				if d := cmp.Diff(r, again, cmpopts.EquateEmpty()); err != nil || d != "" {
					t.Fatalf("%s became %s: %v\n%s", data, stored, err, d)
				}
			}
		}
		c, err := countedOf(t.Context(), documents{{Collection: censuses, ID: "uploads", Data: data, Revision: 1}})
		if err == nil && (len(c.Buckets) != 1 || c.Buckets[0].Bucket != "uploads") {
			t.Fatalf("%s is read as %+v", data, c)
		}
	})
}

func wantSameCursor(t *testing.T, data []byte) {
	t.Helper()
	var c, again cursor
	if json.Unmarshal(data, &c) != nil {
		return
	}
	stored, err := json.Marshal(c)
	if err != nil {
		return // an instant that JSON cannot say
	}
	if err := json.Unmarshal(stored, &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(c, again, cmp.AllowUnexported(cursor{}, round{}), cmp.AllowUnexported(ledger.Position{}), cmp.AllowUnexported(upload.ID{})); d != "" {
		t.Fatalf("%s became %s\n%s", data, stored, d)
	}
}

// documents is all that a census is read from.
type documents []ledger.Document

func (d documents) List(context.Context, string, string, string) iter.Seq2[ledger.Document, error] {
	return func(yield func(ledger.Document, error) bool) {
		for _, doc := range d {
			if !yield(doc, nil) {
				return
			}
		}
	}
}
