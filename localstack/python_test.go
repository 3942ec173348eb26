package localstack

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// onlyPythons leaves no program on PATH but these, which print what a probe
// would read.
func onlyPythons(t *testing.T, outputs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, output := range outputs {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n"+output+"\n")
	}
	t.Setenv("PATH", dir)
	t.Setenv(PythonVariable, "")
}

func TestPythonIsFoundOrTheOneMissingThingIsNamed(t *testing.T) {
	const modern, venv = "echo 3 12; echo venv", "; echo venv"
	for _, c := range []struct {
		name    string
		on      map[string]string
		chosen  string
		message string
	}{
		{"a recent python3", map[string]string{"python3": modern}, "python3", ""},
		{"an old python3 beside a recent one", map[string]string{"python3": "echo 3 8" + venv, "python3.11": modern}, "python3.11", ""},
		{"a wrapper without its python beside a recent one", map[string]string{"python3": "exit 127", "python": modern}, "python", ""},
		{"no venv beside one that has it", map[string]string{"python3": "echo 3 11; exit 1", "python3.10": modern}, "python3.10", ""},
		{"none", nil, "", "python is missing and the emulator needs it: install python 3.10 or newer, or set STRANDLINE_PYTHON"},
		{"only old ones", map[string]string{"python3": "echo 3 9" + venv, "python": "echo 2 7"}, "", "python 3.9"},
		{"debian without python3-venv", map[string]string{"python3": "echo 3 11; exit 1"}, "", "apt-get install python3-venv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onlyPythons(t, c.on)
			got, err := findPython(t.Context())
			if c.chosen != "" {
				if err != nil || filepath.Base(got) != c.chosen {
					t.Errorf("findPython = %q, %v, want %s", got, err, c.chosen)
				}
				return
			}
			assertMissing(t, err, c.message)
		})
	}
}

func TestANamedPythonIsTheOnlyOneTried(t *testing.T) {
	onlyPythons(t, map[string]string{"python3": "echo 3 12; echo venv", "old": "echo 3 7; echo venv"})
	t.Setenv(PythonVariable, "nothing")
	_, err := findPython(t.Context())
	assertMissing(t, err, `STRANDLINE_PYTHON is "nothing", which does not run as a python`)

	t.Setenv(PythonVariable, "old")
	_, err = findPython(t.Context())
	assertMissing(t, err, "is too old for the emulator: set STRANDLINE_PYTHON to a python 3.10 or newer")
}

func assertMissing(t *testing.T, err error, part string) {
	t.Helper()
	if !errors.Is(err, errPython) || !strings.Contains(err.Error(), part) {
		t.Fatalf("error %v, want one with %q", err, part)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
}
