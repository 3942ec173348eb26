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
	if rows < len(promised) {
		t.Errorf("%d rows, and %d are promised", rows, len(promised))
	}
	for _, situation := range promised {
		if !strings.Contains(doc, "\n| "+situation+" |") {
			t.Errorf("no row is about: %s", situation)
		}
	}
}

// promised is what has to be in the document, whatever else is: a row that is
// left out is a promise that nobody looks after.
var promised = []string{
	"a normal upload",
	"extension right, content wrong",
	"duplicate content",
	"four of five places are taken, and two come at once",
	"the put fails",
	"the cancel fails too",
	"the confirmation fails after the put",
	"the process is killed by a signal after the put and before the confirmation",
	"the same request again",
	"the store is down during the purge",
	"a worker is dead and its lease is over",
	"the dead worker comes back late",
	"a client of a large file dies and starts again",
	"a second device wants the same file",
	"a storage event comes twice, late, or in the wrong order",
	"the event comes before the application's own record",
	"an event of a cancelled upload, or of a purged one",
	"an object has another size or digest than stated",
	"a presigned URL is used twice",
	"a presigned URL is used after the cancel",
	"a presigned URL is used after the deadline",
	"versions, markers and doubles stand in a versioned bucket",
	"a multipart upload is left open",
	"a row is deleted and comes back within the grace",
	"10,000 rows go in one cascade",
	"a row's URL is replaced twice quickly, told of twice and in the wrong order",
	"a record or message cannot be read",
	"a reference is added while the release waits, or after the rows were asked",
	"two rows have one object",
	"rows cannot be asked: throttled, denied, the table or the index is gone",
	"the gate does not say delete",
}
