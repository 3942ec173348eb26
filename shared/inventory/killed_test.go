package inventory_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/inventory"
)

type oneObject string

func (o oneObject) Get(context.Context, string, int64, string) (inventory.Object, error) {
	return inventory.Object{Body: io.NopCloser(strings.NewReader(string(o))), Size: int64(len(o)), ETag: "e"}, nil
}

// A function that runs into its deadline is killed, and its folder stays: a
// fetched file that had a name would lie there, and the next ones find no room.
func TestFetchedFileHasNoNameThatAKilledProcessCouldLeaveBehind(t *testing.T) {
	temp := t.TempDir()
	f, err := inventory.InBucket(oneObject("text"), temp).Open(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("%d files lie in the folder, %v", len(left), err)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
