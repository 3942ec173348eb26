package confirm_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestTheLastObjectCompletesAnUploadThatEventsComplete(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front", "reverse")
	second := w.put("u-1", 1, 2, "reverse")
	w.want(w.confirm(second), "recorded")
	w.wantState("u-1", upload.StateReceiving, "1/2 of 7 bytes")
	w.want(w.confirm(w.put("u-1", 1, 1, "front")), "completed")
	r := w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]", "[1/2 of 7 bytes]")
	if o := r.Manifest.Object(upload.Key{Attempt: 1, Seq: 2}); o.VersionID != second.VersionID || o.Checksum != checksum("reverse") || o.ETag != second.ETag {
		t.Errorf("recorded is %+v", o)
	}
	if !r.DueAt.IsZero() || !r.HoldExpiresAt.IsZero() {
		t.Errorf("it is not complete for good: due %v, hold %v", r.DueAt, r.HoldExpiresAt)
	}
	w.want(w.whats(), "complete u-1 (every declared object has come)")
}

// An application that does not say so completes its uploads itself.
func TestWithoutTheReservationsWordNothingIsCompleted(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", false, "front")
	w.want(w.confirm(w.put("u-1", 1, 1, "front")), "recorded")
	w.wantState("u-1", upload.StateReceiving, "1/1 of 5 bytes")
	w.want(w.whats(), "")
}

// What a writer before recorded stays, and the newest attempt counts: but only
// an event of the attempt that has the upload completes it. Without that, an old
// writer's late event publishes under the new writer's hands.
func TestOnlyTheAttemptThatHasTheUploadCompletesIt(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front", "")
	first := w.put("u-1", 1, 1, "front")
	w.want(w.confirm(first), "recorded")
	late := w.put("u-1", 1, 2, "late")
	w.step("u-1", upload.Acquire{Holder: "browser", Lease: lease})
	w.step("u-1", upload.Declare{Fence: 2, Declared: 2})
	w.want(w.confirm(late, first), "skipped: stale attempt, skipped: recorded already")
	w.wantState("u-1", upload.StateReceiving, "1/1 of 5 bytes")
	w.want(w.confirm(w.put("u-1", 2, 2, "reverse")), "completed")
	w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]", "[2/2 of 7 bytes]")
}

// Everything is there, but another writer has the upload now: an event of the
// one before completes nothing, and does not come again for ever.
func TestAnEventOfTheWriterBeforeDoesNotCompleteWhatAnotherHas(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front")
	c := w.put("u-1", 1, 1, "front")
	w.step("u-1", upload.RecordObject{Fence: 1, Seq: 1, VersionID: c.VersionID, Size: 5, Checksum: checksum("front")})
	w.step("u-1", upload.Acquire{Holder: "browser", Lease: lease})
	w.want(w.confirm(c), "skipped: recorded already")
	w.wantState("u-1", upload.StateReceiving, "1/1 of 5 bytes")
}

// Of a presigned put the application knows what it signed, and this is where it
// is looked at. Without it a browser, or a store that does not check, publishes
// something else under the upload's name.
func TestAnObjectThatIsNotWhatWasStatedCancelsItsUploadWithTheReason(t *testing.T) {
	for came, reason := range map[string]string{"fron": confirm.ReasonSize, "frond": confirm.ReasonChecksum} {
		for _, summed := range []bool{true, false} {
			w := newWorld(t)
			w.reserve("u-1", true, "front", "reverse")
			put := w.written
			if summed {
				put = w.put
			}
			c := put("u-1", 1, 1, came)
			w.want(w.confirm(c), "cancelled: "+reason)
			if r := w.wantState("u-1", upload.StateCancelled); r.Reason != reason || r.DueAt.IsZero() {
				t.Errorf("%s: the record says %q, due %v", came, r.Reason, r.DueAt)
			}
			w.want(w.whats(), "cancel u-1 ("+reason+")")
			w.want(w.confirm(c, w.put("u-1", 1, 2, "reverse")), "skipped: given up, skipped: given up")
		}
	}
}

// A store that keeps no checksum is read.
func TestWhereTheStoreKeepsNoChecksumTheObjectIsRead(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front")
	w.want(w.confirm(w.written("u-1", 1, 1, "front")), "completed")
	r := w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]")
	if got := r.Manifest.Objects[0].Checksum; got != checksum("front") {
		t.Errorf("the checksum is %q", got)
	}
}

// reading is a store of which no checksum is known, and whose bodies are as the
// test says.
type reading struct {
	confirm.Store
	checksum string
	open     func() (io.ReadCloser, error)
}

func (s reading) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	facts, err := s.Store.Stat(ctx, bucket, key, versionID)
	facts.Checksum = s.checksum
	return facts, err
}

func (s reading) Open(context.Context, string, string, string) (io.ReadCloser, error) {
	return s.open()
}

// A check that cannot be made is neither a match nor a mismatch. Without that,
// a broken connection cancels an upload that is as it should be, or publishes
// one that nobody has looked at.
func TestACheckThatCannotBeMadeChangesNothing(t *testing.T) {
	body := func(text string) func() (io.ReadCloser, error) {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	parts := upload.Expected{Stated: true, Size: 5, Checksum: checksum("front") + "-2"}
	for name, c := range map[string]struct {
		expected upload.Expected
		open     func() (io.ReadCloser, error)
		want     string
	}{
		"it ends too soon":                {expected("front"), body("fron"), "failed"},
		"it breaks off":                   {expected("front"), func() (io.ReadCloser, error) { return io.NopCloser(broken{}), nil }, "failed"},
		"it cannot be opened":             {expected("front"), func() (io.ReadCloser, error) { return nil, upload.ErrThrottled }, "failed"},
		"it is gone meanwhile":            {expected("front"), func() (io.ReadCloser, error) { return nil, upload.ErrAbsent }, "skipped: gone"},
		"its parts cannot be seen":        {parts, body("front"), "failed"},
		"it is read, and as it should be": {expected("front"), body("front"), "completed"},
	} {
		w := newWorld(t)
		w.recorder.Store = reading{Store: w.store, open: c.open}
		w.step("u-1", upload.Reserve{
			ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "ann", Holder: "browser", Lease: lease, Bucket: bucket, Prefix: "up",
			Declared: 1, Expect: []upload.ExpectedObject{{Seq: 1, Expected: c.expected}}, ByEvents: true,
		})
		before := w.record("u-1").Version
		if got := w.confirm(w.written("u-1", 1, 1, "front")); got != c.want {
			t.Errorf("%s: it is %q, want %q", name, got, c.want)
		}
		if after := w.record("u-1").Version; c.want != "completed" && after != before {
			t.Errorf("%s: the record has changed", name)
		}
	}
}

// What is read is hashed and forgotten: an object of gigabytes has to pass in
// the memory of a small function.
func TestALargeObjectIsReadInLittleMemory(t *testing.T) {
	const size = 256 << 20
	w := newWorld(t)
	w.reserve("u-1", true, "")
	c := w.written("u-1", 1, 1, "front")
	w.step("u-1", upload.Declare{Fence: 1, Declared: 1, Expect: []upload.ExpectedObject{{Seq: 1, Expected: upload.Expected{
		Stated: true, Size: size, Checksum: "a6d72ac7690f53be6ae46ba88506bd97302a093f7108472bd9efc3cefda06484",
	}}}})
	w.recorder.Store = reading{Store: large{w.store, size}, open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.LimitReader(zeros{}, size)), nil
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.want(w.confirm(c), "completed")
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4<<20 {
		t.Errorf("it took %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}

type large struct {
	confirm.Store
	size int64
}

func (l large) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	facts, err := l.Store.Stat(ctx, bucket, key, versionID)
	facts.Size = l.size
	return facts, err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// The store composes the checksum of parts from theirs; the same content put
// whole, or in other parts, has another.
func TestTheChecksumOfPartsIsComparedAsTheStoreComposesIt(t *testing.T) {
	stated := checksum("the sums of two parts") + "-2"
	for kept, want := range map[string]string{stated: "completed", checksum("front"): "cancelled: checksum differs", stated[:64] + "-3": "cancelled: checksum differs"} {
		w := newWorld(t)
		w.recorder.Store = reading{Store: w.store, checksum: kept}
		w.step("u-1", upload.Reserve{
			ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "ann", Holder: "browser", Lease: lease, Bucket: bucket, Prefix: "up",
			Declared: 1, Expect: []upload.ExpectedObject{{Seq: 1, Expected: upload.Expected{Stated: true, Size: 5, Checksum: stated}}}, ByEvents: true,
		})
		w.want(w.confirm(w.written("u-1", 1, 1, "front")), want)
	}
	// Stated whole, and put in parts all the same: the content is what was stated.
	w := newWorld(t)
	w.reserve("u-1", true, "front")
	w.recorder.Store = reading{Store: w.store, checksum: stated, open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("front")), nil
	}}
	w.want(w.confirm(w.written("u-1", 1, 1, "front")), "completed")
}

// The event's own words are those of whoever may invoke the function.
func TestWhatTheEventSaysOfTheObjectIsNotBelieved(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "")
	c := w.put("u-1", 1, 1, "front")
	c.Size, c.ETag = 5_000_000, "of nobody"
	w.want(w.confirm(c), "completed")
	r := w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]")
	if r.Manifest.Objects[0].ETag == "of nobody" {
		t.Error("the event's ETag is recorded")
	}
}

func TestManyEventsAreAnsweredInTheirOrder(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "", "")
	w.reserve("u-2", true, "")
	one, two := w.put("u-1", 1, 1, "a"), w.put("u-2", 1, 1, "b")
	stranger := storageevent.Created{Bucket: bucket, Key: "imports/logo.png", VersionID: "v"}
	w.want(w.confirm(stranger, one, two, one, stranger, w.put("u-1", 1, 2, "c")),
		"skipped: unknown key, recorded, completed, skipped: recorded already, skipped: unknown key, completed")
	var tally confirm.Tally
	tally.Add(w.recorder.Confirm(t.Context(), []storageevent.Created{one, two, stranger})...)
	if tally.Skipped[confirm.SkipRepeated] != 2 || tally.Skipped[confirm.SkipUnknown] != 1 || tally.Recorded+tally.Completed+tally.Failed != 0 {
		t.Errorf("the tally is %+v", tally)
	}
}
