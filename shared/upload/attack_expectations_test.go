package upload

import (
	"errors"
	"testing"

	"github.com/strandline-dev/strandline/shared/policy"
)

func stated(seq int, size int64, sum string) ExpectedObject {
	return ExpectedObject{Seq: seq, Expected: Expected{Stated: true, Size: size, Checksum: sum}}
}

// played applies events one after the other; each has to be accepted.
func played(t *testing.T, all ...Event) Record {
	t.Helper()
	r := Record{}
	for _, e := range all {
		c, err := Step(policy.Default(), r, e, dawn)
		if err != nil {
			t.Fatalf("%s: %v", e.Kind(), err)
		}
		r = c.After
	}
	return r
}

func twoByEvents(expect ...ExpectedObject) Reserve {
	return Reserve{ID: storyID, Owner: "o-7", Holder: "w1", Lease: lease, Bucket: "b", Declared: 2, Expect: expect, ByEvents: true}
}

// A writer that comes back with another file states its objects anew. Without
// the look at what the newest attempt stated, the first of them to come
// completes the upload together with an object of the file before.
func TestWhatANewAttemptStatesOtherwiseIsNotGatheredFromTheOneBefore(t *testing.T) {
	first := RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 5, Checksum: "aa"}
	second := RecordObject{Fence: 2, Seq: 2, VersionID: "v2", Size: 7, Checksum: "bb"}
	again := Acquire{Holder: "w1", Lease: lease}
	for name, c := range map[string]struct {
		then  Declare
		whole bool
	}{
		"nothing of the first":                 {Declare{Fence: 2, Declared: 2, Expect: []ExpectedObject{stated(2, 7, "bb")}}, true},
		"the same of the first":                {Declare{Fence: 2, Declared: 2, Expect: []ExpectedObject{stated(1, 5, "aa"), stated(2, 7, "bb")}}, true},
		"another sum of the first":             {Declare{Fence: 2, Declared: 2, Expect: []ExpectedObject{stated(1, 5, "cc"), stated(2, 7, "bb")}}, false},
		"another size of the first":            {Declare{Fence: 2, Declared: 2, Expect: []ExpectedObject{stated(1, 6, "aa"), stated(2, 7, "bb")}}, false},
		"any bytes of the same size":           {Declare{Fence: 2, Declared: 2, Expect: []ExpectedObject{stated(1, 5, ""), stated(2, 7, "bb")}}, false},
		"nothing, but it comes again in parts": {Declare{Fence: 2, Declared: 2, Multiparts: []Multipart{{Key{2, 1}, "m1"}}, Expect: []ExpectedObject{stated(2, 7, "bb")}}, false},
	} {
		r := played(t, twoByEvents(stated(1, 5, "aa")), first, again, c.then, second)
		if list, whole := r.Manifest.Gathered(); whole != c.whole {
			t.Errorf("%s: gathered %v, whole: %v", name, list, whole)
		}
	}
	r := played(t, twoByEvents(stated(1, 5, "aa")), first, again,
		Declare{Fence: 2, Declared: 2, Expect: []ExpectedObject{stated(1, 5, "cc"), stated(2, 7, "bb")}}, second,
		Acquire{Holder: "w1", Lease: lease}, Declare{Fence: 3, Declared: 2, Expect: []ExpectedObject{stated(1, 5, "aa")}})
	if list, whole := r.Manifest.Gathered(); !whole || list[0] != first.key() {
		t.Errorf("the file before is meant again: gathered %v, whole: %v", list, whole)
	}
}

func (e RecordObject) key() Key { return Key{e.Fence, e.Seq} }

// Without the look at what stands already, a statement that comes after the
// object makes what is published something else than was stated.
func TestWhatStandsAlreadyIsNotStatedOtherwise(t *testing.T) {
	r := played(t, twoByEvents(), RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 5, Checksum: "aa"})
	for _, e := range []ExpectedObject{stated(1, 6, "aa"), stated(1, 5, "bb")} {
		if _, err := Step(policy.Default(), r, Declare{Fence: 1, Declared: 2, Expect: []ExpectedObject{e}}, dawn); !errors.Is(err, ErrRefused) {
			t.Errorf("stated %+v: %v", e, err)
		}
	}
	for _, e := range []ExpectedObject{stated(1, 5, "aa"), stated(1, 5, "")} {
		if _, err := Step(policy.Default(), r, Declare{Fence: 1, Declared: 2, Expect: []ExpectedObject{e}}, dawn); err != nil {
			t.Errorf("stated %+v: %v", e, err)
		}
	}
}

// Without it the last of two words in one call counts, and the URL that was
// signed for the first brings what cancels the upload.
func TestOneDeclarationDoesNotStateAKeyInTwoWays(t *testing.T) {
	both := []ExpectedObject{stated(1, 5, "aa"), stated(1, 6, "bb")}
	if _, err := Step(policy.Default(), Record{}, twoByEvents(both...), dawn); !errors.Is(err, ErrRefused) {
		t.Errorf("reserve: %v", err)
	}
	r := played(t, twoByEvents())
	if _, err := Step(policy.Default(), r, Declare{Fence: 1, Declared: 2, Expect: both}, dawn); !errors.Is(err, ErrRefused) {
		t.Errorf("declare: %v", err)
	}
	twice := []ExpectedObject{stated(1, 5, "aa"), stated(1, 5, "aa")}
	if _, err := Step(policy.Default(), r, Declare{Fence: 1, Declared: 2, Expect: twice}, dawn); err != nil {
		t.Errorf("the same word twice: %v", err)
	}
}

// A writer that lost the upload is told so, also about what it had recorded: its
// object is superseded, and goes. Told that it is recorded, it takes it for
// published.
func TestARecordOfWhatWasNotPublishedIsNoRepetition(t *testing.T) {
	r := played(t, twoByEvents(),
		RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 5}, Acquire{Holder: "w1", Lease: lease},
		Declare{Fence: 2, Declared: 1}, RecordObject{Fence: 2, Seq: 1, VersionID: "v2", Size: 5},
		Complete{Fence: 2, List: []Key{{2, 1}}})
	if _, err := Step(policy.Default(), r, RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 5}, dawn); !errors.Is(err, ErrFenceLost) {
		t.Errorf("the writer before: %v", err)
	}
	if c, err := Step(policy.Default(), r, RecordObject{Fence: 2, Seq: 1, VersionID: "v2", Size: 5}, dawn); err != nil || !c.Nothing() {
		t.Errorf("what was published: %v", err)
	}
}

// What a client asks for costs as much as it is, and not its square: each of
// thousands of statements copied the whole manifest once, for seconds.
func TestManyStatementsCostOneCopyOfTheManifest(t *testing.T) {
	const each, chunks = 1_000, 5_000
	r := played(t, Reserve{ID: storyID, Owner: "o-7", Holder: "w1", Lease: lease, Bucket: "b", Declared: chunks})
	for from := 0; from < chunks; from += each {
		e := Declare{Fence: 1, Declared: chunks}
		for seq := from + each; seq > from; seq-- {
			e.Expect = append(e.Expect, stated(seq, int64(seq), "aa"))
		}
		after := r
		allocated := testing.AllocsPerRun(1, func() {
			c, err := Step(policy.Default(), r, e, dawn)
			if err != nil {
				t.Fatal(err)
			}
			after = c.After
		})
		if allocated > each/2 {
			t.Fatalf("%d statements beside %d took %.0f allocations", each, from, allocated)
		}
		r = after
	}
	for i, o := range r.Manifest.Objects {
		if o.Seq != i+1 || o.Expected.Size != int64(o.Seq) {
			t.Fatalf("object %d is %+v", i, o)
		}
	}
}
