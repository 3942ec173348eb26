package cleanup

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

func (s *passScene) look(id upload.ID) Look {
	s.t.Helper()
	l, err := LookAt(s.t.Context(), s.store, s.pass.Policy, s.record(id), s.now)
	s.must(err)
	return l
}

// passesUntil makes a pass every quarter of an hour until one publishes the
// upload, and says when that one started.
func (s *passScene) passesUntil(id upload.ID) time.Time {
	s.t.Helper()
	for range 200 {
		s.run()
		if s.sentIDs()[id] > 0 {
			return s.now
		}
		s.later(15 * time.Minute)
	}
	s.t.Fatalf("upload %s was never published", id)
	return time.Time{}
}

// An operator who is told a time that is too early calls it a fault; one that
// is too late hides a fault.
func TestAnUploadIsLookedAtWhenItIsSaidToBe(t *testing.T) {
	s := newPassScene(t)
	id := s.cancelled(3, 1)
	due := s.record(id).DueAt
	said := s.look(id)
	if said.Passed || !said.From.Equal(due.Add(s.pass.Policy.SafetyMargin)) {
		t.Fatalf("before any pass: %+v, due %v", said, due)
	}
	first := s.passesUntil(id)
	if late := first.Sub(said.From); late < 0 || late > 15*time.Minute {
		t.Errorf("said %v, published %v", said.From, first)
	}
	said = s.look(id) // the message is lost: it was taken from the queue, and nothing was done
	if !said.Passed || said.From.Before(first.Add(5*time.Hour)) {
		t.Errorf("just published: %+v, at %v", said, first)
	}
	s.later(15 * time.Minute)
	second := s.passesUntil(id)
	if late := second.Sub(said.From); late < 0 || late > s.pass.Policy.RepublishAfter+15*time.Minute {
		t.Errorf("said %v, published again %v", said.From, second)
	}
}

func TestAnUploadThatBecomesDueBehindTheCursorIsMetByTheFront(t *testing.T) {
	s := newPassScene(t)
	s.condemnable(5, 3)
	s.run()
	id := s.cancelled(5, 1)
	if said := s.look(id); said.Passed || !said.From.Equal(s.record(id).DueAt.Add(s.pass.Policy.SafetyMargin)) {
		t.Errorf("%+v", said)
	}
}

func TestWhatIsDueNeverIsLookedAtNever(t *testing.T) {
	s := newPassScene(t)
	if said := s.look(s.parked(2)); said != (Look{}) {
		t.Errorf("%+v", said)
	}
}

func TestAnEntryThatARoundHasPassedWaitsForTheNextRound(t *testing.T) {
	s := newPassScene(t)
	ids := s.condemnable(7, 6)
	s.run()
	s.sent()
	s.pass.Policy.MaxPerPass = 32 // two a shard and pass: a round takes one
	s.later(s.pass.Policy.RepublishAfter + time.Minute)
	s.run()
	if first := s.look(ids[0]); !first.Passed || first.From.Before(s.now.Add(s.pass.Policy.RepublishAfter)) {
		t.Errorf("the round has come by the first: %+v at %v", first, s.now)
	}
	if last := s.look(ids[5]); !last.Passed || !last.From.Equal(s.now) {
		t.Errorf("the round is on its way to the last: %+v at %v", last, s.now)
	}
}
