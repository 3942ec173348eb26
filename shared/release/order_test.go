package release_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// lives are three rows whose objects are replaced, come back and go; the third
// names an upload that has its reference, and one of another row.
func lives(w *world) (changes []release.Change, strangers []objects.Version, shared upload.ID) {
	for i := range 4 {
		strangers = append(strangers, w.write(fmt.Sprintf("s-%d", i), "a stranger"))
	}
	r, keys := w.upload("ours")
	for _, entity := range []string{"row-3", "row-9"} {
		w.must(w.app.AddReference(w.Context(), r.ID, upload.Reference{Source: "photos", Entity: entity}, 0))
	}
	w.now = w.now.Add(time.Minute)
	s := func(i int) source.Row { return named(strangers[i]) }
	ours := source.Row{"key": keys[0]}
	for _, life := range [][]source.Row{{s(0), s(1), s(0), nil}, {s(2), s(1), nil, s(3)}, {ours, s(3), ours, nil}} {
		row := source.Row{"pk": fmt.Sprintf("row-%d", len(changes)/4+1)}
		var before source.Row
		for _, after := range life {
			c := release.Change{
				ID: fmt.Sprintf("e-%d", len(changes)), Event: release.Modify, At: w.now, Keys: row, Old: before, New: after,
			}
			switch {
			case before == nil:
				c.Event = release.Insert
			case after == nil:
				c.Event = release.Remove
			}
			changes, before = append(changes, c), after
		}
	}
	return changes, strangers, r.ID
}

// ends is what the ledger holds when the records have come in this order.
func ends(t *testing.T, order func(n int) []int) map[string]string {
	w := newWorld(t)
	changes, strangers, shared := lives(w)
	for _, n := range order(len(changes)) {
		if got := w.Take(t.Context(), photos, changes[n]); !release.Done(got) || release.ParkedWhy(got) != "" {
			t.Fatalf("record %d: %+v", n, got)
		}
		w.now = w.now.Add(time.Second) // each is late
	}
	held := map[string]string{}
	for _, c := range changes {
		for _, v := range strangers {
			id := release.RecordID("acme", "photos", c.ID, source.Object{Bucket: bucket, Key: v.Key, VersionID: v.VersionID})
			if r := w.load(id); r.State != upload.StateNone {
				held[c.ID+" "+v.Key] = fmt.Sprint(r.State, r.Version, r.Manifest.Explicit)
			}
		}
	}
	r := w.load(shared)
	held["shared"] = fmt.Sprint(r.State, r.Refs)
	return held
}

// Streams and queues promise "at least once", and nothing of the order.
func TestAnyOrderAndNumberOfTheSameRecordsEndsInTheSameLedger(t *testing.T) {
	inOrder := ends(t, func(n int) (all []int) {
		for i := range n {
			all = append(all, i)
		}
		return all
	})
	if len(inOrder) != 7 || inOrder["shared"] != fmt.Sprint(upload.StateComplete, 1) {
		t.Fatalf("in order it ends as %v", inOrder)
	}
	rapid.Check(t, func(r *rapid.T) {
		got := ends(t, func(n int) []int {
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			again := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, n).Draw(r, "again")
			return rapid.Permutation(append(all, again...)).Draw(r, "order")
		})
		if diff := cmp.Diff(inOrder, got); diff != "" {
			r.Fatal(diff)
		}
	})
}
