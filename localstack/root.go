package localstack

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const module = "github.com/strandline-dev/strandline"

// findRoot walks up from dir to the folder of this project's go.mod. A go.mod
// of another module is passed by: nothing may be written into other people's
// projects.
func findRoot(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the project's root: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		found, err := declaresModule(filepath.Join(at, "go.mod"))
		if err != nil {
			return "", fmt.Errorf("find the project's root: %w", err)
		}
		if found {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod of %s in %s or above: run this inside a checkout of the project", module, start)
		}
	}
}

func declaresModule(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`) == module, nil
		}
	}
	return false, lines.Err()
}
