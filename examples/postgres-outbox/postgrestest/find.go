package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/strandline-dev/strandline/localstack"
)

// BinVariable names the environment variable with the folder of initdb and
// postgres, where they are not on PATH.
const BinVariable = "STRANDLINE_POSTGRES_BIN"

// errMissing: this machine has no PostgreSQL of its own.
var errMissing = errors.New("PostgreSQL is missing: install 14 or newer, or set " + BinVariable + " to the folder of initdb and postgres")

// folders are where initdb and postgres may lie: where the variable says, on
// PATH, and where Debian puts them without putting them on PATH, newest first.
func folders() []string {
	if given := os.Getenv(BinVariable); given != "" {
		return []string{given}
	}
	var all []string
	if path, err := exec.LookPath("initdb"); err == nil {
		all = append(all, filepath.Dir(path))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // its only error is a bad pattern
	slices.SortFunc(debian, func(a, b string) int { return major(b) - major(a) })
	return append(all, debian...)
}

// major is the version in /usr/lib/postgresql/15/bin.
func major(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return n
}

// programs returns the folder that holds both programs: the machine's own, or
// those that the project fetches. Whoever the server runs as, which is somebody
// else where the tests run as root, has to reach them: then they are copied into
// the server's folder.
func programs(ctx context.Context, dir string, who *syscall.Credential) (string, error) {
	bin, err := find()
	if err == nil || os.Getenv(BinVariable) != "" {
		return bin, err
	}
	fetched, fetch := localstack.FetchPostgreSQL(ctx, os.Stderr)
	if fetch == nil && who != nil {
		fetched, fetch = fetched.Copy(filepath.Join(dir, "programs"))
	}
	if fetch != nil {
		return "", fmt.Errorf("%w; it could not be fetched either: %w", err, fetch)
	}
	return fetched.Bin(), nil
}

// find returns the folder that holds both programs on this machine.
func find() (string, error) {
	for _, folder := range folders() {
		_, noInit := exec.LookPath(filepath.Join(folder, "initdb"))
		_, noServer := exec.LookPath(filepath.Join(folder, "postgres"))
		if noInit == nil && noServer == nil {
			return folder, nil
		}
	}
	return "", errMissing
}
