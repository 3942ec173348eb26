package objects_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

// lister lists these keys, and then fails if it has an error.
type lister struct {
	keys []string
	err  error
	read int
}

func (l *lister) Versions(context.Context, string, string) iter.Seq2[objects.Version, error] {
	return func(yield func(objects.Version, error) bool) {
		for _, key := range l.keys {
			l.read++
			if !yield(objects.Version{Key: key}, nil) {
				return
			}
		}
		if l.err != nil {
			yield(objects.Version{}, l.err)
		}
	}
}

// Without equality, whatever a store lists that is not the key (one that takes
// a prefix for a pattern, say) would be condemned with it.
func TestVersionsOfAKeyLeavesOutWhateverElseIsListed(t *testing.T) {
	for v, err := range objects.VersionsOf(t.Context(), &lister{keys: []string{"A", "Z", "a"}}, "b", "a") {
		if err != nil || v.Key != "a" {
			t.Errorf("listed %+v, %v", v, err)
		}
	}
}

func TestVersionsOfAKeyEndsAtItsFirstNeighbour(t *testing.T) {
	l := &lister{keys: []string{"a", "a", "a!", "a/b", "a1"}}
	n := 0
	for v, err := range objects.VersionsOf(t.Context(), l, "b", "a") {
		if err != nil || v.Key != "a" {
			t.Errorf("listed %+v, %v", v, err)
		}
		n++
	}
	if n != 2 || l.read != 3 {
		t.Errorf("listed %d, read %d", n, l.read)
	}
}

// A listing that fails is no shorter listing: what it did not show would be
// recorded as gone.
func TestVersionsOfAKeyFailsWhereTheListingFails(t *testing.T) {
	broken := errors.New("page two")
	var got error
	for _, err := range objects.VersionsOf(t.Context(), &lister{keys: []string{"a"}, err: broken}, "b", "a") {
		got = err
	}
	if !errors.Is(got, broken) {
		t.Errorf("got %v", got)
	}
}

func TestWhatNoStoreMayActOnIsRefusedAndTheRestIsUnclearUntilAnswered(t *testing.T) {
	versions := uploadtest.Condemned(t, uploadtest.Version{Bucket: "b", Key: "a", VersionID: "v"})
	var got []objects.Outcome
	for _, r := range objects.Checked("b", append(versions, upload.Condemned{})) {
		got = append(got, r.Outcome)
	}
	got = append(got, objects.Checked("other", versions)[0].Outcome, objects.Checked("", []upload.Condemned{{}})[0].Outcome)
	want := []objects.Outcome{objects.Unclear, objects.Failed, objects.Failed, objects.Failed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

func TestALockIsOverAtItsDateAndAHoldNever(t *testing.T) {
	at := uploadtest.Begin
	for _, c := range []struct {
		facts objects.Facts
		want  upload.Retained
	}{
		{objects.Facts{}, upload.Retained{}},
		{objects.Facts{LockedUntil: at}, upload.Retained{}},
		{objects.Facts{LockedUntil: at.Add(time.Second)}, upload.Retained{Count: 1, Until: at.Add(time.Second), Reason: objects.ReasonLock}},
		{objects.Facts{LockedUntil: at, LegalHold: true}, upload.Retained{Count: 1, Reason: objects.ReasonLegalHold}},
	} {
		if got := c.facts.Retained(at); got != c.want {
			t.Errorf("%+v: got %+v, want %+v", c.facts, got, c.want)
		}
	}
}
