package cleanup

import (
	"context"
	"errors"
	"testing"
	"time"
	"unsafe"

	"github.com/strandline-dev/strandline/shared/gate"
)

// slept is an instant as a machine shows it that has slept so many whole seconds
// since: its monotonic clock, by which instants are compared, stood still.
func slept(t time.Time, d time.Duration) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(d/time.Second) << 30
	return t
}

// pausedGate gives nothing.
type pausedGate struct{ Gate }

func (pausedGate) Reserve(context.Context, int) (gate.Grant, error) {
	return gate.Grant{}, gate.ErrClosed
}

// Without the look at the wall clock, a worker whose machine sleeps in the middle
// of a batch goes on deleting when it wakes, however long ago somebody paused.
func TestSlotsAreVoidAfterASleepToo(t *testing.T) {
	reserved := time.Now() //nolint:forbidigo // only it has a monotonic clock
	awake := slept(reserved.Add(time.Second), time.Minute)
	if awake.Sub(reserved) != time.Second || awake.Round(0).Sub(reserved.Round(0)) != time.Minute+time.Second {
		t.Fatalf("a machine that slept a minute shows %s after %s", awake, reserved)
	}
	now := reserved.Add(time.Second)
	p := &purge{Worker: &Worker{Now: func() time.Time { return now }, Gate: pausedGate{}}, deleteUntil: reserved.Add(time.Hour)}
	s := &slots{p: p}
	s.have([]block{{left: 1, start: reserved, void: reserved.Add(gate.SlotLife)}})
	if err := s.fresh(t.Context()); err != nil {
		t.Fatalf("an abort a second after the reservation: %v", err)
	}
	now = awake
	if err := s.take(t.Context(), 1); !errors.Is(err, gate.ErrClosed) {
		t.Errorf("a delete after the sleep: %v", err)
	}
	if err := s.fresh(t.Context()); !errors.Is(err, gate.ErrClosed) {
		t.Errorf("an abort after the sleep: %v", err)
	}
}
