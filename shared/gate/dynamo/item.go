package dynamo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/gate"
)

// The item's attributes. Every item has all of them but the decided and the
// slowed ones: a condition on an attribute that is not there does not hold. The
// arrival and a slowdown are in nanoseconds since 1970, 0 for none; a decision
// in milliseconds.
const (
	attrMode     = "gate_mode"
	attrPaused   = "paused"
	attrRate     = "rate"
	attrBurst    = "burst"
	attrArrival  = "arrival"
	attrRevision = "revision"

	// Only while a throttle is remembered. What the version before writes has
	// neither, and leaves them as they are.
	attrSlowedTo = "slowed_to"
	attrSlowedAt = "slowed_at"

	attrDecidedBy = "decided_by"
	attrDecidedAt = "decided_at"
)

type attributes = map[string]types.AttributeValue

// decode reads an item. No item is report-only; one that lacks something, or
// holds something else, is an error: a gate that cannot be read gives nothing.
func decode(item attributes) (gate.State, error) {
	if len(item) == 0 {
		return gate.State{Mode: gate.ReportOnly}, nil
	}
	mode, ok := item[attrMode].(*types.AttributeValueMemberS)
	if !ok {
		return gate.State{}, fmt.Errorf("gate item has no text in %s", attrMode)
	}
	paused, ok := item[attrPaused].(*types.AttributeValueMemberBOOL)
	if !ok {
		return gate.State{}, fmt.Errorf("gate item has no true or false in %s", attrPaused)
	}
	var numbers [4]int64
	for i, name := range []string{attrRate, attrBurst, attrArrival, attrRevision} {
		value, err := whole(item, name)
		if err != nil {
			return gate.State{}, err
		}
		numbers[i] = value
	}
	s := gate.State{
		Mode: gate.Mode(mode.Value), Paused: paused.Value,
		Rate: int(numbers[0]), Burst: int(numbers[1]), Revision: numbers[3],
	}
	if s.Revision < 1 {
		return gate.State{}, fmt.Errorf("gate item has revision %d: expected 1 or more", s.Revision)
	}
	if numbers[0] > gate.MaxRate || numbers[1] > gate.MaxBurst { // nobody may set it, and the arithmetic would overflow
		return gate.State{}, fmt.Errorf("gate item has %d in %s and %d in %s: at most %d and %d", numbers[0], attrRate, numbers[1], attrBurst, gate.MaxRate, gate.MaxBurst)
	}
	if numbers[2] > 0 {
		s.ArrivalAt = time.Unix(0, numbers[2]).UTC()
	}
	s.DecidedBy, s.DecidedAt = decided(item)
	err := slowed(item, &s)
	return s, err
}

// whole reads a number that is 0 or more.
func whole(item attributes, name string) (int64, error) {
	n, ok := item[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("gate item has no number in %s", name)
	}
	value, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || value < 0 {
		return 0, fmt.Errorf("gate item has %q in %s: expected a whole number, 0 or more", n.Value, name)
	}
	return value, nil
}

// slowed reads what a throttle has lowered, where one has.
func slowed(item attributes, s *gate.State) error {
	if item[attrSlowedTo] == nil && item[attrSlowedAt] == nil {
		return nil
	}
	to, err := whole(item, attrSlowedTo)
	if err != nil {
		return err
	}
	at, err := whole(item, attrSlowedAt)
	if err != nil {
		return err
	}
	if to < 1 || to > gate.MaxRate || at < 1 {
		return fmt.Errorf("gate item has %d in %s and %d in %s: expected a rate and an instant", to, attrSlowedTo, at, attrSlowedAt)
	}
	s.SlowedTo, s.SlowedAt = int(to), time.Unix(0, at).UTC()
	return nil
}

// decided is who decided last, and when; nobody where the item does not say,
// or says what is no name or instant: it protects nothing.
func decided(item attributes) (by string, at time.Time) {
	if name, ok := item[attrDecidedBy].(*types.AttributeValueMemberS); ok {
		by = name.Value
	}
	if n, ok := item[attrDecidedAt].(*types.AttributeValueMemberN); ok {
		if ms, err := strconv.ParseInt(n.Value, 10, 64); err == nil && ms > 0 {
			at = time.UnixMilli(ms).UTC()
		}
	}
	return by, at
}

// encode is what an item holds, but for a slowdown: see [slow].
func encode(s gate.State) attributes {
	return attributes{
		attrMode:     text(string(s.Mode)),
		attrPaused:   boolean(s.Paused),
		attrRate:     number(int64(s.Rate)),
		attrBurst:    number(int64(s.Burst)),
		attrArrival:  encoded(s.ArrivalAt),
		attrRevision: number(s.Revision),

		attrDecidedBy: text(s.DecidedBy),
		attrDecidedAt: number(s.DecidedAt.UnixMilli()),
	}
}

// encoded is an instant as the item holds it.
func encoded(t time.Time) types.AttributeValue {
	if t.IsZero() {
		return number(0)
	}
	return number(t.UnixNano())
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func boolean(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }
