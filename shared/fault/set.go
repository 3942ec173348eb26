package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Call is one external call: the n-th of its operation that an actor made,
// counted from 1. What an SDK repeats by itself is the same call.
type Call struct {
	Actor     string
	Operation string
	N         int
}

func (c Call) String() string { return fmt.Sprintf("%s %s %d", c.Actor, c.Operation, c.N) }

// Fault is what happens to one call.
type Fault struct {
	Call Call
	Case
}

func (f Fault) String() string { return fmt.Sprintf("%s, %s", f.Call, f.Case) }

// Set records the calls of a story and has scripted ones fail. Any number of
// goroutines may call through it.
type Set struct {
	mu       sync.Mutex
	calls    []Call
	made     map[[2]string]int // by actor and operation
	scripted map[Call]Fault
	met      map[Call]bool
	dead     map[string]bool
}

// New returns a set in which nothing fails. Script is what will.
func New(script ...Fault) *Set {
	s := &Set{made: map[[2]string]int{}, scripted: map[Call]Fault{}, met: map[Call]bool{}, dead: map[string]bool{}}
	for _, f := range script {
		s.scripted[f.Call] = f
	}
	return s
}

type actorKey struct{}

// As says who makes the calls under the context.
func As(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// Actor is who makes the calls under the context; "" for nobody.
func Actor(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// Calls lists what was called so far, in the order of its beginning.
func (s *Set) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Missed lists the scripted faults that no call has met.
func (s *Set) Missed() []Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	var missed []Fault
	for call, f := range s.scripted {
		if !s.met[call] {
			missed = append(missed, f)
		}
	}
	return missed
}

// Dead reports whether the actor met its death.
func (s *Set) Dead(actor string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead[actor]
}

// Revive lets another process take the dead one's place.
func (s *Set) Revive(actor string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.dead, actor)
}

// ErrDead is what the calls of a dead actor return to nobody.
var ErrDead = errors.New("the process has died")

// meet notes a call and returns what happens to it: a case without a kind is
// nothing.
func (s *Set) meet(ctx context.Context, operation string) Case {
	actor := Actor(ctx)
	if actor == "" {
		return Case{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead[actor] {
		return Case{Before, Death}
	}
	of := [2]string{actor, operation}
	s.made[of]++
	call := Call{actor, operation, s.made[of]}
	s.calls = append(s.calls, call)
	f, scripted := s.scripted[call]
	if !scripted {
		return Case{}
	}
	s.met[call] = true
	if f.Kind == Death {
		s.dead[actor] = true
	}
	return f.Case
}
