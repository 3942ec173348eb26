package ledgertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var referenceTests = map[string]func(*testing.T, Ledger){
	"every reference that was ever added is found with its state": everyReference,
	"an upload that nobody refers to has no references":           noReferences,
}

func referencesOf(t *testing.T, l Ledger, u upload.ID) map[upload.Reference]ledger.ReferenceState {
	t.Helper()
	all := map[upload.Reference]ledger.ReferenceState{}
	for use, err := range l.References(t.Context(), u) {
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := all[use.Reference]; twice {
			t.Errorf("%v came twice", use.Reference)
		}
		if !use.Added.Equal(start) {
			t.Errorf("%v was added at %v, not at %v", use.Reference, use.Added, start)
		}
		all[use.Reference] = use.State
	}
	return all
}

func everyReference(t *testing.T, l Ledger) {
	r := completed(t, l, 1)
	other := completed(t, l, 11)
	want := map[upload.Reference]ledger.ReferenceState{}
	refs := []upload.Reference{
		{Source: "posts", Entity: "17"},
		{Source: "posts", Entity: "17", Generation: 1},
		{Source: "a#b", Entity: "%23", Generation: -3},
		{Source: "a", Entity: "b#%"},
	}
	for n := range 20 { // more than a few, with ids as long as they may be
		refs = append(refs, upload.Reference{Source: "s", Entity: fmt.Sprintf("%0128d", n)})
	}
	for i, ref := range refs {
		r = commit(t, l, r, upload.AddReference{Reference: ref}, start)
		if want[ref] = ledger.ReferenceLive; i%2 == 1 {
			r = commit(t, l, r, upload.DropReference{Reference: ref}, start)
			want[ref] = ledger.ReferenceDropped
		}
	}
	commit(t, l, other, upload.AddReference{Reference: upload.Reference{Source: "posts", Entity: "99"}}, start)
	if diff := cmp.Diff(want, referencesOf(t, l, r.ID)); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}

func noReferences(t *testing.T, l Ledger) {
	r := completed(t, l, 1)
	if got := referencesOf(t, l, r.ID); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := referencesOf(t, l, id(404)); len(got) != 0 {
		t.Errorf("of an upload that does not exist: %v", got)
	}
	for _, bad := range []upload.ID{{}, {Tenant: "acme", Upload: strings.Repeat("x", 200)}} {
		failed := false
		for _, err := range l.References(t.Context(), bad) {
			expectError(t, err, upload.ErrRefused)
			failed = true
		}
		if !failed {
			t.Errorf("%v has an answer", bad)
		}
	}
}
