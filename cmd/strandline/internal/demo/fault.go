package demo

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// storyFault stands in front of an installation's stores and, once armed, lets
// one thing go wrong. It counts what the worker does about it.
type storyFault struct {
	failReads  bool // every read of several records fails
	loseDelete bool // one version is deleted, and the answer says nobody knows

	mu     sync.Mutex
	armed  bool
	lost   string // the version whose answer was lost
	listed int64  // listings after that
	again  int64  // deletes of it that no listing came before
}

func (f *storyFault) wrap(s installation.Stores) installation.Stores {
	s.Ledger = faultyLedger{s.Ledger, f}
	s.Objects = faultyObjects{s.Objects, f}
	return s
}

func (f *storyFault) arm()    { f.set(true) }
func (f *storyFault) disarm() { f.set(false) }

func (f *storyFault) set(armed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.armed = armed
}

func (f *storyFault) lookups() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.listed
}

func (f *storyFault) blind() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.again
}

var errScripted = errors.New("scripted failure of a read")

type faultyLedger struct {
	installation.Ledger
	fault *storyFault
}

func (l faultyLedger) LoadMany(ctx context.Context, ids []upload.ID) ([]upload.Record, error) {
	l.fault.mu.Lock()
	fails := l.fault.armed && l.fault.failReads
	l.fault.mu.Unlock()
	if fails {
		return nil, errScripted
	}
	return l.Ledger.LoadMany(ctx, ids)
}

type faultyObjects struct {
	installation.Objects
	fault *storyFault
}

// Delete does what it is told; of the first call's answer it loses one entry.
func (o faultyObjects) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	results := o.Objects.Delete(ctx, bucket, versions)
	f := o.fault
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range versions {
		if f.lost != "" && v.VersionID() == f.lost && f.listed == 0 {
			f.again++
		}
	}
	if f.armed && f.loseDelete && f.lost == "" && len(results) > 0 {
		f.lost = results[0].Condemned.VersionID()
		results[0] = objects.Result{Condemned: results[0].Condemned, Outcome: objects.Unclear, Code: "RequestTimeout"}
	}
	return results
}

func (o faultyObjects) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	o.fault.mu.Lock()
	if o.fault.armed && o.fault.lost != "" {
		o.fault.listed++
	}
	o.fault.mu.Unlock()
	return o.Objects.Versions(ctx, bucket, prefix)
}
