package cleanup

import (
	"context"
	"sync"
	"time"

	commandmemory "github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// faultyCandidates fails where told. A nil hook does nothing.
type faultyCandidates struct {
	Candidates
	mu     sync.Mutex
	pages  int
	onPage func(page, shard int) error
	onLoad func(ids []upload.ID, records []upload.Record) ([]upload.Record, error)
	before func(upload.Change) error
}

func (f *faultyCandidates) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	f.mu.Lock()
	f.pages++
	page := f.pages
	f.mu.Unlock()
	if f.onPage != nil {
		if err := f.onPage(page, shard); err != nil {
			return ledger.Page{}, err
		}
	}
	return f.Candidates.Due(ctx, shard, after, until, limit)
}

func (f *faultyCandidates) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	records, err := f.Candidates.LoadMany(ctx, ids)
	if err != nil || f.onLoad == nil {
		return records, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.onLoad(ids, records)
}

func (f *faultyCandidates) Commit(ctx context.Context, c upload.Change) error {
	if f.before != nil {
		if err := f.before(c); err != nil {
			return err
		}
	}
	return f.Candidates.Commit(ctx, c)
}

// faultyDocuments fails a Put, or does something before a Get, where told.
type faultyDocuments struct {
	Documents
	beforePut func(ledger.Document) error
	beforeGet func(collection string)
}

func (f *faultyDocuments) Put(ctx context.Context, d ledger.Document) error {
	if f.beforePut != nil {
		if err := f.beforePut(d); err != nil {
			return err
		}
	}
	return f.Documents.Put(ctx, d)
}

func (f *faultyDocuments) Get(ctx context.Context, collection, id string) (ledger.Document, error) {
	if f.beforeGet != nil {
		f.beforeGet(collection)
	}
	return f.Documents.Get(ctx, collection, id)
}

// refusingQueue accepts what accept says, and gives err for the rest.
type refusingQueue struct {
	*commandmemory.Queue
	mu     sync.Mutex
	sends  int
	accept func(send int, c upload.Command) bool
	err    error
}

func (q *refusingQueue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sends++
	accepted := make([]bool, len(commands))
	var refused error
	for i, c := range commands {
		if q.accept != nil && !q.accept(q.sends, c) {
			refused = q.err
			continue
		}
		if _, err := q.Queue.Send(ctx, []upload.Command{c}); err != nil {
			return accepted, err
		}
		accepted[i] = true
	}
	return accepted, refused
}
