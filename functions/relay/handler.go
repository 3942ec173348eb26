package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
)

// Answer names what is not done: sequence numbers of a stream's records, or ids
// of messages. The list is never nil: a missing one is a malformed answer to
// some.
type Answer struct {
	Failures []Failure `json:"batchItemFailures"`
}

// Failure is one record or message that is not done.
type Failure struct {
	Item string `json:"itemIdentifier"`
}

// result is what became of one item.
type result struct {
	source   string // its name; empty where it is not known
	at       time.Time
	outcomes []release.Outcome
	done     bool
	parked   string // why; empty if it is not
}

// Handle takes one event of a table's stream, or of the queue of releases, and
// says which of its records are not done. What cannot be dealt with is parked
// among the dead letters and done; only what has to come again is not. An event
// that is neither is an error: Lambda then takes all of it as failed.
func (a *App) Handle(ctx context.Context, raw json.RawMessage) (Answer, error) {
	items, err := readEvent(raw)
	if err != nil {
		return Answer{}, fmt.Errorf("relay event: %w", err)
	}
	results := a.all(ctx, items)
	answer := Answer{Failures: []Failure{}}
	for i, r := range results {
		if !r.done {
			answer.Failures = append(answer.Failures, Failure{items[i].id})
		}
	}
	a.note(ctx, results)
	numbers, tally := measured(results)
	a.log.InfoContext(ctx, "batch", "tally", tally)
	if err := a.metrics.Put(a.now(), numbers); err != nil {
		a.log.ErrorContext(ctx, "metrics not written", "error", err)
	}
	return answer, nil
}

// all works on the items side by side. Shortly before the invocation's deadline
// nothing is begun any more: what is left is not done, and comes again.
func (a *App) all(ctx context.Context, items []item) []result {
	results := make([]result, len(items))
	late := func() bool { return false }
	if deadline, ok := ctx.Deadline(); ok {
		until := deadline.Add(-a.config.DeadlineMargin)
		late = func() bool { return !a.now().Before(until) }
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline.Add(-a.config.DeadlineMargin/2).Sub(a.now()))
		defer cancel()
	}
	var group errgroup.Group
	group.SetLimit(a.config.Concurrency)
	for i, one := range items {
		if late() {
			break
		}
		group.Go(func() error {
			results[i] = a.one(ctx, one)
			return nil
		})
	}
	_ = group.Wait() // no item returns an error: what became of each is in results
	return results
}

// one deals with an item, and parks it where nothing else can be done.
func (a *App) one(ctx context.Context, i item) result {
	r := a.take(ctx, i)
	r.done = release.Done(r.outcomes)
	for _, o := range r.outcomes {
		if o.Kind != release.KindSkipped {
			a.tell(ctx, i, r, o)
		}
	}
	why := release.ParkedWhy(r.outcomes)
	if !r.done || why == "" {
		return r // what has failed comes again as a whole, and is parked then
	}
	m := command.Received{MessageID: i.id, Body: i.parkable(), Receives: i.receives}
	if err := a.dead.Park(ctx, m, r.source, why); err != nil {
		a.log.ErrorContext(ctx, "not parked", "message", i.id, "source", r.source, "error", err)
		r.done = false
		return r
	}
	r.parked = why
	return r
}

// take reads an item and hands it to the engine.
func (a *App) take(ctx context.Context, i item) result {
	if i.stream {
		table, change, err := changeOf(i.body)
		if err != nil {
			return result{outcomes: unreadable(err)}
		}
		s, ok := source.ByTable(a.config.Sources, table)
		if !ok {
			return result{outcomes: unreadable(&source.Unreadable{Where: "record", Why: "its table is no source that is configured"})}
		}
		return result{source: s.Name, at: change.At, outcomes: a.engine.Take(ctx, s, change)}
	}
	m, err := release.ParseMessage(i.body)
	if err != nil {
		return result{outcomes: unreadable(err)}
	}
	r := result{outcomes: []release.Outcome{a.engine.Message(ctx, m)}}
	if _, ok := source.ByName(a.config.Sources, m.Source); ok {
		r.source, r.at = m.Source, m.At
	}
	return r
}

func unreadable(err error) []release.Outcome {
	return []release.Outcome{{Kind: release.KindParked, Reason: err.Error()}}
}

// tell logs what became of something: ids, no key and no URL.
func (a *App) tell(ctx context.Context, i item, r result, o release.Outcome) {
	about := a.log.With("message", i.id, "source", r.source, "tenant", o.Upload.Tenant, "upload", o.Upload.Upload)
	switch o.Kind {
	case release.KindParked:
		about.WarnContext(ctx, "release", "outcome", string(o.Kind), "reason", o.Reason)
	case release.KindFailed:
		about.ErrorContext(ctx, "release", "outcome", string(o.Kind), "error", o.Err)
	default:
		about.InfoContext(ctx, "release", "outcome", string(o.Kind))
	}
}
