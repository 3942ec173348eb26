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
)

func (s *scene) throttled(t *testing.T, g *dynamo.Gate) gate.State {
	t.Helper()
	state, err := g.Throttled(t.Context())
	must(t, err)
	return state
}

func (s *scene) wantRate(t *testing.T, rate int) gate.State {
	t.Helper()
	state, err := s.operator.Read(t.Context())
	must(t, err)
	if got := state.RateAt(s.now); got != rate {
		t.Errorf("the rate in force is %d of %d: expected %d", got, state.Rate, rate)
	}
	return state
}

func TestAThrottleIsOneWriteAndARepeatedOneALook(t *testing.T) {
	s := newScene(t)
	s.reserve(t, 10)
	s.wire.writes, s.wire.reads = 0, 0
	s.throttled(t, s.worker)
	s.wantCost(t, "the first throttle", 1, 0)
	s.throttled(t, s.worker)
	s.wantCost(t, "another one of the same episode", 0, 1)
	s.throttled(t, s.operator)
	other := newWire(t)
	s.throttled(t, s.handle(other))
	if other.writes != 0 || other.reads != 1 {
		t.Errorf("another worker's took %d writes and %d reads: expected a look", other.writes, other.reads)
	}
	s.wantRate(t, 50)
}

// Without the slowdown in the condition of the write, a throttle that comes
// between this worker's look and its write does not hold for its block.
func TestAThrottleBetweenReadAndWriteWins(t *testing.T) {
	s := newScene(t)
	s.wire.before = func() { s.throttled(t, s.operator) }
	s.reserve(t, 100)
	if ahead := s.ahead(t).Round(100 * time.Millisecond); ahead != 2*time.Second {
		t.Errorf("100 slots moved the arrival by %s: expected about 2s, at 50 a second", ahead)
	}
}

// If a lost answer were taken for a throttle that was not written down, the
// repeat would lower the rate a second time.
func TestAThrottleWhoseAnswerWasLostLowersOnce(t *testing.T) {
	s := newScene(t)
	s.wire.after = func() {}
	s.throttled(t, s.worker)
	s.wantRate(t, 50)
}

// Without the slowdown in an operator's condition, what they read before the
// throttle is written over it: a resume would bring the old rate back.
func TestAThrottleBetweenAnOperatorsLookAndTheirCallIsNeitherLostNorInTheirWay(t *testing.T) {
	s := newScene(t)
	must(t, s.operator.Pause(t.Context()))
	s.wire.before = func() { s.throttled(t, s.operator) }
	must(t, s.worker.Resume(t.Context()))
	if state := s.wantRate(t, 50); !state.Open() {
		t.Error("the gate is not open")
	}
	s.now = s.now.Add(gate.SlotLife)
	s.wire.before = func() { s.throttled(t, s.operator) }
	must(t, s.worker.SetRate(t.Context(), 100, 200))
	s.wantRate(t, 100)
}

func TestAReservationBetweenAThrottlesLookAndItsWriteIsNotForgotten(t *testing.T) {
	s := newScene(t)
	s.wire.before = func() {
		if _, err := s.operator.Reserve(t.Context(), 100); err != nil {
			t.Error(err)
		}
	}
	s.throttled(t, s.worker)
	s.wantRate(t, 50)
	if ahead := s.ahead(t).Round(100 * time.Millisecond); ahead != 2*time.Second {
		t.Errorf("the arrival is %s ahead: expected about 2s, 100 slots at the lower rate", ahead)
	}
}

// before is what the version without slowdowns does to an item: its conditions
// know revision, arrival, mode and pause, and it writes no slowdown.
func (s *scene) before(t *testing.T, expression string, values map[string]types.AttributeValue) error {
	t.Helper()
	values[":revision"] = &types.AttributeValueMemberN{Value: "2"}
	values[":arrival"] = &types.AttributeValueMemberN{Value: "0"}
	_, err := newWire(t).client().UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(s.table),
		Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "GATE#main"}, "sk": &types.AttributeValueMemberS{Value: "#"},
		},
		UpdateExpression:          aws.String(expression),
		ConditionExpression:       aws.String("arrival = :arrival AND revision = :revision"),
		ExpressionAttributeValues: values,
	})
	return err
}

// During an upgrade workers of both versions reserve from one item. What the
// older one writes must neither stop this one, nor be stopped by it; it goes at
// the rate that was set until it is replaced, as it always did.
func TestWorkersOfTheVersionBeforeGoOnBesideASlowedGate(t *testing.T) {
	s := newScene(t) // an item that nobody slowed has no such attribute: it is the older version's
	s.throttled(t, s.worker)
	next := &types.AttributeValueMemberN{Value: "1796025600500000000"} // half a second after t0
	must(t, s.before(t, "SET arrival = :next", map[string]types.AttributeValue{":next": next}))
	s.wantRate(t, 50)
	s.reserve(t, 100)
	if ahead := s.ahead(t).Round(100 * time.Millisecond); ahead != 2500*time.Millisecond {
		t.Errorf("the arrival is %s ahead: expected its half second and about two of this version's", ahead)
	}
}

func TestARateThatTheVersionBeforeSetsLeavesASlowdownToEndByItself(t *testing.T) {
	s := newScene(t)
	s.throttled(t, s.worker)
	values := map[string]types.AttributeValue{
		":rate": &types.AttributeValueMemberN{Value: "40"}, ":next": &types.AttributeValueMemberN{Value: "3"},
	}
	must(t, s.before(t, "SET rate = :rate, revision = :next", values))
	state := s.wantRate(t, 40) // it was lowered to 50
	s.now = state.RecoversAt().Add(time.Hour)
	s.reserve(t, 10)
	s.wantRate(t, 40)
}

func TestADamagedSlowdownGivesNothing(t *testing.T) {
	for expression, value := range map[string]types.AttributeValue{
		"SET slowed_to = :v":                   &types.AttributeValueMemberS{Value: "50"},
		"SET slowed_at = :v":                   &types.AttributeValueMemberN{Value: "0"},
		"SET slowed_to = :v, slowed_at = :v":   &types.AttributeValueMemberN{Value: "0"},
		"SET slowed_at = :v REMOVE slowed_to":  &types.AttributeValueMemberN{Value: "1"},
		"SET slowed_to = :v REMOVE burst":      &types.AttributeValueMemberN{Value: "1"},
		"SET slowed_at = :v, slowed_to = rate": &types.AttributeValueMemberN{Value: "-1"},
	} {
		s := newScene(t)
		s.throttled(t, s.worker)
		s.edit(t, expression, value)
		if grant, err := s.worker.Reserve(t.Context(), 10); err == nil || errors.Is(err, gate.ErrClosed) {
			t.Errorf("%s: got %+v and %v", expression, grant, err)
		}
		if state, err := s.worker.Throttled(t.Context()); err == nil {
			t.Errorf("%s: slowed to %+v", expression, state)
		}
	}
}
