package installation_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/source/rows"
	"github.com/strandline-dev/strandline/shared/upload"
)

// script is what a race lets go wrong, or happen, around the calls of the
// functions. A hook that is nil is nothing. Races set hooks only while no
// function runs.
type script struct {
	dead atomic.Bool

	// beforeWrite comes before a ledger write and may keep it from being done;
	// afterWrite comes after one that was done, and may take its answer away.
	beforeWrite, afterWrite func(upload.Change) error
	// look answers a read of several records.
	look func(do func() ([]upload.Record, error)) ([]upload.Record, error)
	// due answers a page of a shard of the index; call counts the shard's.
	due func(shard, call int, do pager, limit int) (ledger.Page, error)
	// delete answers a delete; do is the store.
	delete func(do store, versions []upload.Condemned) []objects.Result
	// list comes before a listing and may keep it from being done.
	list func() error
	// read may change the gate's state; reserve comes before slots are reserved.
	read    func(*gate.State)
	reserve func()
	// send answers a send.
	send func(do sender, commands []upload.Command) ([]bool, error)

	// rows come before a look at an application's rows and may keep it from being
	// done.
	rows func() error

	calls [ledger.Shards]int
}

// store is a store's delete.
type store func(versions []upload.Condemned) []objects.Result

// pager pages the index with a limit, sender is a queue's send.
type (
	pager  func(limit int) (ledger.Page, error)
	sender func(commands []upload.Command) ([]bool, error)
)

var errDead = errors.New("the process has died")

// once makes a hook that does something at its first call only.
func once(do func()) func() {
	var done atomic.Bool
	return func() {
		if done.CompareAndSwap(false, true) {
			do()
		}
	}
}

// on makes a write hook that does something at the first write of that kind.
func on(kind upload.Kind, do func() error) func(upload.Change) error {
	var done atomic.Bool
	return func(c upload.Change) error {
		if c.Event == kind && done.CompareAndSwap(false, true) {
			return do()
		}
		return nil
	}
}

// die stops the processes: from now on nothing they do reaches a store.
func (s *script) die() error {
	s.dead.Store(true)
	return errDead
}

func (s *script) err() error {
	if s.dead.Load() {
		return errDead
	}
	return nil
}

// clear ends the script, and lets new processes live.
func (s *script) clear() { *s = script{} }

// over puts the script in front of the stores.
func (s *script) over(of installation.Stores) installation.Stores {
	return installation.Stores{
		Ledger: scriptedLedger{of.Ledger, s}, Objects: scriptedObjects{of.Objects, s},
		Gate: scriptedGate{of.Gate, s}, Queue: scriptedQueue{of.Queue, s}, Rows: scriptedRows{of.Rows, s},
		Releases: of.Releases, ReleasesDead: of.ReleasesDead,
	}
}

type scriptedLedger struct {
	installation.Ledger
	script *script
}

func (l scriptedLedger) Commit(ctx context.Context, c upload.Change) error {
	if l.script.beforeWrite != nil {
		if err := l.script.beforeWrite(c); err != nil {
			return err
		}
	}
	if err := l.script.err(); err != nil {
		return err
	}
	if err := l.Ledger.Commit(ctx, c); err != nil || l.script.afterWrite == nil {
		return err
	}
	return l.script.afterWrite(c)
}

func (l scriptedLedger) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	if err := l.script.err(); err != nil {
		return upload.Record{}, err
	}
	return l.Ledger.Load(ctx, id)
}

func (l scriptedLedger) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	if err := l.script.err(); err != nil {
		return nil, err
	}
	do := func() ([]upload.Record, error) { return l.Ledger.LoadMany(ctx, ids) }
	if l.script.look == nil {
		return do()
	}
	return l.script.look(do)
}

func (l scriptedLedger) Due(ctx context.Context, shard int, after ledger.Position, until time.Time, limit int) (ledger.Page, error) {
	if err := l.script.err(); err != nil {
		return ledger.Page{}, err
	}
	do := func(limit int) (ledger.Page, error) { return l.Ledger.Due(ctx, shard, after, until, limit) }
	if l.script.due == nil {
		return do(limit)
	}
	l.script.calls[shard]++ // one goroutine at a time has a shard
	return l.script.due(shard, l.script.calls[shard], do, limit)
}

func (l scriptedLedger) Put(ctx context.Context, doc ledger.Document) error {
	if err := l.script.err(); err != nil {
		return err
	}
	return l.Ledger.Put(ctx, doc)
}

type scriptedObjects struct {
	installation.Objects
	script *script
}

func (o scriptedObjects) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	if o.script.err() != nil {
		return nil
	}
	do := func(versions []upload.Condemned) []objects.Result { return o.Objects.Delete(ctx, bucket, versions) }
	if o.script.delete == nil {
		return do(versions)
	}
	return o.script.delete(do, versions)
}

func (o scriptedObjects) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	err := o.script.err()
	if err == nil && o.script.list != nil {
		err = o.script.list()
	}
	if err != nil {
		return func(yield func(objects.Version, error) bool) { yield(objects.Version{}, err) }
	}
	return o.Objects.Versions(ctx, bucket, prefix)
}

type scriptedGate struct {
	installation.Gate
	script *script
}

func (g scriptedGate) Read(ctx context.Context) (gate.State, error) {
	state, err := g.Gate.Read(ctx)
	if err == nil && g.script.read != nil {
		g.script.read(&state)
	}
	return state, err
}

func (g scriptedGate) Reserve(ctx context.Context, slots int) (gate.Grant, error) {
	if err := g.script.err(); err != nil {
		return gate.Grant{}, err
	}
	if g.script.reserve != nil {
		g.script.reserve()
	}
	return g.Gate.Reserve(ctx, slots)
}

type scriptedQueue struct {
	installation.Queue
	script *script
}

func (q scriptedQueue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	do := func(commands []upload.Command) ([]bool, error) { return q.Queue.Send(ctx, commands) }
	if q.script.send == nil {
		return do(commands)
	}
	return q.script.send(do, commands)
}

func (q scriptedQueue) Hide(ctx context.Context, receipt string, d time.Duration) error {
	if err := q.script.err(); err != nil {
		return err
	}
	return q.Queue.Hide(ctx, receipt, d)
}

func (q scriptedQueue) DeadLetter(ctx context.Context, m command.Received, reason string) error {
	if err := q.script.err(); err != nil {
		return err
	}
	return q.Queue.DeadLetter(ctx, m, reason)
}

type scriptedRows struct {
	rows.Tables
	script *script
}

func (r scriptedRows) Find(ctx context.Context, s source.Source, value string) iter.Seq2[rows.Row, error] {
	err := r.script.err()
	if err == nil && r.script.rows != nil {
		err = r.script.rows()
	}
	if err != nil {
		return func(yield func(rows.Row, error) bool) { yield(rows.Row{}, err) }
	}
	return r.Tables.Find(ctx, s, value)
}
