package confirm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Keys that only look like the upload's own. Each is another object; taken for
// ours it would be recorded, or cancel the upload.
func TestAKeyThatIsNotOursToTheByteIsNobodysHere(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front")
	ours := w.put("u-1", 1, 1, "front")
	before := w.record("u-1").Version
	for _, key := range []string{
		"up/acme/u-1/1/01", "up/acme/u-1/01/1", "up/acme/u-1/+1/1", "up/acme/u-1/1/+1", "up/acme/u-1/1/1/", "/up/acme/u-1/1/1",
		"up//acme/u-1/1/1", "up/acme/u%2D1/1/1", "up/acme/u-1/1/1%20", "up/acme/u-1/1/1 ", "up/acme/u-1/1/1\x00", "UP/acme/u-1/1/1",
		"other/acme/u-1/1/1", "acme/u-1/1/1", "up/acme/u-1/1/2", "up/acme/u-1/0/1", "up/acme/u-1/-1/1", "up/acme/u-1/1/0",
		"up/acme/u-1/9223372036854775808/1", "up/acme/u-1/1/9223372036854775808", "up/acme/u-1/١/1",
		"up/" + strings.Repeat("a", 900) + "/u-1/1/1", "up/acme\xff/u-1/1/1", "up/acme/../acme/u-1/1/1",
	} {
		c := ours
		c.Key = key
		w.want(w.confirm(c), "skipped: unknown key")
	}
	if r := w.record("u-1"); r.Version != before {
		t.Errorf("the record was written: %s", r.State)
	}
	w.want(w.confirm(ours), "completed")
}

// Whoever may invoke the function may say anything: a version of another key
// does not stand under this one, and the size and time that an event tells are
// not looked at.
func TestWhatAForgedEventSaysOfAnObjectIsNotBelieved(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front")
	w.reserve("u-2", true, "other")
	ours, theirs := w.put("u-1", 1, 1, "front"), w.put("u-2", 1, 1, "other")
	forged := ours
	forged.VersionID = theirs.VersionID
	w.want(w.confirm(forged), "skipped: gone")
	lying := ours
	lying.Size, lying.ETag, lying.At = 1<<50, "forged", time.Unix(1<<40, 0)
	w.want(w.confirm(lying), "completed")
	r := w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]")
	if o := r.Manifest.Objects[0]; o.ETag != ours.ETag {
		t.Errorf("recorded %+v", o)
	}
	w.wantState("u-2", upload.StateReceiving)
}

// The clocks of recorder and application differ, either way: what was promised
// to the upload does not become less.
func TestARecorderWhoseClockIsWrongShortensNothing(t *testing.T) {
	for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute, -100 * time.Hour} {
		w := newWorld(t)
		w.reserve("u-1", true, "front", "reverse")
		before := w.record("u-1")
		first := w.put("u-1", 1, 1, "front")
		w.now = w.now.Add(off)
		w.want(w.confirm(first), "recorded")
		after := w.record("u-1")
		if after.LastActivityAt.Before(before.LastActivityAt) || !after.DueAt.Equal(before.DueAt) || !after.DeadlineAt.Equal(before.DeadlineAt) {
			t.Errorf("%v: active %v, due %v", off, after.LastActivityAt, after.DueAt)
		}
		w.want(w.confirm(w.put("u-1", 1, 2, "reverse")), "completed")
	}
}

// The page is opened again, with another file. Without the look at what the new
// attempt stated, the first of its objects to come completes the upload
// together with an object of the file before.
func TestAnUploadIsNotCompletedOfTwoFiles(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "front", "reverse")
	w.want(w.confirm(w.put("u-1", 1, 1, "front")), "recorded")
	w.step("u-1", upload.Acquire{Holder: "browser", Lease: lease})
	w.step("u-1", upload.Declare{Fence: 2, Declared: 2, Expect: []upload.ExpectedObject{
		{Seq: 1, Expected: expected("FRONT")}, {Seq: 2, Expected: expected("REVERSE")},
	}})
	second := w.put("u-1", 2, 2, "REVERSE")
	w.want(w.confirm(second, second), "recorded, skipped: recorded already")
	w.wantState("u-1", upload.StateReceiving, "1/1 of 5 bytes", "2/2 of 7 bytes")
	w.want(w.confirm(w.put("u-1", 2, 1, "FRONT")), "completed")
	w.wantState("u-1", upload.StateComplete, "1/1 of 5 bytes", "[2/1 of 5 bytes]", "[2/2 of 7 bytes]")
}

// What is stated while an event is on its way counts: the look that was made
// before it is made again.
func TestAStatementThatComesDuringTheLookIsHeeded(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "")
	c := w.written("u-1", 1, 1, "something")
	records := &stating{Records: w.recorder.Records, then: func() {
		w.step("u-1", upload.Declare{Fence: 1, Declared: 1, Expect: []upload.ExpectedObject{{Seq: 1, Expected: expected("else")}}})
	}}
	w.recorder.Records = records
	w.want(w.confirm(c), "failed")
	w.wantState("u-1", upload.StateReceiving)
	w.want(w.confirm(c), "cancelled: size differs")
}

// stating does something before the first write.
type stating struct {
	confirm.Records
	then func()
}

func (s *stating) Commit(ctx context.Context, c upload.Change) error {
	if then := s.then; then != nil {
		s.then = nil
		then()
	}
	return s.Records.Commit(ctx, c)
}
