package installation_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// wireFault is a race in which a service's answer is the trouble: it is told
// over HTTP only, and what goes wrong goes wrong there, in the service's own
// words, before the SDK and the adapters have read them.
type wireFault struct {
	name   string
	faults []fault.Fault
	run    func(t *testing.T, s *scene)
}

func TestRacesThatNeedAFaultOnTheWire(t *testing.T) {
	for _, r := range wireFaults() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s := onTheWireWith(t, fault.New(r.faults...))
			s.shard = -1
			r.run(t, s)
			assertInvariants(t, s.world)
			s.settle(2)
			assertInvariants(t, s.world)
			for _, f := range s.set.Missed() {
				t.Errorf("no call met the fault: %s", f)
			}
		})
	}
}

// striking is a fault of the first call of an operation, or of a later one.
func striking(actor, operation string, n int, when fault.When, kind fault.Kind) []fault.Fault {
	return []fault.Fault{{Call: fault.Call{Actor: actor, Operation: operation, N: n}, Case: fault.Case{When: when, Kind: kind}}}
}

// handOver gives the worker the message about an upload, and returns what it
// says of it.
func (s *scene) handOver(t *testing.T, session *intake.Session) string {
	t.Helper()
	s.ids["it"] = session.ID()
	must(t, s.receive())
	i := s.firstAbout("it")
	if i < 0 {
		t.Fatal("there is no message about the upload")
	}
	done, err := s.purge(fault.As(t.Context(), byWorker), s.pending[i])
	if s.set.Dead(byWorker) {
		s.set.Revive(byWorker)
		s.restart()
		err = nil
	}
	must(t, err)
	if done {
		s.pending = append(s.pending[:i], s.pending[i+1:]...)
	}
	lines := s.log.take()
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1].String()
}

// wantSaid compares what the worker said of a message.
func wantSaid(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("the worker says %q, want %q", got, want)
	}
}

// goesOn has the message come back later, and be done.
func (s *scene) goesOn(t *testing.T, session *intake.Session, trail ...string) upload.Record {
	t.Helper()
	s.later(150 * time.Minute)
	wantSaid(t, s.handOver(t, session), "deleted: cancelled")
	s.wantTrail(t, session, trail...)
	s.wantStanding(t, session, 0)
	return s.wantState(t, session, upload.StateDeleted)
}
