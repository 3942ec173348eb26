package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/gate"
)

// Throttled lowers the rate for everybody, see [gate.State.Throttled], and
// returns the state as it is then. It is one conditional write, or none where
// another has lowered it already; it opens nothing. A *gate.BusyError if others
// overtook it too often: then it has changed nothing.
func (g *Gate) Throttled(ctx context.Context) (gate.State, error) {
	if err := g.await(ctx); err != nil {
		return gate.State{}, err
	}
	defer g.leave()
	s, err := g.throttled(ctx)
	if err != nil {
		return gate.State{}, fmt.Errorf("slow gate %s: %w", g.name, err)
	}
	return s, nil
}

func (g *Gate) throttled(ctx context.Context) (gate.State, error) {
	s, fresh, err := g.known(ctx)
	for range maxTries {
		if err != nil {
			return gate.State{}, err
		}
		next, lower := s.Throttled(g.now())
		switch {
		case lower:
			s, err = g.write(ctx, slow(s, next))
			if err == nil {
				return s, nil
			}
			if errors.Is(err, errLost) {
				fresh, err = true, nil // the condition's answer has shown the item
			}
		case fresh:
			return s, nil
		default: // by what is remembered only: an operator may have ended that
			s, err = g.read(ctx)
			fresh = true
		}
	}
	return gate.State{}, &gate.BusyError{Until: g.now().Add(contentionPause)}
}

// slow writes a lower rate. It touches nothing that is an operator's.
func slow(s, next gate.State) update {
	u := update{
		expression: "SET " + attrArrival + " = :arrival, " + attrSlowedTo + " = :to, " + attrSlowedAt + " = :at",
		values: attributes{
			":arrival": encoded(next.ArrivalAt),
			":to":      number(int64(next.SlowedTo)),
			":at":      encoded(next.SlowedAt),
		},
	}
	u.onlyAs(s)
	return u
}
