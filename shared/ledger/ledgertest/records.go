package ledgertest

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/upload"
)

var recordTests = map[string]func(*testing.T, Ledger){
	"an absent upload is the zero record":                   absentIsZero,
	"a record with every field set comes back equal":        everyFieldComesBack,
	"a change onto another version changes nothing":         otherVersionChangesNothing,
	"of two reservations of one id the first stays":         secondReservationIsRefused,
	"of many commits on one version exactly one wins":       oneCommitWins,
	"of many reservations of one id exactly one wins":       oneReservationWins,
	"a change that changes nothing is not written":          nothingIsNotWritten,
	"different ids never make one record":                   idsNeverCollide,
	"an id that is not valid is refused":                    invalidIDsAreRefused,
	"many are loaded in order, with duplicates and absents": manyAreLoaded,
	"a loaded record is the caller's own":                   loadedIsACopy,
}

func absentIsZero(t *testing.T, l Ledger) {
	if got := load(t, l, id(1)); !cmp.Equal(got, upload.Record{}) {
		t.Errorf("got %+v", got)
	}
}

func everyFieldComesBack(t *testing.T, l Ledger) {
	for n, declared := range []int{3, 5_000} {
		r := full(t, declared)
		r.ID = id(n)
		if err := l.Commit(t.Context(), upload.Change{After: r}); err != nil {
			t.Fatal(err)
		}
		expectStored(t, l, r)
		many, err := l.LoadMany(t.Context(), []upload.ID{r.ID})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, many[0]); diff != "" {
			t.Errorf("loaded with many it is another (-want +got):\n%s", diff)
		}
	}
}

// Without the condition on the version, a decision that was made from an older
// record overwrites what happened since: a purge would undo a completion.
func otherVersionChangesNothing(t *testing.T, l Ledger) {
	first := commit(t, l, upload.Record{}, reserving(id(1)), start)
	stale := change(t, first, upload.Heartbeat{Fence: 1}, start.Add(time.Minute))
	second := commit(t, l, first, upload.Renew{Fence: 1, Lease: time.Minute}, start.Add(2*time.Minute))
	expectError(t, l.Commit(t.Context(), stale), upload.ErrChanged)
	expectStored(t, l, second)
	nobody := change(t, first, upload.Heartbeat{Fence: 1}, start)
	nobody.Before.ID, nobody.After.ID = id(2), id(2)
	expectError(t, l.Commit(t.Context(), nobody), upload.ErrChanged)
	if got := load(t, l, id(2)); got.Version != 0 {
		t.Errorf("a change without a record made one: %+v", got)
	}
}

func secondReservationIsRefused(t *testing.T, l Ledger) {
	first := commit(t, l, upload.Record{}, reserving(id(1)), start)
	other := reserving(id(1))
	other.Owner = "bob"
	expectError(t, l.Commit(t.Context(), change(t, upload.Record{}, other, start)), upload.ErrChanged)
	expectStored(t, l, first)
}

// atOnce runs n commits at the same time, and returns how many succeeded. Any
// error but the allowed one fails the test.
func atOnce(t *testing.T, l Ledger, n int, allowed error, nth func(i int) upload.Change) int {
	t.Helper()
	var (
		won  atomic.Int64
		wait sync.WaitGroup
		gate = make(chan struct{})
	)
	for i := range n {
		c := nth(i)
		wait.Go(func() {
			<-gate
			err := l.Commit(t.Context(), c)
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, allowed) {
				t.Errorf("got %v, want %v or none", err, allowed)
			}
		})
	}
	close(gate)
	wait.Wait()
	return int(won.Load())
}

func oneCommitWins(t *testing.T, l Ledger) {
	r := commit(t, l, upload.Record{}, reserving(id(1)), start)
	won := atOnce(t, l, 20, upload.ErrChanged, func(i int) upload.Change {
		return change(t, r, upload.Heartbeat{Fence: 1}, start.Add(time.Duration(i+1)*time.Second))
	})
	if got := load(t, l, id(1)); won != 1 || got.Version != 2 {
		t.Errorf("%d won, version %d", won, got.Version)
	}
}

func oneReservationWins(t *testing.T, l Ledger) {
	won := atOnce(t, l, 20, upload.ErrChanged, func(int) upload.Change {
		e := reserving(id(1))
		e.QuotaLimit = 100
		return change(t, upload.Record{}, e, start)
	})
	if won != 1 {
		t.Errorf("%d won", won)
	}
	expectQuota(t, l, "alice", 1)
}

func nothingIsNotWritten(t *testing.T, l Ledger) {
	r := commit(t, l, upload.Record{}, reserving(id(1)), start)
	r = commit(t, l, r, upload.BeginAssembly{Fence: 1}, start)
	again := change(t, r, upload.BeginAssembly{Fence: 1}, start.Add(time.Minute))
	if !again.Nothing() {
		t.Fatal("the core wants to write a repetition")
	}
	if err := l.Commit(t.Context(), again); err != nil {
		t.Errorf("got %v", err)
	}
	expectStored(t, l, r)
}

// Without the escaping, these pairs make one key, and one tenant's purge
// deletes the objects of another.
func idsNeverCollide(t *testing.T, l Ledger) {
	ids := []upload.ID{
		{Tenant: "a", Upload: "b"}, {Tenant: "a#U#b", Upload: "c"}, {Tenant: "a", Upload: "b#U#c"},
		{Tenant: "a#", Upload: "b"}, {Tenant: "a", Upload: "#b"}, {Tenant: "a%23", Upload: "b"},
		{Tenant: "a%2523", Upload: "b"}, {Tenant: "a%", Upload: "b"}, {Tenant: "a", Upload: "%23b"},
		{Tenant: "a/b", Upload: "c"}, {Tenant: "a", Upload: "b/c"}, {Tenant: "ä", Upload: "日本 語"},
		{Tenant: "a\u0308", Upload: "日本 語"}, // the same to the eye, and another id
		{Tenant: "#", Upload: "%"}, {Tenant: "%", Upload: "#"}, {Tenant: "A", Upload: "b"},
		{Tenant: strings.Repeat("#", 128), Upload: strings.Repeat("%", 128)},
		{Tenant: strings.Repeat("%", 128), Upload: strings.Repeat("#", 128)},
		{Tenant: strings.Repeat("語", 42) + "ab", Upload: strings.Repeat("x", 128)},
	}
	stored := map[upload.ID]upload.Record{}
	for n, u := range ids {
		e := reserving(u)
		e.Declared = n + 1
		stored[u] = commit(t, l, upload.Record{}, e, start)
	}
	for _, want := range stored {
		expectStored(t, l, want)
	}
	if got := len(allDue(t, l, start.AddDate(1, 0, 0), 7)); got != len(ids) {
		t.Errorf("%d entries are due, want %d", got, len(ids))
	}
}

func invalidIDsAreRefused(t *testing.T, l Ledger) {
	good := change(t, upload.Record{}, reserving(id(1)), start)
	for name, u := range map[string]upload.ID{
		"no tenant":          {Upload: "u"},
		"no upload":          {Tenant: "t"},
		"129 bytes":          {Tenant: "t", Upload: strings.Repeat("x", 129)},
		"129 bytes, unicode": {Tenant: strings.Repeat("語", 43), Upload: "u"},
		"not UTF-8":          {Tenant: "t", Upload: "\xff"},
		"a control letter":   {Tenant: "t", Upload: "a\nb"},
	} {
		c := good
		c.After.ID = u
		_, err := l.Load(t.Context(), u)
		_, many := l.LoadMany(t.Context(), []upload.ID{id(1), u})
		for what, err := range map[string]error{"commit": l.Commit(t.Context(), c), "load": err, "load many": many} {
			if !errors.Is(err, upload.ErrRefused) {
				t.Errorf("%s, %s: got %v", name, what, err)
			}
		}
	}
}

func manyAreLoaded(t *testing.T, l Ledger) {
	var ids []upload.ID
	want := map[upload.ID]upload.Record{}
	for n := range 230 {
		u := id(n)
		ids = append(ids, u, u, upload.ID{Tenant: "nobody", Upload: u.Upload})
		want[u] = commit(t, l, upload.Record{}, reserving(u), start)
	}
	got, err := l.LoadMany(t.Context(), ids)
	if err != nil || len(got) != len(ids) {
		t.Fatalf("%d records for %d ids: %v", len(got), len(ids), err)
	}
	for i, u := range ids {
		if diff := cmp.Diff(want[u], got[i]); diff != "" {
			t.Fatalf("place %d (-want +got):\n%s", i, diff)
		}
	}
	none, err := l.LoadMany(t.Context(), nil)
	if err != nil || len(none) != 0 {
		t.Errorf("none asked for: %d records, %v", len(none), err)
	}
}

// Without copies, an engine that looks at a record after its own change to it
// sees something nobody stored.
func loadedIsACopy(t *testing.T, l Ledger) {
	r := full(t, 3)
	r.ID = id(1)
	if err := l.Commit(t.Context(), upload.Change{After: r}); err != nil {
		t.Fatal(err)
	}
	many, err := l.LoadMany(t.Context(), []upload.ID{r.ID, r.ID})
	if err != nil {
		t.Fatal(err)
	}
	scribble(many[0].Manifest)
	if diff := cmp.Diff(r, many[1]); diff != "" {
		t.Errorf("two places of one answer share something:\n%s", diff)
	}
	want := full(t, 3)
	want.ID = r.ID
	scribble(r.Manifest) // what was committed is the caller's too
	expectStored(t, l, want)
}

func scribble(m upload.Manifest) {
	m.Attempts[0].Declared = 9
	m.Attempts[0].Listed[0] ^= 0xff
	m.Objects[0].Size = -1
	m.Objects[0].Multiparts[0] = "scribbled"
	m.Explicit[0].Key = "scribbled"
}
