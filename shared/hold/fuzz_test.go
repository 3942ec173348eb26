package hold

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
)

// FuzzStored: whatever a document holds in the place of a hold, it is the hold of
// the object in whose place it lies, and the same when it is stored and read
// again; or it is an error. A hold is approved by its id: that of another object
// must not be found there.
func FuzzStored(f *testing.F) {
	f.Add([]byte(`{"schema":1,"kind":"version","state":"held","bucket":"b","key_base64":"awD/","version_id":"v","size":7,"first_seen":{"run":"r","inventory":"2026-03-01T12:00:00Z"},
		"last_seen":{"run":"r","inventory":"2026-03-01T12:00:00Z"},"adopted":{"tenant":"t","upload":"u"}}`), true)
	f.Add([]byte(`{"schema":2,"kind":"version","state":"held"}`), true)
	f.Add([]byte(`{"schema":1,"kind":"multipart","state":"approved","bucket":"b","key_base64":"aw==","version_id":"v"}`), false)
	f.Fuzz(func(t *testing.T, data []byte, own bool) {
		d := ledger.Document{Data: data, ID: Subject{Kind: Version, Bucket: "b", Key: "k", VersionID: "v"}.ID(), Revision: 3}
		if own { // lies where what it names belongs
			var s stored
			if json.Unmarshal(data, &s) != nil {
				return
			}
			d.ID = Subject{s.Kind, s.Bucket, string(s.Key), s.VersionID}.ID()
		}
		h, err := read(d)
		if err != nil {
			if h != (Hold{}) {
				t.Fatalf("refused (%v), and a hold all the same: %+v", err, h)
			}
			return
		}
		if h.ID() != d.ID {
			t.Fatalf("%s is found in the place of another", data)
		}
		doc, err := h.document(time.Unix(1, 0))
		if err != nil {
			return // an instant that JSON cannot say
		}
		again, err := read(doc)
		if diff := cmp.Diff(h, again); err != nil || diff != "" {
			t.Fatalf("%s became %s: %v\n%s", data, doc.Data, err, diff)
		}
	})
}
