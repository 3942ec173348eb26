package postgrestest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// BinVariable names the environment variable with the folder of initdb and
// postgres, where they are not on PATH.
const BinVariable = "STRANDLINE_POSTGRES_BIN"

// errMissing is the one line for a machine without PostgreSQL.
var errMissing = errors.New("PostgreSQL is missing: install 14 or newer (debian, ubuntu: apt-get install postgresql), " +
	"put initdb and postgres on PATH, or set " + BinVariable + " to their folder")

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

// find returns the folder that holds both programs.
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
