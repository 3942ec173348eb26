package findings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/reconcile"
)

func write(t *testing.T, path string, all ...reconcile.Finding) *File {
	t.Helper()
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := f.Write(all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestALineHoldsWhatIsKnownAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	at := time.Date(2026, 11, 1, 0, 0, 0, 5e6, time.UTC)
	f := write(t, path,
		reconcile.Finding{
			Verdict: reconcile.Orphan, Bucket: "b", Key: `k/<>&"'` + "\t日", VersionID: "v1", Size: 7,
			LastModified: at, NullVersion: true, Note: "why",
		},
		reconcile.Finding{Verdict: reconcile.Missing, Bucket: "b", Key: "bad\xff", Size: -1, RecordedAt: at, Tenant: "t", Upload: "u"},
		reconcile.Finding{Verdict: reconcile.Corrupt, Bucket: "b", Key: "k", VersionID: "null", Size: 0},
	)
	if err := f.Keep(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"verdict":"orphan","bucket":"b","key":"k/<>&\"'\t日","version_id":"v1","size":7,"last_modified":"2026-11-01T00:00:00.005Z","key_known":false,"null_version":true,"note":"why"}
{"verdict":"missing","bucket":"b","key_base64":"YmFk/w==","recorded_at":"2026-11-01T00:00:00.005Z","tenant":"t","upload":"u"}
{"verdict":"corrupt","bucket":"b","key":"k","version_id":"null","size":0}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.Lines() != 3 {
		t.Errorf("%d lines", f.Lines())
	}
}

// The file names objects: readable by a group or the world it would tell what
// users have stored.
func TestTheFileIsItsOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	if err := write(t, path).Keep(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// With the name given at once, a run that broke off would leave a file that
// looks like a whole report.
func TestUntilItIsKeptTheFileHasNotItsNameAndDiscardedNothingIsLeft(t *testing.T) {
	dir := t.TempDir()
	f := write(t, filepath.Join(dir, "f.jsonl"), reconcile.Finding{})
	if got := names(t, dir); len(got) != 1 || got[0] == "f.jsonl" {
		t.Errorf("before it is kept there is %v", got)
	}
	f.Discard()
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("discarded, there is %v", got)
	}
	f = write(t, filepath.Join(dir, "f.jsonl"))
	if err := f.Keep(); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	if got := names(t, dir); len(got) != 1 || got[0] != "f.jsonl" {
		t.Errorf("kept, there is %v", got)
	}
}

// Overwriting would destroy the report that somebody is working through.
func TestAFileThatIsThereIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.jsonl")
	late := write(t, path, reconcile.Finding{})
	if err := os.WriteFile(path, []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("begun over a file: %v", err)
	}
	if err := late.Keep(); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("kept over a file: %v", err)
	}
	late.Discard()
	if got, _ := os.ReadFile(path); string(got) != "earlier" {
		t.Errorf("the file holds %q", got)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("there is %v", got)
	}
}

func TestAFolderThatIsNotThereIsSaid(t *testing.T) {
	if _, err := Create(filepath.Join(t.TempDir(), "no", "f.jsonl")); err == nil || !strings.HasPrefix(err.Error(), "create the findings file: ") {
		t.Errorf("%v", err)
	}
}
