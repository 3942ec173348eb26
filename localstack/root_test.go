package localstack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newProject is an empty checkout of this project.
func newProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "// a comment\nmodule "+module+"\n\ngo 1.26\n")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestRootIsFoundFromAFolderBelowItAndPastAnotherModule(t *testing.T) {
	project := newProject(t)
	below := filepath.Join(project, "examples", "app", "deep")
	write(t, filepath.Join(project, "examples", "app", "go.mod"), "module example.com/app\n")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := findRoot(below)
	if err != nil || got != project {
		t.Errorf("findRoot = %q, %v, want %q", got, err, project)
	}
}

func TestOutsideTheProjectNoRootIsFound(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/other\n")
	_, err := findRoot(dir)
	if err == nil || !strings.Contains(err.Error(), "run this inside a checkout") {
		t.Errorf("findRoot in another module: %v", err)
	}
}
