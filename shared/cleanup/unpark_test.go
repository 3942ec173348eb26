package cleanup

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// parked is an upload whose purge has failed until its attempts were used up.
func (s *passScene) parked(shard int) upload.ID {
	s.t.Helper()
	id := s.cancelled(shard, 2)
	s.later(time.Hour)
	r := s.record(id)
	r = s.do(id, upload.Claim{Version: r.Version, Cutoff: s.now.Add(-s.pass.Policy.SafetyMargin), Worker: "w", Token: "t-0"})
	for n := 1; r.ParkedAt.IsZero(); n++ {
		r = s.do(id, upload.Retry{Fence: r.Fence, Error: "access denied", Backoff: time.Minute})
		s.later(2 * time.Minute)
		if r.ParkedAt.IsZero() {
			r = s.do(id, upload.Reclaim{Worker: "w", Token: "t-" + string(rune('0'+n))})
		}
	}
	return id
}

func TestAParkedPurgeThatIsRetriedIsPublishedByTheNextPassAndNotBefore(t *testing.T) {
	s := newPassScene(t)
	id := s.parked(3)
	s.run()
	if got := s.sent(); len(got) != 0 {
		t.Fatalf("a pass published a parked upload: %v", got)
	}
	change, err := Unpark(t.Context(), s.store, s.pass.Policy, id, s.now)
	s.must(err)
	if r := s.record(id); change.Nothing() || r.Attempts != 0 || !r.ParkedAt.IsZero() || !r.DueAt.Equal(s.now) {
		t.Fatalf("%d attempts, parked at %v, due %v", r.Attempts, r.ParkedAt, r.DueAt)
	}
	s.later(15 * time.Minute)
	s.run()
	got := s.sent()
	if len(got) != 1 || got[0].ID != id || got[0].Operation != upload.OpReclaim {
		t.Errorf("published %v", got)
	}
}

func TestWhatIsNotParkedIsNotUnparked(t *testing.T) {
	s := newPassScene(t)
	unpark := func(id upload.ID) (upload.Change, error) {
		return Unpark(t.Context(), s.store, s.pass.Policy, id, s.now)
	}
	receiving := s.reserved(1, 1)
	before := s.record(receiving)
	if _, err := unpark(receiving); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("an upload that is receiving: %v", err)
	}
	if after := s.record(receiving); after.Version != before.Version {
		t.Errorf("it was changed to version %d", after.Version)
	}
	id := s.parked(2)
	if _, err := unpark(upload.ID{Tenant: "tenant-2", Upload: id.Upload}); !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("another tenant's: %v", err)
	}
	_, err := unpark(id)
	s.must(err)
	if change, err := unpark(id); err != nil || !change.Nothing() {
		t.Errorf("once more: %v, changes %v", err, !change.Nothing())
	}
}

// fickle stores what it is given, and says something else.
type fickle struct {
	Unparkable
	says  error
	store bool
	asked int
}

func (f *fickle) Commit(ctx context.Context, c upload.Change) error {
	f.asked++
	if f.store {
		if err := f.Unparkable.Commit(ctx, c); err != nil {
			return err
		}
	}
	return f.says
}

// Without the second look the operator is told that nothing was done, although
// the purge goes on.
func TestAnUnparkWhoseAnswerIsLostIsFoundDone(t *testing.T) {
	s := newPassScene(t)
	id := s.parked(4)
	f := &fickle{Unparkable: s.store, says: upload.ErrUnclear, store: true}
	change, err := Unpark(t.Context(), f, s.pass.Policy, id, s.now)
	if err != nil || f.asked != 1 || !change.Nothing() || !change.After.ParkedAt.IsZero() {
		t.Errorf("%v after %d writes, parked at %v", err, f.asked, change.After.ParkedAt)
	}
	stubborn := &fickle{Unparkable: s.store, says: upload.ErrChanged}
	if _, err := Unpark(t.Context(), stubborn, s.pass.Policy, s.parked(5), s.now); !errors.Is(err, upload.ErrChanged) || stubborn.asked != commitTries {
		t.Errorf("a record that never stands still: %v after %d writes", err, stubborn.asked)
	}
	denied := &fickle{Unparkable: s.store, says: upload.ErrDenied}
	if _, err := Unpark(t.Context(), denied, s.pass.Policy, s.parked(6), s.now); !errors.Is(err, upload.ErrDenied) || denied.asked != 1 {
		t.Errorf("denied: %v after %d writes", err, denied.asked)
	}
}
