// Package gate holds the switch and the shared rate of all workers: the words,
// and the arithmetic. The adapters are gate/dynamo and gate/memory;
// gate/gatetest is the suite both pass.
//
// The rate is in object versions per second and shared by every worker of an
// installation: an arrival time (the generic cell rate algorithm) that a
// conditional write advances by a block of slots. A block is only given while
// the mode is delete and nothing is paused, and is void [SlotLife] after it was
// reserved: so a pause stops every worker within that time, whatever is
// queued. A worker that dies loses its block; the rate is then lower than
// allowed, never higher. Concurrency is another setting.
package gate

import (
	"errors"
	"fmt"
	"time"
)

// SlotLife is how long after its reservation a block of slots may be used.
const SlotLife = 10 * time.Second

// Mode says whether anything may be deleted.
type Mode string

// ReportOnly is the mode of a new installation.
const (
	ReportOnly Mode = "report-only"
	Delete     Mode = "delete"
)

// State is the gate as stored. The zero State, and an item that does not
// exist, is report-only.
type State struct {
	Mode   Mode
	Paused bool
	// Rate is in object versions per second, Burst in object versions.
	Rate  int
	Burst int
	// ArrivalAt is the theoretical arrival time: when the slots given so far
	// would be used up at the rate.
	ArrivalAt time.Time
	Revision  int64
	// ServerTime is the store's own clock when the state was read; not stored.
	ServerTime time.Time
}

// Open reports whether slots may be given.
func (s State) Open() bool { return s.Mode == Delete && !s.Paused }

// Grant is a block of slots: Slots deletes may begin between Start and Void.
type Grant struct {
	Slots int
	Start time.Time
	Void  time.Time
}

// ErrClosed: the mode is report-only, or the gate is paused.
var ErrClosed = errors.New("gate is closed")

// BusyError says that the rate has no slots within [SlotLife]; ask again at
// Until. Nothing was reserved.
type BusyError struct{ Until time.Time }

func (e *BusyError) Error() string {
	return fmt.Sprintf("gate has no slots before %s", e.Until.Format(time.RFC3339Nano))
}

// Reserve computes the state after slots more were given at now, and the
// grant. ErrClosed if the gate is not open, a *BusyError if they would start
// later than SlotLife allows; an error if slots is not between 1 and Burst.
func (s State) Reserve(slots int, now time.Time) (State, Grant, error) {
	if !s.Open() {
		return s, Grant{}, ErrClosed
	}
	if s.Rate <= 0 || s.Burst <= 0 {
		return s, Grant{}, fmt.Errorf("gate rate %d and burst %d must be positive", s.Rate, s.Burst)
	}
	if slots < 1 || slots > s.Burst {
		return s, Grant{}, fmt.Errorf("gate block of %d slots: it must be between 1 and the burst of %d", slots, s.Burst)
	}
	arrival := s.ArrivalAt
	if arrival.Before(now) {
		arrival = now
	}
	arrival = arrival.Add(s.span(slots))
	start := arrival.Add(-s.span(s.Burst))
	if start.Before(now) {
		start = now
	}
	if start.After(now.Add(SlotLife / 2)) {
		return s, Grant{}, &BusyError{Until: start.Add(-SlotLife / 2)}
	}
	s.ArrivalAt = arrival
	return s, Grant{Slots: slots, Start: start, Void: now.Add(SlotLife)}, nil
}

// span is how long the rate takes to give n slots.
func (s State) span(n int) time.Duration {
	return time.Duration(int64(n) * int64(time.Second) / int64(s.Rate))
}
