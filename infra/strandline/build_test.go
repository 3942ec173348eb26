//go:build infra

package strandline

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
)

// Bytes that change without a change of the sources would deploy new functions
// every time. The second build is made from a copy of the sources elsewhere.
func TestTwoBuildsInTwoPlacesGiveTheSameBytes(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.CopyFS(filepath.Join(elsewhere, "shared"), os.DirFS(filepath.Join(root, "shared"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(elsewhere, "functions"), os.DirFS(filepath.Join(root, "functions"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(elsewhere, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sums := map[string][32]byte{}
	for _, place := range []string{root, elsewhere} {
		t.Chdir(place)
		out := t.TempDir()
		if err := Build(t.Context(), out, ARM64); err != nil {
			t.Fatal(err)
		}
		for _, name := range Functions {
			file := filepath.Join(out, name, "bootstrap")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if about, err := os.Stat(file); err != nil || about.Mode().Perm() != 0o755 {
				t.Errorf("%s has mode %v", name, about.Mode())
			}
			sum := sha256.Sum256(text)
			if had, second := sums[name]; second && had != sum {
				t.Errorf("%s has other bytes, built elsewhere", name)
			}
			sums[name] = sum
		}
	}
}

func TestAnArchitectureThatLambdaHasNotIsRefused(t *testing.T) {
	if err := Build(t.Context(), t.TempDir(), "sparc"); err == nil {
		t.Error("no error")
	}
}
