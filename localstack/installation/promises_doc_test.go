package installation_test

import (
	"os"
	"strings"
	"testing"
)

const promisesDoc = projectRoot + "/docs/promises.md"

// A promise whose test nobody has is a promise without one.
func TestEveryPromiseNamesATestThatExists(t *testing.T) {
	raw, err := os.ReadFile(promisesDoc)
	must(t, err)
	doc := string(raw)
	wantNamedTests(t, doc)
	rows := 0
	for line := range strings.Lines(doc) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| situation |") {
			continue
		}
		if rows++; strings.Count(line, "|") != 4 || !namedTest.MatchString(line) {
			t.Errorf("a row without a test, or not of three columns: %s", line)
		}
	}
	if rows == 0 {
		t.Error("nothing is promised")
	}
}
