package ledgertest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var documentTests = map[string]func(*testing.T, Ledger){
	"a document is stored as the revision after the one read":      documentRevisions,
	"of many puts on one revision exactly one wins":                oneDocumentWins,
	"a range of documents is listed in order":                      documentRange,
	"a list of several megabytes is whole":                         longList,
	"a document at the size limit is stored, one byte more not":    documentSize,
	"a document in the place of uploads or of the gate is refused": reservedCollections,
}

func getDocument(t *testing.T, l Ledger, collection, id string) ledger.Document {
	t.Helper()
	d, err := l.Get(t.Context(), collection, id)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return d
}

func putDocument(t *testing.T, l Ledger, d ledger.Document) {
	t.Helper()
	if err := l.Put(t.Context(), d); err != nil {
		t.Fatalf("put: %v", err)
	}
}

func documentRevisions(t *testing.T, l Ledger) {
	d := getDocument(t, l, "RUN#pass", "one")
	if d.Revision != 0 || d.Data != nil || d.Collection != "RUN#pass" || d.ID != "one" {
		t.Errorf("an absent document is %+v", d)
	}
	d.Data, d.ExpiresAt = []byte(`{"a":1}`), start.Add(time.Hour)
	putDocument(t, l, d)
	expectError(t, l.Put(t.Context(), d), upload.ErrChanged)
	d.Revision++
	if diff := cmp.Diff(d, getDocument(t, l, "RUN#pass", "one")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.Data, d.ExpiresAt = []byte("second"), time.Time{}
	putDocument(t, l, d)
	expectError(t, l.Put(t.Context(), d), upload.ErrChanged)
	d.Revision = 0
	expectError(t, l.Put(t.Context(), d), upload.ErrChanged)
	d.Revision = 7
	expectError(t, l.Put(t.Context(), d), upload.ErrChanged)
	got := getDocument(t, l, "RUN#pass", "one")
	if got.Revision != 2 || string(got.Data) != "second" || !got.ExpiresAt.IsZero() {
		t.Errorf("stored is %+v", got)
	}
	if other := getDocument(t, l, "RUN#census", "one"); other.Revision != 0 {
		t.Errorf("another collection has it too: %+v", other)
	}
}

// Without the condition on the revision, two passes hold one lease.
func oneDocumentWins(t *testing.T, l Ledger) {
	for revision := range int64(2) {
		var won atomic.Int64
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Go(func() {
				d := ledger.Document{Collection: "LEASE", ID: "pass", Data: fmt.Append(nil, i), Revision: revision}
				err := l.Put(t.Context(), d)
				if err == nil {
					won.Add(1)
					return
				}
				expectError(t, err, upload.ErrChanged)
			})
		}
		wait.Wait()
		if won.Load() != 1 {
			t.Errorf("on revision %d %d won", revision, won.Load())
		}
	}
}

func listed(t *testing.T, l Ledger, collection, from, to string) []string {
	t.Helper()
	var ids []string
	for d, err := range l.List(t.Context(), collection, from, to) {
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		ids = append(ids, d.ID)
	}
	return ids
}

func documentRange(t *testing.T, l Ledger) {
	for _, id := range []string{"c", "a", "d", "b", "ö", "a#1"} {
		putDocument(t, l, ledger.Document{Collection: "RUN#pass", ID: id, Data: []byte(id)})
	}
	putDocument(t, l, ledger.Document{Collection: "RUN#pass2", ID: "b"})
	for bounds, want := range map[[2]string][]string{
		{"", ""}:     {"a", "a#1", "b", "c", "d", "ö"},
		{"b", ""}:    {"b", "c", "d", "ö"},
		{"", "c"}:    {"a", "a#1", "b"},
		{"a#1", "d"}: {"a#1", "b", "c"},
		{"b", "b"}:   nil,
		{"d", "a"}:   nil,
		{"bb", "cc"}: {"c"},
	} {
		if got := listed(t, l, "RUN#pass", bounds[0], bounds[1]); !slices.Equal(got, want) {
			t.Errorf("from %q to %q: %v, want %v", bounds[0], bounds[1], got, want)
		}
	}
	for d, err := range l.List(t.Context(), "RUN#pass", "", "") {
		if err != nil || d.ID != "a" || string(d.Data) != "a" || d.Revision != 1 {
			t.Errorf("the first is %+v, %v", d, err)
		}
		break
	}
}

func longList(t *testing.T, l Ledger) {
	var want []string
	for n := range 12 {
		id := fmt.Sprintf("%04d", n)
		want = append(want, id)
		putDocument(t, l, ledger.Document{Collection: "PLAN#x", ID: id, Data: bytes.Repeat([]byte{byte(n)}, 300_000)})
	}
	if got := listed(t, l, "PLAN#x", "", ""); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func documentSize(t *testing.T, l Ledger) {
	d := ledger.Document{Collection: "PLAN#x", ID: strings.Repeat("i", ledger.MaxDocumentIDBytes), Data: make([]byte, ledger.MaxDocument)}
	putDocument(t, l, d)
	if got := getDocument(t, l, d.Collection, d.ID); len(got.Data) != ledger.MaxDocument {
		t.Errorf("%d bytes came back", len(got.Data))
	}
	d.Revision, d.Data = 1, make([]byte, ledger.MaxDocument+1)
	expectError(t, l.Put(t.Context(), d), upload.ErrRefused)
}

// Without this, a document could take the place of an upload's record.
func reservedCollections(t *testing.T, l Ledger) {
	for _, d := range []ledger.Document{
		{Collection: "T#acme#U#u-1", ID: "#"}, {Collection: "GATE#main", ID: "#"},
		{Collection: "", ID: "x"}, {Collection: "RUN", ID: ""},
		{Collection: "RUN", ID: strings.Repeat("x", ledger.MaxDocumentIDBytes+1)},
	} {
		_, err := l.Get(t.Context(), d.Collection, d.ID)
		expectError(t, err, upload.ErrRefused)
		expectError(t, l.Put(t.Context(), d), upload.ErrRefused)
	}
	for _, err := range l.List(t.Context(), "T#acme", "", "") {
		expectError(t, err, upload.ErrRefused)
	}
}
