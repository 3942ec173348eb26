package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/gate"
)

const (
	// maxTries bounds the writes of one reservation that others overtake. Each
	// of them means that somebody else got a block.
	maxTries = 10
	// contentionPause is how long to stay away after that.
	contentionPause = 100 * time.Millisecond
)

// Reserve gives a block of slots; see [gate.State.Reserve] for its errors. It
// takes one write as long as nobody else has written in between, and one read
// before it while others do: a read costs a fifth of the write that would only
// find out. A refusal is never given from memory: it is what the store showed
// during this call. When others overtook it too often, it is a *gate.BusyError
// too.
func (g *Gate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	if err := g.await(ctx); err != nil {
		return gate.Grant{}, err
	}
	defer g.leave()
	grant, err := g.reserve(ctx, slots)
	if err != nil {
		return gate.Grant{}, fmt.Errorf("reserve %d slots of gate %s: %w", slots, g.name, err)
	}
	return grant, nil
}

// await takes the turn among this process's writes, leave gives it on.
func (g *Gate) await(ctx context.Context) error {
	select {
	case g.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gate) leave() { <-g.turn }

func (g *Gate) reserve(ctx context.Context, slots int) (gate.Grant, error) {
	fresh, err := g.lookFirst(ctx)
	if err != nil {
		return gate.Grant{}, err
	}
	for range maxTries {
		s, looked, err := g.known(ctx)
		if err != nil {
			return gate.Grant{}, err
		}
		fresh = fresh || looked
		next, grant, err := s.Reserve(slots, g.now())
		if err != nil && fresh {
			return gate.Grant{}, err
		}
		if err != nil {
			g.last.Store(nil) // remembered only: look before refusing
			continue
		}
		_, err = g.write(ctx, advance(s, next))
		if err == nil {
			return grant, nil
		}
		if !errors.Is(err, errLost) {
			return gate.Grant{}, err
		}
		fresh, g.shared = true, true // the condition's answer has shown the item
	}
	return gate.Grant{}, &gate.BusyError{Until: g.now().Add(contentionPause)}
}

// lookFirst reads the item where others have been at it lately. One look that
// shows it as it was left ends that: then what is remembered is enough again.
func (g *Gate) lookFirst(ctx context.Context) (looked bool, err error) {
	last := g.last.Load()
	if !g.shared || last == nil {
		return false, nil
	}
	s, err := g.read(ctx)
	if err != nil {
		return false, err
	}
	g.shared = s.Revision != last.Revision || !s.ArrivalAt.Equal(last.ArrivalAt) || !s.SlowedAt.Equal(last.SlowedAt)
	return true, nil
}

// known is the item as it was last seen, or a look at it if it never was.
func (g *Gate) known(ctx context.Context) (s gate.State, looked bool, err error) {
	if last := g.last.Load(); last != nil {
		return *last, false, nil
	}
	s, err = g.read(ctx)
	return s, true, err
}

// advance writes the arrival time. That the gate is open is in the condition
// of this very write, so a pause wins over everything that was read before it;
// and so is the slowdown, so that no block goes at a rate that was lowered.
func advance(s, next gate.State) update {
	u := update{
		expression: "SET " + attrArrival + " = :next",
		condition:  attrMode + " = :delete AND " + attrPaused + " = :no",
		values: attributes{
			":next":   encoded(next.ArrivalAt),
			":delete": text(string(gate.Delete)),
			":no":     boolean(false),
		},
	}
	u.onlyAs(s)
	return u
}

// onlyAs adds the condition that operators, reservations and throttles have
// left the item as it was seen.
func (u *update) onlyAs(s gate.State) {
	same := []string{attrRevision + " = :was_revision", attrArrival + " = :was_arrival"}
	u.values[":was_revision"], u.values[":was_arrival"] = number(s.Revision), encoded(s.ArrivalAt)
	if s.SlowedTo > 0 {
		same = append(same, attrSlowedTo+" = :was_slowed_to", attrSlowedAt+" = :was_slowed_at")
		u.values[":was_slowed_to"], u.values[":was_slowed_at"] = number(int64(s.SlowedTo)), encoded(s.SlowedAt)
	} else {
		same = append(same, "attribute_not_exists("+attrSlowedAt+")")
	}
	if u.condition != "" {
		same = append(same, u.condition)
	}
	u.condition = strings.Join(same, " AND ")
}
