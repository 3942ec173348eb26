package hold_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/hold"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newBook() hold.Book {
	return hold.Book{Documents: ledgers.New(), Forget: 30 * 24 * time.Hour}
}

func seen(key, version, run string) hold.Seen {
	return hold.Seen{
		Subject: hold.Subject{Kind: hold.Version, Bucket: "b", Key: key, VersionID: version},
		Size:    7, ETag: "e", LastModified: noon.Add(-time.Hour), Tenant: "t", Upload: "u", KeyKnown: true, Latest: true,
		By: hold.Sighting{Run: run, Inventory: noon},
	}
}

func TestEveryFieldOfAHoldComesBack(t *testing.T) {
	b := newBook()
	h := hold.Hold{
		Subject: hold.Subject{Kind: hold.Version, Bucket: "b", Key: "k\x00\xff#/", VersionID: "v"}, State: hold.Approved,
		Size: 7, ETag: "e", LastModified: noon, Tenant: "t", Upload: "u", KeyKnown: true, Latest: true,
		FirstSeen: hold.Sighting{Run: "r1", Inventory: noon}, LastSeen: hold.Sighting{Run: "r2", Inventory: noon.Add(time.Hour)},
		Met: hold.Sighting{Run: "r3", Inventory: noon.Add(2 * time.Hour)},
		Who: "ann", When: noon, Why: "because", WasKept: true, Adopted: upload.ID{Tenant: "adopted", Upload: "o"}, Restored: 3,
		Marker: hold.Marker{Intended: noon, VersionID: "m"},
	}
	stored, err := b.Put(t.Context(), h, noon)
	if err != nil {
		t.Fatal(err)
	}
	h.Revision = 1
	got, err := b.Get(t.Context(), "b", h.ID())
	if diff := cmp.Diff(h, got); err != nil || diff != "" || stored != h {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Two different things must never share a hold: one decision would be taken for
// the other.
func TestIDsDifferForDifferentThings(t *testing.T) {
	ids := map[string]hold.Subject{}
	for _, s := range []hold.Subject{
		{Kind: hold.Version, Key: "k", VersionID: "v"}, {Kind: hold.Version, Key: "kv", VersionID: ""},
		{Kind: hold.Version, Key: "k\x00v", VersionID: "w"}, {Kind: hold.Version, Key: "k", VersionID: "v w"},
		{Kind: hold.Multipart, Key: "k", VersionID: "v"}, {Kind: hold.Version, Key: "", VersionID: "kv"},
	} {
		if other, twice := ids[s.ID()]; twice {
			t.Errorf("%+v and %+v have one id", s, other)
		}
		ids[s.ID()] = s
	}
}

func TestLifeOfAHold(t *testing.T) {
	b := newBook()
	see := func(run string, want hold.Outcome) hold.Hold {
		t.Helper()
		h, outcome, err := b.See(t.Context(), seen("k", "v", run), noon)
		if err != nil || outcome != want {
			t.Errorf("seen by %s: %s, %v", run, outcome, err)
		}
		return h
	}
	h := see("r1", hold.Opened)
	see("r1", hold.Repeated)
	see("r2", hold.Again)
	h, err := b.Close(t.Context(), h, "it does not stand any more", noon)
	if err != nil || h.State != hold.Closed {
		t.Errorf("closed: %+v, %v", h, err)
	}
	h = see("r3", hold.Opened)
	if h.State != hold.Open || h.FirstSeen.Run != "r3" {
		t.Errorf("opened again: %+v", h)
	}
	h, err = b.Keep(t.Context(), h, "ann", "ours", noon)
	if err != nil || h.State != hold.Kept {
		t.Errorf("kept: %+v, %v", h, err)
	}
	if h = see("r4", hold.Again); h.State != hold.Kept || h.Who != "ann" {
		t.Errorf("seen when kept: %+v", h)
	}
	h, err = b.Close(t.Context(), h, "it does not stand any more", noon)
	if err != nil {
		t.Fatal(err)
	}
	if h = see("r5", hold.Opened); h.State != hold.Kept {
		t.Errorf("back, after it was kept once: %+v", h)
	}
}

func TestSightingOfAnOlderInventoryChangesNothing(t *testing.T) {
	b := newBook()
	newer := seen("k", "v", "newer")
	newer.By.Inventory = noon.Add(time.Hour)
	if _, _, err := b.See(t.Context(), newer, noon); err != nil {
		t.Fatal(err)
	}
	h, outcome, err := b.See(t.Context(), seen("k", "v", "older"), noon)
	if err != nil || outcome != hold.Repeated || h.LastSeen.Run != "newer" {
		t.Errorf("%s, %v: %+v", outcome, err, h)
	}
}

// A run decides from what it read: without the check, what a person has
// approved meanwhile would be closed under his hands.
func TestHoldThatAPersonDecidedMeanwhileIsNotClosed(t *testing.T) {
	b := newBook()
	read, _, err := b.See(t.Context(), seen("k", "v", "r1"), noon)
	if err != nil {
		t.Fatal(err)
	}
	approved := read
	approved.State = hold.Approved
	if _, err := b.Put(t.Context(), approved, noon); err != nil {
		t.Fatal(err)
	}
	h, err := b.Close(t.Context(), read, "a matching upload appeared", noon)
	if err != nil || h.State != hold.Approved {
		t.Errorf("%v: %+v", err, h)
	}
}

func TestOnlyAnOpenHoldIsKept(t *testing.T) {
	b := newBook()
	h, _, err := b.See(t.Context(), seen("k", "v", "r1"), noon)
	if err != nil {
		t.Fatal(err)
	}
	h.State = hold.Approved
	if h, err = b.Put(t.Context(), h, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Keep(t.Context(), h, "ann", "", noon); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("an approved one: %v", err)
	}
	if _, err := b.Keep(t.Context(), hold.Hold{Subject: hold.Subject{Bucket: "b", Key: "x", VersionID: "y"}}, "ann", "", noon); !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("one that is not there: %v", err)
	}
}

// Of many runs that open one hold exactly one opens it.
func TestManyOpenersMakeOneHold(t *testing.T) {
	b := newBook()
	var opened atomic.Int64
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			_, outcome, err := b.See(t.Context(), seen("k", "v", fmt.Sprint("r", i)), noon)
			if err != nil {
				t.Error(err)
			}
			if outcome == hold.Opened {
				opened.Add(1)
			}
		})
	}
	all.Wait()
	if opened.Load() != 1 {
		t.Errorf("%d opened it", opened.Load())
	}
}

func TestPagesOfHoldsAreWholeAndInOrder(t *testing.T) {
	b := newBook()
	var want []string
	for i := range 57 {
		h, _, err := b.See(t.Context(), seen(fmt.Sprint("k", i), "v", "r1"), noon)
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			if _, err := b.Keep(t.Context(), h, "ann", "", noon); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want = append(want, h.ID())
	}
	slices.Sort(want)
	for _, limit := range []int{1, 7, 38, 100} {
		var got []string
		for from := ""; ; {
			page, err := b.List(t.Context(), "b", from, limit, hold.Open)
			if err != nil || len(page.Holds) > limit {
				t.Fatalf("%d holds, %v", len(page.Holds), err)
			}
			for _, h := range page.Holds {
				got = append(got, h.ID())
			}
			if from = page.Next; from == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %d (-want +got):\n%s", limit, diff)
		}
	}
	if found, err := b.Find(t.Context(), "b", want[5][:10], 2); err != nil || len(found) != 1 || found[0].ID() != want[5] {
		t.Errorf("found %+v, %v", found, err)
	}
	if other, err := b.List(t.Context(), "c", "", 10); err != nil || len(other.Holds) != 0 {
		t.Errorf("another bucket has %+v, %v", other, err)
	}
	for _, wrong := range []string{"", "G", "../", strings.Repeat("z", 64)} {
		if _, err := b.Find(t.Context(), "b", wrong, 2); !errors.Is(err, upload.ErrRefused) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// A hold that says another object than its place would let a decision about
// one object act on another.
func TestHoldInAnothersPlaceIsRefused(t *testing.T) {
	documents := ledgers.New()
	b := hold.Book{Documents: documents}
	h, _, err := b.See(t.Context(), seen("k", "v", "r1"), noon)
	if err != nil {
		t.Fatal(err)
	}
	other := hold.Subject{Kind: hold.Version, Bucket: "b", Key: "other", VersionID: "v"}.ID()
	d, err := documents.Get(t.Context(), "HOLD#b#"+h.ID()[:1], h.ID())
	if err != nil || d.Revision == 0 {
		t.Fatalf("the document is %+v, %v", d, err)
	}
	for _, data := range []string{string(d.Data), `{"schema":2}`, "torn"} {
		moved := ledger.Document{Collection: "HOLD#b#" + other[:1], ID: other, Data: []byte(data)}
		if was, err := documents.Get(t.Context(), moved.Collection, other); err == nil {
			moved.Revision = was.Revision
		}
		if err := documents.Put(t.Context(), moved); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Get(t.Context(), "b", other); err == nil {
			t.Errorf("read from %.20s", data)
		}
	}
}

// Whatever is neither closed nor approved is taken for one that may be approved.
func TestHoldOfAnUnknownStateOrKindIsRefused(t *testing.T) {
	for _, change := range []func(*hold.Hold){
		func(h *hold.Hold) { h.State = "" }, func(h *hold.Hold) { h.State = "frozen" }, func(h *hold.Hold) { h.Kind = "bucket" },
	} {
		b := newBook()
		h := hold.Hold{Subject: seen("k", "v", "r1").Subject, State: hold.Open}
		change(&h)
		if _, err := b.Put(t.Context(), h, noon); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Get(t.Context(), "b", h.ID()); !errors.Is(err, upload.ErrRefused) {
			t.Errorf("%s %q is read: %v", h.Kind, h.State, err)
		}
	}
}

func TestViewMovesOnlyForward(t *testing.T) {
	b := newBook()
	for _, v := range []hold.View{{Run: "r2", Inventory: noon.Add(time.Hour)}, {Run: "r1", Inventory: noon}} {
		if err := b.SetView(t.Context(), "b", v); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := b.View(t.Context(), "b"); err != nil || v.Run != "r2" {
		t.Errorf("the view is %+v, %v", v, err)
	}
}

// The null version of a key is another object once it is overwritten. With the
// old facts, no approval of it would ever go through.
func TestOpenHoldOfWhatWasOverwrittenIsOpenedAnew(t *testing.T) {
	b := newBook()
	if _, _, err := b.See(t.Context(), seen("k", "null", "r1"), noon); err != nil {
		t.Fatal(err)
	}
	other := seen("k", "null", "r2")
	other.ETag, other.LastModified = "another", noon
	h, outcome, err := b.See(t.Context(), other, noon)
	if err != nil || outcome != hold.Opened || h.ETag != "another" || h.FirstSeen.Run != "r2" {
		t.Errorf("%s, %v: %+v", outcome, err, h)
	}
}
