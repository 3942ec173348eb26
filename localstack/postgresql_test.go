package localstack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A machine that has no PostgreSQL of its own gets one: where the package lies,
// and in a copy for an account that cannot reach that. Without the libraries
// beside them the programs do not even say their version.
func TestFetchedPostgreSQLRunsWhereItLiesAndAsACopy(t *testing.T) {
	fetched, err := FetchPostgreSQL(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := fetched.Copy(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Programs{fetched, copied} {
		for _, name := range []string{"initdb", "postgres"} {
			out, err := exec.CommandContext(t.Context(), filepath.Join(p.Bin(), name), "--version").CombinedOutput()
			if want := "(PostgreSQL) " + programs.version + "."; err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%s says %q, %v: expected %q", name, out, err, want)
			}
		}
	}
}
