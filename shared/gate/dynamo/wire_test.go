package dynamo_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/upload"
)

var t0 = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

// scene is an open gate of 100 slots a second and a burst of 200, a worker on
// a wire of its own, and an operator on another.
type scene struct {
	table    string
	now      time.Time
	wire     *wire
	worker   *dynamo.Gate
	operator *dynamo.Gate
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{table: newTable(t), now: t0, wire: newWire(t)}
	s.worker = s.handle(s.wire)
	s.operator = s.handle(newWire(t))
	must(t, s.operator.SetRate(t.Context(), 100, 200))
	must(t, s.operator.SetMode(t.Context(), gate.Delete))
	return s
}

func (s *scene) handle(w *wire) *dynamo.Gate {
	return dynamo.New(w.client(), s.table, "main", func() time.Time { return s.now })
}

func (s *scene) reserve(t *testing.T, slots int) gate.Grant {
	t.Helper()
	grant, err := s.worker.Reserve(t.Context(), slots)
	must(t, err)
	return grant
}

func (s *scene) ahead(t *testing.T) time.Duration {
	t.Helper()
	state, err := s.operator.Read(t.Context())
	must(t, err)
	return state.ArrivalAt.Sub(s.now)
}

// edit changes the stored item as a person in the console would.
func (s *scene) edit(t *testing.T, expression string, value types.AttributeValue) {
	t.Helper()
	_, err := newWire(t).client().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(s.table),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "GATE#main"},
			"sk": &types.AttributeValueMemberS{Value: "#"},
		},
		UpdateExpression:          aws.String(expression),
		ExpressionAttributeValues: map[string]types.AttributeValue{":v": value},
	})
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *scene) wantCost(t *testing.T, what string, writes, reads int) {
	t.Helper()
	if s.wire.writes != writes || s.wire.reads != reads {
		t.Errorf("%s took %d writes and %d reads: expected %d and %d", what, s.wire.writes, s.wire.reads, writes, reads)
	}
	s.wire.writes, s.wire.reads = 0, 0
}

func TestAReservationIsOneWriteAndNoRead(t *testing.T) {
	s := newScene(t)
	s.reserve(t, 10)
	s.wantCost(t, "the first block", 1, 1)
	for range 5 {
		s.reserve(t, 10)
	}
	s.wantCost(t, "five more blocks", 5, 0)
}

func TestABlockAfterSomebodyElsesTakesOneWriteMore(t *testing.T) {
	s := newScene(t)
	s.reserve(t, 10)
	other := s.handle(newWire(t))
	if _, err := other.Reserve(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	s.wire.writes, s.wire.reads = 0, 0
	s.reserve(t, 10)
	s.wantCost(t, "a block that was overtaken", 2, 0)
	s.reserve(t, 10)
	s.wantCost(t, "the block after it, which looks first", 1, 1)
	s.reserve(t, 10)
	s.wantCost(t, "the next one, since nobody was there", 1, 0)
}

// Each of eight workers remembers what seven others have changed since. A write
// that only finds that out costs five times as much as the look before it.
func TestEightWorkersInTurnTakeOneWriteABlock(t *testing.T) {
	const blocks = 10
	s := newScene(t)
	must(t, s.operator.SetRate(t.Context(), 10_000, 10_000))
	workers, wires := make([]*dynamo.Gate, 8), make([]*wire, 8)
	for i := range workers {
		wires[i] = newWire(t)
		workers[i] = s.handle(wires[i])
	}
	for range blocks {
		for _, w := range workers {
			if _, err := w.Reserve(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, w := range wires {
		if w.writes != blocks+1 || w.reads > blocks {
			t.Errorf("worker %d took %d writes and %d reads for %d blocks: expected one write each, and one to find out that it is not alone", i+1, w.writes, w.reads, blocks)
		}
	}
}

func TestARefusalIsNeverGivenFromMemory(t *testing.T) {
	s := newScene(t)
	must(t, s.operator.Pause(t.Context()))
	for range 2 {
		if _, err := s.worker.Reserve(t.Context(), 10); !errors.Is(err, gate.ErrClosed) {
			t.Fatal(err)
		}
		s.wantCost(t, "asking a paused gate", 0, 1)
	}
}

// Without the switch in the write's own condition, this worker would delete
// for a block that it got after the pause.
func TestAPauseBetweenReadAndWriteWins(t *testing.T) {
	s := newScene(t)
	s.wire.before = func() { must(t, s.operator.Pause(t.Context())) }
	if grant, err := s.worker.Reserve(t.Context(), 10); !errors.Is(err, gate.ErrClosed) {
		t.Fatalf("got %+v and %v: expected %v", grant, err, gate.ErrClosed)
	}
	if ahead := s.ahead(t); ahead > 0 {
		t.Errorf("the arrival moved by %s", ahead)
	}
}

// A person in the console changes the switch and leaves the revision as it is.
// Without mode and pause in the condition beside the revision, nobody stops.
func TestAnItemEditedByHandStopsTheWorkers(t *testing.T) {
	for name, edit := range map[string]func(*scene){
		"paused": func(s *scene) {
			s.edit(t, "SET paused = :v", &types.AttributeValueMemberBOOL{Value: true})
		},
		"report-only": func(s *scene) {
			s.edit(t, "SET gate_mode = :v", &types.AttributeValueMemberS{Value: "report-only"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.reserve(t, 10)
			edit(s)
			if grant, err := s.worker.Reserve(t.Context(), 10); !errors.Is(err, gate.ErrClosed) {
				t.Fatalf("got %+v and %v: expected %v", grant, err, gate.ErrClosed)
			}
		})
	}
}

func TestADamagedItemGivesNothing(t *testing.T) {
	for _, c := range []struct {
		name, expression string
		value            types.AttributeValue
	}{
		{"rate a text", "SET rate = :v", &types.AttributeValueMemberS{Value: "500"}},
		{"pause a text", "SET paused = :v", &types.AttributeValueMemberS{Value: "no"}},
		{"mode a number", "SET gate_mode = :v", &types.AttributeValueMemberN{Value: "1"}},
		{"burst a fraction", "SET burst = :v", &types.AttributeValueMemberN{Value: "1.5"}},
		{"arrival before 1970", "SET arrival = :v", &types.AttributeValueMemberN{Value: "-1"}},
		{"revision nought", "SET revision = :v", &types.AttributeValueMemberN{Value: "0"}},
		{"no pause", "SET note = :v REMOVE paused", &types.AttributeValueMemberS{Value: "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.edit(t, c.expression, c.value)
			if grant, err := s.worker.Reserve(t.Context(), 10); err == nil {
				t.Errorf("got %+v", grant)
			}
			if state, err := s.worker.Read(t.Context()); err == nil {
				t.Errorf("read %+v", state)
			}
		})
	}
}

func TestAnItemThatWasDeletedIsReportOnly(t *testing.T) {
	s := newScene(t)
	s.reserve(t, 10)
	_, err := newWire(t).client().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String(s.table),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "GATE#main"},
			"sk": &types.AttributeValueMemberS{Value: "#"},
		},
	})
	must(t, err)
	if grant, err := s.worker.Reserve(t.Context(), 10); !errors.Is(err, gate.ErrClosed) {
		t.Fatalf("got %+v and %v: expected %v", grant, err, gate.ErrClosed)
	}
}

// If a lost answer were taken for a write that was not done, the block of the
// first attempt would be given twice: to nobody, and again at the same time to
// the next who asks.
func TestALostAnswerCostsABlockAndNeverDoublesTheRate(t *testing.T) {
	s := newScene(t)
	s.reserve(t, 50)
	s.wire.writes, s.wire.reads = 0, 0
	s.wire.after = func() {}
	got := s.reserve(t, 50)
	s.wantCost(t, "a block whose first answer was lost", 3, 0)
	if ahead := s.ahead(t); ahead != 1500*time.Millisecond {
		t.Errorf("the arrival is %s ahead: expected three blocks of 500ms, one of them lost", ahead)
	}
	if got.Slots != 50 {
		t.Errorf("got %d slots: expected 50", got.Slots)
	}
}

// The same, and another worker's identical block looks like one's own: taking
// it for one's own would give it to both.
func TestAnotherWorkersIdenticalBlockIsNotTakenForOnesOwn(t *testing.T) {
	s := newScene(t)
	other := s.handle(newWire(t))
	s.reserve(t, 50)
	if _, err := other.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wire.before = func() {
		if _, err := other.Reserve(t.Context(), 50); err != nil {
			t.Error(err)
		}
	}
	s.reserve(t, 50)
	if ahead := s.ahead(t); ahead != 1500*time.Millisecond {
		t.Errorf("the arrival is %s ahead: expected three blocks of 500ms", ahead)
	}
}

func TestAnOperatorsLostAnswersAreFoundAgain(t *testing.T) {
	for name, call := range map[string]func(*testing.T, *dynamo.Gate) error{
		"set rate":    func(t *testing.T, g *dynamo.Gate) error { return g.SetRate(t.Context(), 50, 60) },
		"delete":      func(t *testing.T, g *dynamo.Gate) error { return g.SetMode(t.Context(), gate.Delete) },
		"report-only": func(t *testing.T, g *dynamo.Gate) error { return g.SetMode(t.Context(), gate.ReportOnly) },
		"pause":       func(t *testing.T, g *dynamo.Gate) error { return g.Pause(t.Context()) },
		"resume":      func(t *testing.T, g *dynamo.Gate) error { return g.Resume(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			s.wire.after = func() {}
			if err := call(t, s.worker); err != nil {
				t.Errorf("its answer was lost, the repeat says: %v", err)
			}
			if s.wire.writes != 2 {
				t.Errorf("%d attempts: expected 2", s.wire.writes)
			}
		})
	}
}

// Without the condition on the revision, the SDK's own repeat of a resume
// whose answer was lost undoes a pause that came in between: deletes go on
// although the last thing that anybody did was to stop them.
func TestARepeatedResumeNeverUndoesALaterPause(t *testing.T) {
	for name, call := range map[string]func(*dynamo.Gate) error{
		"resume":   func(g *dynamo.Gate) error { return g.Resume(t.Context()) },
		"delete":   func(g *dynamo.Gate) error { return g.SetMode(t.Context(), gate.Delete) },
		"set rate": func(g *dynamo.Gate) error { return g.SetRate(t.Context(), 50, 60) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			must(t, s.operator.Pause(t.Context()))
			s.wire.after = func() { must(t, s.operator.Pause(t.Context())) }
			if err := call(s.worker); !errors.Is(err, upload.ErrChanged) {
				t.Errorf("got %v: expected %v", err, upload.ErrChanged)
			}
			state, err := s.operator.Read(t.Context())
			must(t, err)
			if state.Open() {
				t.Error("the gate is open: the pause was undone")
			}
		})
	}
}

// Without the arrival in the operator's condition, the block that was reserved
// meanwhile is forgotten, and given again.
func TestABlockReservedWhileTheRateIsSetIsNotForgotten(t *testing.T) {
	s := newScene(t)
	s.wire.before = func() {
		if _, err := s.operator.Reserve(t.Context(), 100); err != nil {
			t.Error(err)
		}
	}
	must(t, s.worker.SetRate(t.Context(), 50, 200))
	if ahead := s.ahead(t); ahead != 2*time.Second {
		t.Errorf("the arrival is %s ahead: expected 2s, 100 slots at the new rate", ahead)
	}
}

func TestTwoGatesInOneTableDoNotMeet(t *testing.T) {
	s := newScene(t)
	other := dynamo.New(newWire(t).client(), s.table, "other", func() time.Time { return s.now })
	if _, err := other.Reserve(t.Context(), 10); !errors.Is(err, gate.ErrClosed) {
		t.Errorf("got %v: expected %v", err, gate.ErrClosed)
	}
}

func TestTheServersTimeIsTheDateOfItsAnswer(t *testing.T) {
	s := newScene(t)
	state, err := s.worker.Read(t.Context())
	must(t, err)
	if off := time.Since(state.ServerTime).Abs(); off > time.Minute {
		t.Errorf("server time %s is %s off this machine's, where the emulator runs", state.ServerTime, off)
	}
}

func TestAGateThatCannotBeReachedGivesNothing(t *testing.T) {
	w := newWire(t)
	w.endpoint = "http://127.0.0.1:1"
	g := dynamo.New(w.client(), "no-table", "main", func() time.Time { return t0 })
	if grant, err := g.Reserve(t.Context(), 1); err == nil || errors.Is(err, gate.ErrClosed) {
		t.Errorf("got %+v and %v: expected an error that does not say closed", grant, err)
	}
}
