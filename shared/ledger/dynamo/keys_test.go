package dynamo

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// The emulator orders equal sort keys by the table's key; DynamoDB promises
// nothing. Without the number made from the upload, a page that ends in the
// midst of one instant could lose the rest of it there, and only there.
func TestEqualInstantsHaveAnOrderOfTheirOwnInTheIndex(t *testing.T) {
	seen := map[string]bool{}
	for n := range 1_000 {
		seen[dueSort(start, id(n))] = true
	}
	if len(seen) != 1_000 {
		t.Errorf("1,000 uploads of one instant have %d places", len(seen))
	}
}

func TestTheIndexSortsByInstant(t *testing.T) {
	a, b := upload.ID{Tenant: "z", Upload: "z"}, upload.ID{Tenant: "a", Upload: "a"}
	for _, step := range []time.Duration{time.Millisecond, time.Second, time.Hour, 9_000 * time.Hour} {
		if dueSort(start, a) >= dueSort(start.Add(step), b) || dueSort(start, a) >= dueThrough(start) ||
			dueThrough(start) >= dueSort(start.Add(step), b) {
			t.Errorf("%v later does not sort later", step)
		}
	}
}
