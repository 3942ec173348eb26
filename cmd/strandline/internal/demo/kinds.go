package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/upload"
)

// kind is one way an upload of the population lives, and what must become of
// it: what each pass does with it, and what stands in the end.
type kind struct {
	name string
	// share is how many of every round of uploads are of this kind.
	share int
	hold  time.Duration
	// live is what its application does at the beginning.
	live func(*member, context.Context) error
	// one and two are what the passes do with it: "" if it is not due then.
	one, two string
	// end is its state in the end.
	end upload.State
}

// What a pass does with a candidate, as the tally calls it.
const (
	kept      = "kept"
	stuck     = "stuck"
	marked    = "marked"
	repaired  = "repaired"
	published = "published"
)

const (
	shortHold = time.Hour
	longHold  = 500 * time.Hour
)

// Kinds that something happens to later, by name.
const (
	kindActive   = "active: slow, but sending"
	kindRevived  = "marked, then active again"
	kindExtended = "hold extended while the command waits"
	kindHeld     = "abandoned, one version under legal hold"
	kindLeftover = "complete, an earlier attempt left over"
)

func kinds() []kind {
	return []kind{
		{name: kindActive, share: 3, hold: shortHold, live: (*member).sends, one: kept, two: kept, end: upload.StateReceiving},
		{name: "receiving, hold ahead", share: 3, hold: longHold, live: (*member).sends, end: upload.StateReceiving},
		{name: "complete for good", share: 10, live: (*member).completes, end: upload.StateComplete},
		{name: "complete, hold ahead", share: 2, live: completesUntil(longHold), end: upload.StateComplete},
		{name: "complete, hold over, referenced", share: 2, live: (*member).isReferenced, one: kept, end: upload.StateComplete},
		{name: "assembling too long", share: 1, hold: shortHold, live: (*member).assembles, one: stuck, two: stuck, end: upload.StateAssembling},
		{name: kindLeftover, share: 2, live: (*member).startsOver, one: published, end: upload.StateComplete},
		{name: "abandoned", share: 6, hold: shortHold, live: (*member).sends, one: marked, two: published, end: upload.StateDeleted},
		{name: "abandoned, a put never recorded", share: 1, hold: shortHold, live: (*member).diesBeforeRecording, one: marked, two: published, end: upload.StateDeleted},
		{name: kindHeld, share: 1, hold: shortHold, live: (*member).sends, one: marked, two: published, end: upload.StateDeleted},
		{name: "complete, hold over", share: 2, live: completesUntil(2 * time.Hour), one: marked, two: published, end: upload.StateDeleted},
		{name: "overdue without a hold", share: 2, live: (*member).sends, one: repaired, two: published, end: upload.StateDeleted},
		{name: "cancelled", share: 2, hold: shortHold, live: (*member).isCancelled, one: published, end: upload.StateDeleted},
		{name: kindRevived, share: 2, hold: shortHold, live: (*member).sends, one: marked, two: kept, end: upload.StateReceiving},
		{name: kindExtended, share: 1, hold: shortHold, live: (*member).sends, one: marked, two: published, end: upload.StateReceiving},
	}
}

// member is one upload of the population.
type member struct {
	kind    *kind
	session *intake.Session
	world   *population
	number  int
	chunks  int
	// trimmed is how many of its objects an earlier attempt left over, and
	// trimmedBytes how large they are together.
	trimmed, trimmedBytes int64
}

// sends puts every chunk, and that is all.
func (m *member) sends(ctx context.Context) error { return m.put(ctx, 1, m.chunks) }

func (m *member) put(ctx context.Context, from, to int) error {
	for seq := from; seq <= to; seq++ {
		if err := putChunk(ctx, m.session, seq, m.body(seq)); err != nil {
			return err
		}
	}
	return nil
}

func (m *member) keys() []upload.Key {
	var keys []upload.Key
	for seq := 1; seq <= m.chunks; seq++ {
		keys = append(keys, m.session.Key(seq))
	}
	return keys
}

func (m *member) completes(ctx context.Context) error {
	return completesUntil(0)(m, ctx)
}

// completesUntil completes with a hold that long; none if zero.
func completesUntil(hold time.Duration) func(*member, context.Context) error {
	return func(m *member, ctx context.Context) error {
		if err := m.sends(ctx); err != nil {
			return err
		}
		var until time.Time
		if hold > 0 {
			until = m.world.Clock.Now().Add(hold)
		}
		return m.session.Complete(ctx, m.keys(), until)
	}
}

func (m *member) isReferenced(ctx context.Context) error {
	if err := completesUntil(2*time.Hour)(m, ctx); err != nil {
		return err
	}
	ref := upload.Reference{Source: "posts", Entity: fmt.Sprintf("post-%d", m.number), Generation: 1}
	return m.world.Intake.AddReference(ctx, m.session.ID(), ref, 0)
}

func (m *member) assembles(ctx context.Context) error {
	if err := m.sends(ctx); err != nil {
		return err
	}
	return m.session.BeginAssembly(ctx)
}

// leftOver is how many chunks a first attempt has sent before it starts over.
const leftOver = 3

// startsOver loses its connection, acquires its upload again, sends everything
// anew and completes with the new attempt's keys.
func (m *member) startsOver(ctx context.Context) error {
	if err := m.put(ctx, 1, leftOver); err != nil {
		return err
	}
	m.trimmed, m.trimmedBytes = leftOver, m.session.Record().Bytes
	again, err := m.world.Intake.Acquire(ctx, m.session.ID(), m.session.Record().Holder, populationLease)
	if err != nil {
		return err
	}
	m.session = again
	if err := again.Declare(ctx, m.chunks); err != nil {
		return err
	}
	return m.completes(ctx)
}

// diesBeforeRecording puts its last chunk and ends before it can say so.
func (m *member) diesBeforeRecording(ctx context.Context) error {
	if err := m.put(ctx, 1, m.chunks-1); err != nil {
		return err
	}
	key := m.session.Record().ObjectKey(m.session.Key(m.chunks))
	return putBeside(ctx, m.world.Installation, key, m.body(m.chunks))
}

func (m *member) isCancelled(ctx context.Context) error {
	if err := m.sends(ctx); err != nil {
		return err
	}
	return m.session.Cancel(ctx, "user left the page")
}
