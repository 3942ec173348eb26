package reconciler

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/strandline-dev/strandline/shared/storageevent"
)

// FuzzEvent: an event is a schedule's with an instant and one of two tasks, or
// tells of objects, or is refused in one short line; and of objects only the
// checksum of an inventory in its own place, of a bucket of ours, names one.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"eventbridge.json", "foreign.json", "s3-event.json", "s3-test-event.json", "schedule.json", "sweep.json"} {
		raw, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, "lists of uploads/uploads/daily/2026-03-01T01-00Z/manifest.checksum")
	}
	f.Add([]byte(`{"task":"`+strings.Repeat("long", 200)+`"}`), "lists of uploads/uploads/../daily/manifest.checksum")
	f.Add([]byte(`{"task":"sweep","time":"`+strings.Repeat("long", 200)+`"}`), "")
	a := &App{config: Config{InventoryBucket: "inventories", InventoryPrefix: "lists of uploads", SourceBuckets: []string{"uploads", "more"}}}
	f.Fuzz(func(t *testing.T, raw []byte, key string) {
		wantEvent(t, raw)
		d, why := a.foreign(storageevent.Created{Bucket: "inventories", Key: key, At: time.Unix(1, 0)})
		if why != "" {
			if d != (delivery{}) {
				t.Fatalf("%q is foreign (%s), and is %+v", key, why, d)
			}
			return
		}
		folder, ok := strings.CutSuffix(d.manifestKey, manifestName)
		if !ok || folder+checksumName != key || strings.Count(key, "/") != 4 || !strings.HasPrefix(key, "lists of uploads/"+d.source+"/") {
			t.Fatalf("%q is %+v", key, d)
		}
	})
}

func wantEvent(t *testing.T, raw []byte) {
	t.Helper()
	e, err := readEvent(raw)
	switch {
	case err != nil:
		if says := err.Error(); len(says) > 600 || strings.ContainsAny(says, "\n\r") || !utf8.ValidString(says) || e.task != "" || len(e.created) > 0 {
			t.Fatalf("%.600q with %+v", says, e)
		}
	case e.task != "":
		if e.task != taskReconcile && e.task != taskSweep || len(e.created) > 0 {
			t.Fatalf("%+v", e)
		}
	case len(e.created) > len(raw)/2 || !e.fired.IsZero():
		t.Fatalf("%d objects of %d bytes", len(e.created), len(raw))
	}
}
