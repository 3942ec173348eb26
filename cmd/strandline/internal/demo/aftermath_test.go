package demo

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// toldAftermath runs the story that goes on with the reconciler.
func toldAftermath(t *testing.T, c cloud) (ending, *checks, string) {
	t.Helper()
	said := &strings.Builder{}
	out := &checks{out: said}
	found, err := tellStory(t.Context(), c, storyCases()[0], out)
	if err != nil {
		t.Fatal(err)
	}
	return found, out, said.String()
}

func TestTheAftermathFindsWhatTheChecklistSays(t *testing.T) {
	list := readChecklist(t)
	found, out, said := toldAftermath(t, inMemory())
	if len(out.failed) > 0 {
		t.Errorf("%d differ:\n%s", len(out.failed), said)
	}
	want := []row{
		{"listed on the story's clock", "21 versions"},
		{"ok: S1, and S2 but for one", "18"},
		{"orphan: S4, held since pass one", "3, holds 3"},
		{"missing: S2's, removed behind the ledger", "1"},
		{"unsettled: S3's, deleted just now", "5"},
		{"S4/1 approved: hidden", "versions 1, delete markers 1"},
		{"S4/1 restored: shown again", "versions 1, delete markers 0"},
		{"S4/2 approved, purged 14 days on", "versions 0, delete markers 1"},
	}
	if diff := cmp.Diff(want, found.rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a := list.Aftermath
	if a.OK != chunksS1+chunksS2-1 || a.Orphan != strangers || a.Missing != 1 || a.Hidden != 1 || a.Restored != 1 || a.Purged != 1 {
		t.Errorf("the checklist says %+v", a)
	}
}

// Without a check the demo would say "as it must be" of whatever it found.
func TestAnAftermathThatDiffersIsSaid(t *testing.T) {
	s, err := beginStory(t)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.passOne(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.passTwo(t.Context(), storyCases()[0]); err != nil {
		t.Fatal(err)
	}
	if err := s.lose(t.Context()); err != nil { // one more than the story tells
		t.Fatal(err)
	}
	s.s2 = s.s1
	s.checks.out = io.Discard
	before := len(s.checks.failed)
	if err := s.aftermath(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.checks.failed) == before {
		t.Error("two lost objects pass for one")
	}
}
