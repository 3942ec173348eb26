package runtimeapi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/strandline-dev/strandline/localstack/runtimeapi"
)

// Whatever a go command that was interrupted leaves behind goes with the build.
func TestABuildThatIsCutShortLeavesNoFileBehind(t *testing.T) {
	bin, temporary := t.TempDir(), t.TempDir()
	command := "#!/bin/sh\nmkdir -p \"${GOTMPDIR:-$TMPDIR}/go-build1/b001\" && kill -KILL $$\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(command), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", temporary)
	if err := runtimeapi.Build(t.Context(), "./nothing", filepath.Join(bin, "nothing")); err == nil {
		t.Fatal("no error of a build that was cut short")
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v left behind, %v", left, err)
	}
}
