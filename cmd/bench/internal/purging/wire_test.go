package purging

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// A replay whose conditions failed, or a purge that left something, would be
// measured as a fast one.
func TestOverTheWireBothSidesDoAllOfIt(t *testing.T) {
	w, err := OverWire(t.Context(), localstacktest.Endpoint(t), 30, 10, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Purge) != 2 || len(w.Bare) != 2 || w.Singly <= 0 {
		t.Errorf("measured %+v", w)
	}
	if least, most := 2*30+3, 2*30+10; w.Calls < least || w.Calls > most {
		t.Errorf("%d calls for 30 uploads, expected %d to %d", w.Calls, least, most)
	}
}

func TestTheWorkerWhoseMemoryIsMeasuredDoesAllOfIt(t *testing.T) {
	sizes := []int{10, 2_100, 10} // the second is written in steps, and lies in pages
	peak, err := peakOver(t.Context(), localstacktest.Endpoint(t), sizes, func(given task) (int64, error) {
		told, err := json.Marshal(given)
		if err != nil {
			return 0, err
		}
		var said bytes.Buffer
		if err := Work(t.Context(), bytes.NewReader(told), &said); err != nil {
			return 0, err
		}
		return strconv.ParseInt(said.String(), 10, 64)
	})
	if err != nil {
		t.Fatal(err)
	}
	if peak < 1<<20 {
		t.Errorf("a peak of %d bytes", peak)
	}
}
