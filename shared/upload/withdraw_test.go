package upload

import (
	"testing"

	"github.com/strandline-dev/strandline/shared/policy"
)

// A restore before the claim guarantees that nothing is deleted: whatever
// happens to a withdrawn record from then on, in any order, it never again
// gives the right to delete anything. If withdrawing left the manifest in the
// record, an "undead" would open it again, and a worker would delete what was
// restored.
func TestNothingIsEverDeletedForAWithdrawnRecord(t *testing.T) {
	withdrawn := mustStep(t, adopted(StateCancelled), Withdraw{"restored"})
	reached := map[State]int{}
	frontier := []Record{withdrawn}
	for range 4 {
		var next []Record
		for _, r := range frontier {
			for _, k := range Kinds() {
				for _, e := range append(candidates(k, r), Reopen{Undead: true}, Finish{Fence: r.Fence}) {
					c, err := Step(policy.Default(), r, e, noon)
					if err != nil || c.Nothing() {
						continue
					}
					reached[c.After.State]++
					next = append(next, c.After)
					if w, err := c.After.ClaimedBy(policy.Default(), c.After.Token); err == nil && (len(w.Targets()) > 0 || len(w.Multiparts()) > 0) {
						t.Fatalf("%s gives the right to delete %d versions", c.Event, len(w.Targets()))
					}
				}
			}
		}
		frontier = next
	}
	if reached[StateDeleting] == 0 {
		t.Error("no claim was reached: the test looks at nothing")
	}
}

func mustStep(t *testing.T, r Record, e Event) Record {
	t.Helper()
	c, err := Step(policy.Default(), r, e, noon)
	if err != nil {
		t.Fatal(err)
	}
	return c.After
}

func TestGeneratedKeySaysWhoseItIs(t *testing.T) {
	for _, id := range []ID{{"acme", "u-1"}, {"a/b", "%2F"}, {"ö", ".."}, {"a b", "x.y"}} {
		for _, prefix := range []string{"", "p", "deep/er/"} {
			r := Record{ID: id, Prefix: prefix, Manifest: Manifest{Attempts: []Attempt{{Number: 3, Declared: 12}}}}
			key := Key{3, 12}
			got, k, ok := ParseObjectKey(r.ObjectKey(key))
			if !ok || got != id || k != key || !r.Declares(r.ObjectKey(key), k) {
				t.Errorf("%q: %v, %v, %v", r.ObjectKey(key), got, k, ok)
			}
			if r.Declares(r.ObjectKey(key), Key{3, 11}) || r.Declares("x"+r.ObjectKey(key), key) {
				t.Errorf("%q is declared under another name", r.ObjectKey(key))
			}
		}
	}
	for _, key := range []string{"", "a", "t/u/1", "t/u/x/1", "t/u/1/x", "t//1/1", "t/%2f/1/1", "t/a b/1/1", "t/%zz/1/1", "t/u/1/1/"} {
		if id, _, ok := ParseObjectKey(key); ok {
			t.Errorf("%q is taken for a key of %v", key, id)
		}
	}
}

func TestAdoptedIDIsTheVersionsOwn(t *testing.T) {
	seen := map[ID]bool{}
	for _, parts := range [][3]string{{"b", "k", "v"}, {"b", "kv", ""}, {"bk", "", "v"}, {"b", "k", "w"}, {"", "bk", "v"}} {
		for generation := range 2 {
			id := AdoptedID(parts[0], parts[1], parts[2], generation)
			if id != AdoptedID(parts[0], parts[1], parts[2], generation) || id.Validate() != nil || seen[id] {
				t.Errorf("%q, generation %d: %v", parts, generation, id)
			}
			seen[id] = true
		}
	}
}
