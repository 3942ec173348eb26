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
	t.Setenv("PYENV_ROOT", t.TempDir())
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
		{"none", nil, "", "python is missing and ministack needs it: install python 3.10 or newer, or set STRANDLINE_PYTHON"},
		{"only old ones", map[string]string{"python3": "echo 3 9" + venv, "python": "echo 2 7"}, "", "python 3.9"},
		{"debian without python3-venv", map[string]string{"python3": "echo 3 11; exit 1"}, "", "apt-get install python3-venv"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onlyPythons(t, c.on)
			got, err := ministack.findPython(t.Context())
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
	_, err := ministack.findPython(t.Context())
	assertMissing(t, err, `STRANDLINE_PYTHON is "nothing", which does not run as a python`)

	t.Setenv(PythonVariable, "old")
	_, err = ministack.findPython(t.Context())
	assertMissing(t, err, "is too old for ministack: set STRANDLINE_PYTHON to a python 3.10 or newer")
}

// pyenvHas makes a folder as pyenv's, of versions that print what a probe
// would read.
func pyenvHas(t *testing.T, outputs map[string]string) {
	t.Helper()
	root := t.TempDir()
	for version, output := range outputs {
		write(t, filepath.Join(root, "versions", version, "bin", "python3"), "#!/bin/sh\n"+output+"\n")
	}
	t.Setenv("PYENV_ROOT", root)
}

// A shim of pyenv is on PATH for each of its versions, and runs none that
// nobody has chosen.
func TestLocalStacksPythonIsFoundBelowPyenvsFolder(t *testing.T) {
	onlyPythons(t, map[string]string{"python3": "echo 3 11; echo venv", "python3.13": "exit 127"})
	pyenvHas(t, map[string]string{
		"3.9.18": "echo 3 9; echo venv", "3.12.1": "echo 3 12; echo venv", "3.13.0": "echo 3 13; echo venv", "3.14.0": "echo 3 14; echo venv",
	})
	got, err := LocalStack.recipe().findPython(t.Context())
	if err != nil || !strings.HasSuffix(got, "3.13.0/bin/python3") {
		t.Errorf("findPython = %q, %v", got, err)
	}
}

func TestLocalStackNamesThePythonThatItLacksInOneLine(t *testing.T) {
	for _, c := range []struct{ only, says string }{
		{"echo 3 11; echo venv", "is too old for localstack: install python 3.12 to 3.13, or set STRANDLINE_PYTHON to its path"},
		{"echo 3 14; echo venv", "is too new for localstack: install python 3.12 to 3.13, or"},
		{"exit 127", "python is missing and localstack needs it: install python 3.12 to 3.13, or"},
	} {
		onlyPythons(t, map[string]string{"python3": c.only})
		_, err := LocalStack.recipe().findPython(t.Context())
		assertMissing(t, err, c.says)
	}
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
