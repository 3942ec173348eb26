package installation_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// What was not uploaded through us is looked at, version by version, before it
// goes: calls that no other purge makes. The recorder judges by generated keys
// and cannot judge these, so the story is told without it.
func TestEveryCallOfThePurgeOfAnAdoptedObjectFails(t *testing.T) {
	set := fault.New()
	playAdopted(t, set)
	looks := 0
	for _, call := range set.Calls() {
		for _, c := range fault.Cases(call.Operation) {
			f := fault.Fault{Call: call, Case: c}
			t.Run(f.String(), func(t *testing.T) {
				t.Parallel()
				set := fault.New(f)
				playAdopted(t, set)
				for _, missed := range set.Missed() {
					t.Errorf("no call met the fault: %s", missed)
				}
			})
		}
		if call.Operation == "objects.Stat" {
			looks++
		}
	}
	if looks == 0 {
		t.Error("nothing was looked at")
	}
}

// playAdopted has one version of a key adopted and purged, another left alone.
func playAdopted(t *testing.T, set *fault.Set) {
	t.Helper()
	w := inMemory(t, roomy())
	bare := w.Stores
	s := sceneIn(t, w, set, faulty(set, bare))
	old, kept := s.hands.write(t, "theirs", "old"), s.hands.write(t, "theirs", "kept")
	facts, err := bare.Objects.Stat(t.Context(), s.Bucket, "theirs", old)
	must(t, err)
	id := upload.ID{Tenant: tenant, Upload: s.newID()}
	s.ids["it"] = id
	s.check = func() { assertAdopted(t, s, old, kept) }
	change, err := upload.Step(s.Policy, upload.Record{}, upload.Adopt{ID: id, Source: "a release elsewhere", Objects: []upload.Explicit{{
		Bucket: s.Bucket, Key: "theirs", VersionID: old, ETag: facts.ETag, Size: facts.Size, LastModified: facts.LastModified,
	}}}, s.Clock.Now())
	must(t, err)
	must(t, bare.Ledger.Commit(t.Context(), change))
	s.later(time.Hour)
	must(t, s.Census(t.Context()))
	must(t, s.sweep(t.Context(), s.Clock.Now()))
	s.play([]act{{byWorker, "the adopted object", func(ctx context.Context, s *scene) error { return s.work(ctx, "it") }}})
	s.check()
	if r := s.load(t, id); r.State != upload.StateDeleted || r.Retained.Count != 0 {
		t.Errorf("it is %s, %d are retained", r.State, r.Retained.Count)
	}
	if _, err := bare.Objects.Stat(t.Context(), s.Bucket, "theirs", old); err == nil {
		t.Error("the adopted version stands")
	}
}

// assertAdopted: the version beside it stands, and its own until it is claimed.
func assertAdopted(t *testing.T, s *scene, old, kept string) {
	t.Helper()
	standing := map[string]bool{}
	for v, err := range objects.VersionsOf(t.Context(), s.Stores.Objects, s.Bucket, "theirs") {
		must(t, err)
		standing[v.VersionID] = true
	}
	r := s.load(t, s.ids["it"])
	claimed := r.State == upload.StateDeleting || r.State == upload.StateDeleted
	if !standing[kept] || !standing[old] && !claimed {
		t.Errorf("while it is %s there stand %s", r.State, fmt.Sprint(standing))
	}
}
