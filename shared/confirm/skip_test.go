package confirm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

const lease = time.Minute

// Each reason there is, and what leads to it. Nothing is written for any, and
// where the record alone says so, nothing is looked at.
var skips = []struct {
	name, reason string
	looked       bool
	event        func(w *world) storageevent.Created
}{
	{
		// Somebody else's object is nobody's business here. Without it, events of
		// a whole bucket cost a read each, and a key that only looks like ours is
		// taken for ours.
		name: "a key of somebody else", reason: confirm.SkipUnknown,
		event: func(w *world) storageevent.Created {
			return storageevent.Created{Bucket: bucket, Key: "imports/logo.png", VersionID: "v"}
		},
	},
	{
		name: "a key that looks like ours, of no upload", reason: confirm.SkipUnknown,
		event: func(w *world) storageevent.Created {
			return storageevent.Created{Bucket: bucket, Key: "up/acme/u-9/1/1", VersionID: "v"}
		},
	},
	{
		name: "a key of our upload that was never declared", reason: confirm.SkipUnknown,
		event: func(w *world) storageevent.Created { return w.put("u-1", 1, 3, "never declared") },
	},
	{
		name: "our key in another bucket", reason: confirm.SkipUnknown,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			c.Bucket = "copies"
			return c
		},
	},
	{
		// A version that is called null is overwritten in place.
		name: "a bucket that keeps no versions", reason: confirm.SkipNoVersion,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			c.VersionID = objects.NullVersion
			return c
		},
	},
	{
		name: "a sender that names no version", reason: confirm.SkipNoVersion,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			c.VersionID = ""
			return c
		},
	},
	{
		name: "the application was faster", reason: confirm.SkipRepeated,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			w.step("u-1", upload.RecordObject{Fence: 1, Seq: 1, VersionID: c.VersionID, Size: 5, Checksum: checksum("front")})
			return c
		},
	},
	{
		name: "the application has completed it with this object", reason: confirm.SkipRepeated,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			w.step("u-1", upload.RecordObject{Fence: 1, Seq: 1, VersionID: c.VersionID, Size: 5, Checksum: checksum("front")})
			w.step("u-1", upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}})
			return c
		},
	},
	{
		// A key's first version wins. Without it, an object that somebody puts over
		// a recorded one cancels the upload, or takes its place.
		name: "somebody put another object over it", reason: confirm.SkipOther,
		event: func(w *world) storageevent.Created {
			w.confirm(w.put("u-1", 1, 1, "front"))
			return w.written("u-1", 1, 1, "overwritten")
		},
	},
	{
		name: "its writer has lost the upload", reason: confirm.SkipStale,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			w.step("u-1", upload.Acquire{Holder: "browser", Lease: lease})
			return c
		},
	},
	{
		name: "it was completed without it", reason: confirm.SkipCompleted,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 2, "reverse")
			w.step("u-1", upload.RecordObject{Fence: 1, Seq: 2, VersionID: c.VersionID, Size: 7, Checksum: checksum("reverse")})
			w.step("u-1", upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 2}}})
			return w.put("u-1", 1, 1, "front")
		},
	},
	{
		name: "it was completed for a while without it, and that is over", reason: confirm.SkipCompleted,
		event: func(w *world) storageevent.Created {
			w.step("u-1", upload.Complete{Fence: 1, HoldUntil: w.now.Add(time.Hour)})
			w.now = w.now.Add(40 * time.Hour)
			w.step("u-1", upload.Expire{Version: w.record("u-1").Version, Cutoff: w.now.Add(-time.Hour)})
			return w.put("u-1", 1, 1, "front")
		},
	},
	{
		name: "it was cancelled", reason: confirm.SkipGivenUp,
		event: func(w *world) storageevent.Created {
			w.step("u-1", upload.Cancel{Fence: 1, Reason: "closed the window"})
			return w.put("u-1", 1, 1, "front")
		},
	},
	{
		name: "it is being deleted", reason: confirm.SkipDeleted,
		event: func(w *world) storageevent.Created {
			w.claimed("u-1")
			return w.put("u-1", 1, 1, "front")
		},
	},
	{
		name: "it is deleted", reason: confirm.SkipDeleted,
		event: func(w *world) storageevent.Created {
			r := w.claimed("u-1")
			w.step("u-1", upload.Finish{Fence: r.Fence, Gone: 2})
			return w.put("u-1", 1, 1, "front")
		},
	},
	{
		// Without the look, an upload is published with an object that nobody can
		// read.
		name: "it does not stand any more", reason: confirm.SkipGone, looked: true,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			w.must(w.store.Remove(bucket, c.Key, c.VersionID))
			return c
		},
	},
	{
		name: "it is a delete marker", reason: confirm.SkipGone, looked: true,
		event: func(w *world) storageevent.Created {
			c := w.put("u-1", 1, 1, "front")
			c.VersionID = w.store.Mark(bucket, c.Key).VersionID
			return c
		},
	},
}

// claimed cancels an upload and has a worker claim it, days later.
func (w *world) claimed(id string) upload.Record {
	w.t.Helper()
	w.step(id, upload.Cancel{Fence: 1, Reason: "closed the window"})
	w.now = w.now.Add(96 * time.Hour)
	return w.step(id, upload.Claim{Version: w.record(id).Version, Cutoff: w.now.Add(-time.Hour), Worker: "w", Token: "t"})
}

func TestWhatComesTooLateOrTwiceOrFromElsewhereIsLeftAlone(t *testing.T) {
	for _, c := range skips {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.reserve("u-1", true, "front", "reverse")
			e := c.event(w)
			before, calls := w.record("u-1"), len(w.set.Calls())
			w.want(w.confirm(e), "skipped: "+c.reason)
			if after := w.record("u-1"); after.Version != before.Version {
				t.Errorf("the record was changed: %s", after.State)
			}
			looked := false
			for _, call := range w.set.Calls()[calls:] {
				looked = looked || strings.HasPrefix(call.Operation, "objects.")
			}
			if looked != c.looked {
				t.Errorf("looked at the object: %v, want %v", looked, c.looked)
			}
		})
	}
}

// A key that says of itself that it is nobody's costs no read.
func TestAKeyThatIsNotOfOurFormCostsNoRead(t *testing.T) {
	w := newWorld(t)
	w.want(w.confirm(storageevent.Created{Bucket: bucket, Key: "imports/2026/logo.png", VersionID: "v"}), "skipped: unknown key")
	if calls := w.set.Calls(); len(calls) != 0 {
		t.Errorf("it cost %v", calls)
	}
}

// An upload that a pass has marked lives again by what comes for it.
func TestAnObjectOfAMarkedUploadBringsItBack(t *testing.T) {
	w := newWorld(t)
	w.step("u-1", upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "ann", Holder: "browser", Lease: lease, Bucket: bucket, Prefix: "up",
		HoldUntil: w.now.Add(time.Hour), Declared: 1, ByEvents: true,
	})
	w.now = w.now.Add(40 * time.Hour)
	w.step("u-1", upload.Expire{Version: w.record("u-1").Version, Cutoff: w.now.Add(-time.Hour)})
	w.want(w.confirm(w.put("u-1", 1, 1, "front")), "completed")
	w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]")
}

// A record that a newer version has written is not judged: the event comes
// again, to a recorder that knows it. Skipped, its object would never be
// recorded.
func TestARecordOfANewerVersionIsAFailureAndNotSkipped(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front")
	w.recorder.Records = newer{w.recorder.Records}
	w.want(w.confirm(w.put("u-1", 1, 1, "front")), "failed")
	if log := w.log.String(); !strings.Contains(log, "schema") {
		t.Errorf("the log is %s", log)
	}
}

type newer struct{ confirm.Records }

func (n newer) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	r, err := n.Records.Load(ctx, id)
	r.Schema = upload.Schema + 1
	return r, err
}
