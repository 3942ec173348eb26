package installation_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// recorder stands next to the stores, beneath everything that writes to the
// ledger or deletes, and notes what was really done. Every delete is judged
// when it is about to happen, from the record as it is then.
type recorder struct {
	ledger installation.Ledger // bare
	now    func() time.Time

	mu      sync.Mutex
	written map[upload.ID][]generation
	unsure  map[upload.ID]bool // a write had no answer
	trail   []step
	deletes []deletion
	wrong   []string
}

// generation is what one accepted write left on a record.
type generation struct{ version, fence int64 }

// step is one thing that was done, about an upload or below a prefix.
type step struct{ about, what string }

// deletion is one version that a store was told to delete.
type deletion struct {
	at      time.Time
	key, id string
}

func newRecorder(bare installation.Stores, now func() time.Time) *recorder {
	return &recorder{
		ledger: bare.Ledger, now: now,
		written: map[upload.ID][]generation{}, unsure: map[upload.ID]bool{},
	}
}

// over puts the recorder in front of the stores.
func (r *recorder) over(s installation.Stores) installation.Stores {
	s.Ledger, s.Objects = recordedLedger{s.Ledger, r}, recordedObjects{s.Objects, r}
	return s
}

// uploads lists every upload that was ever written, in order.
func (r *recorder) uploads() []upload.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []upload.ID
	for id := range r.written {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b upload.ID) int { return strings.Compare(a.String(), b.String()) })
	return ids
}

// of is the trail of one upload: events that were written, "delete n", "list",
// "abort", in the order in which they ended.
func (r *recorder) of(u upload.Record) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var trail []string
	for _, s := range r.trail {
		if s.about == u.String() || s.about == u.Folder() {
			trail = append(trail, s.what)
		}
	}
	return trail
}

func (r *recorder) deleted() []deletion {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.deletes)
}

func (r *recorder) note(about, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trail = append(r.trail, step{about, what})
}

type recordedLedger struct {
	installation.Ledger
	recorder *recorder
}

func (l recordedLedger) Commit(ctx context.Context, c upload.Change) error {
	err := l.Ledger.Commit(ctx, c)
	if c.Nothing() {
		return err
	}
	r, id := l.recorder, c.After.ID
	switch {
	case err == nil:
		r.note(id.String(), string(c.Event))
		r.mu.Lock()
		r.written[id] = append(r.written[id], generation{c.After.Version, c.After.Fence})
		r.mu.Unlock()
	case errors.Is(err, upload.ErrUnclear):
		r.mu.Lock()
		r.unsure[id] = true
		r.mu.Unlock()
	}
	return err
}

type recordedObjects struct {
	installation.Objects
	recorder *recorder
}

func (o recordedObjects) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	o.recorder.judge(ctx, bucket, versions)
	return o.Objects.Delete(ctx, bucket, versions)
}

func (o recordedObjects) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	o.recorder.note(prefix, "list")
	return o.Objects.Versions(ctx, bucket, prefix)
}

// judge notes the deletes, and what of them the ledger does not condemn now.
func (r *recorder) judge(ctx context.Context, bucket string, versions []upload.Condemned) {
	var ids []upload.ID
	counts := map[upload.ID]int{}
	for _, v := range versions {
		if counts[v.Upload()]++; counts[v.Upload()] == 1 {
			ids = append(ids, v.Upload())
		}
	}
	records, err := r.ledger.LoadMany(context.WithoutCancel(ctx), ids)
	for _, id := range ids {
		r.note(id.String(), fmt.Sprintf("delete %d", counts[id]))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.wrong = append(r.wrong, fmt.Sprintf("a delete could not be judged: %v", err))
		return
	}
	for _, v := range versions {
		r.deletes = append(r.deletes, deletion{r.now(), v.Key(), v.VersionID()})
		u := records[slices.Index(ids, v.Upload())]
		if why := notCondemned(u, bucket, v.Key()); why != "" {
			r.wrong = append(r.wrong, fmt.Sprintf("delete of version %s under %s, upload %s: %s", v.VersionID(), v.Key(), v.Upload(), why))
		}
	}
}

// notCondemned says why the record does not condemn what stands under the key;
// "" if it does. It reads the record's fields and asks the product nothing:
// invariants 1 and 2 of the protocol, once more.
func notCondemned(r upload.Record, bucket, key string) string {
	attempt, seq, own := placeOf(r, key)
	switch {
	case bucket != r.Bucket:
		return "it lies in another bucket"
	case !own:
		return "the key is not one of the upload's own"
	}
	for _, a := range r.Manifest.Attempts {
		switch {
		case a.Number != attempt || seq < 1 || seq > a.Declared:
			continue
		case r.State == upload.StateDeleting || r.State == upload.StateDeleted:
			return ""
		case !r.CompletedAt.IsZero() && !a.Listed.Has(seq):
			return "" // superseded
		case !r.CompletedAt.IsZero():
			return fmt.Sprintf("it is %s, and the key is listed", r.State)
		}
		return fmt.Sprintf("it is %s", r.State)
	}
	return "the key was never declared"
}

// placeOf takes a generated key apart: <prefix>/<tenant>/<upload>/<attempt>/<sequence>.
// The ids of these tests need no escaping.
func placeOf(r upload.Record, key string) (attempt int64, seq int, own bool) {
	rest, own := strings.CutPrefix(key, r.Prefix+"/"+r.Tenant+"/"+r.Upload+"/")
	number, sequence, both := strings.Cut(rest, "/")
	attempt, err := strconv.ParseInt(number, 10, 64)
	seq, seqErr := strconv.Atoi(sequence)
	return attempt, seq, own && both && err == nil && seqErr == nil && sequence == strconv.Itoa(seq)
}
