package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Pause stops every worker within [gate.SlotLife]. It is written without a
// condition, so nobody overtakes it.
func (g *Gate) Pause(ctx context.Context) error {
	return g.named("pause", g.shut(ctx, attrPaused, boolean(true)))
}

// Resume ends a pause. upload.ErrChanged if another operator acted meanwhile.
func (g *Gate) Resume(ctx context.Context) error {
	return g.named("resume", g.open(ctx, func(s gate.State) (gate.State, error) {
		return s.WithPause(false), nil
	}))
}

// SetMode chooses whether anything may be deleted. Report-only is written like
// a pause, delete like a resume.
func (g *Gate) SetMode(ctx context.Context, mode gate.Mode) error {
	if mode == gate.ReportOnly {
		return g.named("close", g.shut(ctx, attrMode, text(string(mode))))
	}
	return g.named("open", g.open(ctx, func(s gate.State) (gate.State, error) {
		return s.WithMode(mode)
	}))
}

// SetRate sets the rate in object versions per second, and the burst.
// upload.ErrChanged if another operator acted meanwhile; a *gate.BusyError if
// reservations overtook it too often.
func (g *Gate) SetRate(ctx context.Context, rate, burst int) error {
	return g.named("set the rate of", g.open(ctx, func(s gate.State) (gate.State, error) {
		return s.WithRate(rate, burst, g.now())
	}))
}

func (g *Gate) named(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s gate %s: %w", what, g.name, err)
	}
	return nil
}

// shut sets one attribute, whatever the item holds, and gives the others their
// first value where there is no item yet.
func (g *Gate) shut(ctx context.Context, attr string, value types.AttributeValue) error {
	set := []string{attr + " = :shut"}
	values := attributes{":shut": value, ":one": number(1)}
	for name, first := range encode(g.by.Signed(gate.State{Mode: gate.ReportOnly}, g.now())) {
		switch name {
		case attr, attrRevision:
			continue
		case attrDecidedBy, attrDecidedAt:
			set = append(set, name+" = :"+name)
			values[":"+name] = first
			continue
		}
		set = append(set, name+" = if_not_exists("+name+", :"+name+")")
		values[":"+name] = first
	}
	_, err := g.write(ctx, update{
		expression: "SET " + strings.Join(set, ", ") + " ADD " + attrRevision + " :one",
		values:     values,
	})
	return err
}

// open changes the item on the condition that it is as it was read. A repeat
// by the SDK could else undo a pause that came after the first attempt.
// Reservations and throttles are no operators: when one was faster, it is tried
// again.
func (g *Gate) open(ctx context.Context, by func(gate.State) (gate.State, error)) error {
	s, err := g.read(ctx)
	if err != nil {
		return err
	}
	if err := g.by.Check(s); err != nil {
		return err
	}
	for range maxTries {
		next, err := by(s)
		if err != nil {
			return err
		}
		next = g.by.Signed(next, g.now())
		stored, err := g.write(ctx, replace(s, next))
		switch {
		case err == nil, errors.Is(err, errLost) && sameSettings(stored, next):
			return nil // in the second case an attempt before it was ours, or as good
		case !errors.Is(err, errLost):
			return err
		case stored.Revision != s.Revision:
			return fmt.Errorf("revision %d was read and there is %d: %w", s.Revision, stored.Revision, upload.ErrChanged)
		}
		s = stored
	}
	return &gate.BusyError{Until: g.now().Add(contentionPause)}
}

// replace writes all that next holds over s.
func replace(s, next gate.State) update {
	u := update{values: attributes{}}
	var set []string
	for name, value := range encode(next) {
		set = append(set, name+" = :"+name)
		u.values[":"+name] = value
	}
	u.expression = "SET " + strings.Join(set, ", ")
	if s.SlowedTo > 0 && next.SlowedTo == 0 {
		u.expression += " REMOVE " + attrSlowedTo + ", " + attrSlowedAt
	}
	if s.Revision == 0 {
		u.condition = "attribute_not_exists(pk)"
		return u
	}
	u.onlyAs(s)
	return u
}

// sameSettings reports whether a holds what an operator wanted with b.
func sameSettings(a, b gate.State) bool {
	a.ArrivalAt, a.ServerTime = b.ArrivalAt, b.ServerTime
	a.SlowedTo, a.SlowedAt = b.SlowedTo, b.SlowedAt
	return a == b
}
