package sim

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// records is the ledger as one process sees it.
type records struct {
	*process
	world *world
}

func (r records) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	all, err := r.LoadMany(ctx, []upload.ID{id})
	if err != nil {
		return upload.Record{}, err
	}
	return all[0], nil
}

func (r records) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.Upload
	}
	what := "looks up " + strings.Join(names, ", ")
	w := r.enter(what, throttled, timeout, slow)
	if !w.done() {
		return nil, failed(what, w)
	}
	all, err := r.world.ledger.LoadMany(ctx, ids)
	if w = r.answered(what, w); w == dead {
		return nil, errDead
	}
	return all, err
}

func (r records) Commit(ctx context.Context, c upload.Change) error {
	what, asked := fmt.Sprintf("writes %s of %s, version %d", c.Event, c.After.Upload, c.After.Version), r.world.now()
	w := r.enter(what, throttled, timeout, lost, lost, slow)
	if !w.done() {
		return failed(what, w)
	}
	err := r.world.ledger.Commit(ctx, r.world.unconditionally(c))
	if err == nil && !c.Nothing() {
		r.world.witness.wrote(r.process, c, asked)
	}
	if err != nil {
		r.refused(err)
	}
	w = r.answered(what, w)
	if err != nil && w != dead {
		return err
	}
	return failed(what, w)
}

func (r records) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	what := fmt.Sprintf("pages shard %02d", shard)
	if w := r.enter(what, throttled, timeout); !w.done() {
		return ledger.Page{}, failed(what, w)
	}
	page, err := r.world.ledger.Due(ctx, shard, after, until, limit)
	if r.world.broken == forgetful && len(page.Entries) > 0 {
		page.Entries = page.Entries[1:]
	}
	return page, err
}

func (r records) Get(ctx context.Context, collection, id string) (ledger.Document, error) {
	what := "gets " + collection + " " + id
	if w := r.enter(what, throttled, timeout); !w.done() {
		return ledger.Document{}, failed(what, w)
	}
	return r.world.ledger.Get(ctx, collection, id)
}

func (r records) Put(ctx context.Context, doc ledger.Document) error {
	what := "puts " + doc.Collection + " " + doc.ID
	w := r.enter(what, throttled, timeout, lost)
	if !w.done() {
		return failed(what, w)
	}
	if err := r.world.ledger.Put(ctx, doc); err != nil {
		return err
	}
	r.world.witness.readCensus()
	return failed(what, w)
}

func (r records) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	what := "lists " + collection
	w := r.enter(what, throttled, timeout, part)
	if !w.done() && w != part {
		return func(yield func(ledger.Document, error) bool) { yield(ledger.Document{}, failed(what, w)) }
	}
	return torn(r.world.ledger.List(ctx, collection, from, to), what, w)
}

func (r records) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	what := fmt.Sprintf("counts segment %d of %d", segment+1, segments)
	w := r.enter(what, throttled, timeout, part)
	if !w.done() && w != part {
		return func(yield func(ledger.Holding, error) bool) { yield(ledger.Holding{}, failed(what, w)) }
	}
	return torn(r.world.ledger.Holdings(ctx, segment, segments), what, w)
}

func (r records) Reference(ctx context.Context, id upload.ID, ref upload.Reference) (ledger.ReferenceState, error) {
	what := "asks for a reference of " + id.Upload
	if w := r.enter(what, throttled, timeout); !w.done() {
		return ledger.ReferenceUnknown, failed(what, w)
	}
	return r.world.ledger.Reference(ctx, id, ref)
}

func (r records) KeyUse(ctx context.Context, tenant, owner, key string) (ledger.KeyUse, error) {
	const what = "asks for an idempotency key"
	if w := r.enter(what, throttled, timeout); !w.done() {
		return ledger.KeyUse{}, failed(what, w)
	}
	return r.world.ledger.KeyUse(ctx, tenant, owner, key)
}
