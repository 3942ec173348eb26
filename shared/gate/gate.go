package gate

import (
	"errors"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// SlotLife is how long after its reservation a block of slots may be used.
const SlotLife = 10 * time.Second

// MaxRate and MaxBurst bound what an operator may set: as much as a policy may
// ask for.
const (
	MaxRate  = policy.MaxDeleteRate
	MaxBurst = policy.MaxBurst
)

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
	// Rate is in object versions per second, Burst in object versions. Rate is
	// what an operator set; what is in force may be less: [State.RateAt].
	Rate  int
	Burst int
	// SlowedTo is the rate that the last throttle lowered it to, and SlowedAt
	// when; 0 and zero where none has since the rate was set. It is raised again
	// as time goes by, without a write.
	SlowedTo int
	SlowedAt time.Time
	// ArrivalAt is the theoretical arrival time: when the slots given so far
	// would be used up at the rate.
	ArrivalAt time.Time
	// Revision grows with every call of an operator, not with reservations.
	Revision int64
	// DecidedBy is who called last, as they say, and DecidedAt when, to the
	// millisecond of their own clock. Empty and zero for one who did not say.
	DecidedBy string
	DecidedAt time.Time
	// ServerTime is the store's own clock when the state was read; not stored.
	ServerTime time.Time
}

// Open reports whether slots may be given.
func (s State) Open() bool { return s.Mode == Delete && !s.Paused }

// Decision is an operator's, about a gate that they have looked at.
type Decision struct {
	// By names who decides; kept with the gate.
	By string
	// Saw is the revision that was looked at, or AnyRevision. What would open
	// the gate is refused with upload.ErrChanged when there is another one by
	// then: else a person who was asked about one pause ends the next one.
	Saw int64
}

// AnyRevision decides whatever the gate is by now.
const AnyRevision = -1

// Check refuses a state that is not the one which was looked at.
func (d Decision) Check(s State) error {
	if d.Saw == AnyRevision || d.Saw == s.Revision {
		return nil
	}
	return fmt.Errorf("revision %d was looked at and there is %d: %w", d.Saw, s.Revision, upload.ErrChanged)
}

// Signed is the state with the name of whoever decided it at now.
func (d Decision) Signed(s State, now time.Time) State {
	s.DecidedBy, s.DecidedAt = d.By, time.UnixMilli(now.UnixMilli()).UTC()
	return s
}

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
