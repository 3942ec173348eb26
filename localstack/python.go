package localstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// PythonVariable names the environment variable that says which Python
// installs and runs the emulator. Without it the usual names are tried.
const PythonVariable = "STRANDLINE_PYTHON"

const probeDeadline = 20 * time.Second

// pythonNames are tried in this order. What pyenv has comes last: its names on
// PATH run only the versions that somebody has chosen.
func pythonNames() []string {
	return append([]string{
		"python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python",
	}, pyenvPythons()...)
}

// pyenvPythons are the interpreters below pyenv's folder, the newest first.
func pyenvPythons() []string {
	root := os.Getenv("PYENV_ROOT")
	if root == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		root = filepath.Join(home, ".pyenv")
	}
	// The only error is a bad pattern: a root that looks like one has none.
	found, _ := filepath.Glob(filepath.Join(root, "versions", "3.1[0-9]*", "bin", "python3"))
	slices.Sort(found)
	slices.Reverse(found)
	return found
}

// errPython is the kind of every answer that says which Python is missing.
var errPython = errors.New("no usable python")

type pythonError string

func (e pythonError) Error() string        { return string(e) }
func (e pythonError) Is(target error) bool { return target == errPython }

// python is what a probe found out about one interpreter.
type python struct {
	name         string
	major, minor int
	venv         bool
}

// runs reports whether an interpreter is of a version that the emulator runs on.
func (r recipe) runs(p python) bool {
	if p.major != 3 {
		return p.major > 3 && r.newest == 0
	}
	return p.minor >= r.minor && (r.newest == 0 || p.minor <= r.newest)
}

// findPython returns an interpreter that can build a virtual environment, or
// one line that says what is missing and what to do.
func (r recipe) findPython(ctx context.Context) (string, error) {
	names := pythonNames()
	named := os.Getenv(PythonVariable)
	if named != "" {
		names = []string{named}
	}
	var found []python
	for _, name := range names {
		p, ok := probePython(ctx, name)
		if ok && r.runs(p) && p.venv {
			return p.name, nil
		}
		if ok {
			found = append(found, p)
		}
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("look for python: %w", err)
	}
	return "", r.missingPython(named, found)
}

// missingPython explains the best of the interpreters that will not do.
func (r recipe) missingPython(named string, found []python) error {
	for _, p := range found {
		if r.runs(p) {
			return pythonError(fmt.Sprintf("python 3.%d (%s) has no venv or no ensurepip module: install it (debian, ubuntu: apt-get install python3-venv)", p.minor, p.name))
		}
	}
	remedy := fmt.Sprintf("install %s, or set %s to its path", r.pythons(), PythonVariable)
	if named != "" {
		remedy = fmt.Sprintf("set %s to a %s, or unset it", PythonVariable, r.pythons())
	}
	if len(found) > 0 {
		p := found[0]
		return pythonError(fmt.Sprintf("python %d.%d (%s) is %s: %s", p.major, p.minor, p.name, r.misfit(p), remedy))
	}
	if named != "" {
		return pythonError(fmt.Sprintf("%s is %q, which does not run as a python: %s", PythonVariable, named, remedy))
	}
	return pythonError("python is missing and " + r.name + " needs it: " + remedy)
}

func (r recipe) misfit(p python) string {
	if p.major > 3 || p.minor > r.minor {
		return "too new for " + r.name
	}
	return "too old for " + r.name
}

const probeScript = `
import sys
print(sys.version_info[0], sys.version_info[1])
import venv, ensurepip
print("venv")
`

// probePython asks an interpreter for its version and whether it can build
// virtual environments. A wrapper whose Python is not installed is not ok.
func probePython(ctx context.Context, name string) (python, bool) {
	path, err := exec.LookPath(name)
	if err != nil {
		return python{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, probeDeadline)
	defer cancel()
	// The exit status is not asked: without venv the first line still counts.
	out, _ := exec.CommandContext(ctx, path, "-c", probeScript).Output()
	p := python{name: path}
	if _, err := fmt.Sscan(string(out), &p.major, &p.minor); err != nil {
		return python{}, false
	}
	p.venv = strings.Contains(string(out), "venv")
	return p, true
}
