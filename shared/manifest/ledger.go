package manifest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Owned is a ledger that can be read whole.
type Owned interface {
	// Owned yields the record of every upload of one segment, with its whole
	// manifest; tombstones too. The segments may be read side by side.
	Owned(ctx context.Context, segment, segments int) iter.Seq2[upload.Record, error]
}

// LedgerOptions of reading the ledger as a manifest.
type LedgerOptions struct {
	// Bucket is the one whose entries are wanted.
	Bucket string
	// Segments of the scan, each a part; 0 is 1.
	Segments int
	// TombstoneTTL is the policy's: a tombstone's end less it is when the
	// upload was deleted.
	TombstoneTTL time.Duration
}

// Ledger reads the ledger's records as entries: what [EntriesOf] says of each.
type Ledger struct {
	store   Owned
	options LedgerOptions
	skipped atomic.Int64
}

// OfLedger returns the ledger as a manifest of one bucket.
func OfLedger(store Owned, o LedgerOptions) *Ledger {
	o.Segments = max(o.Segments, 1)
	return &Ledger{store: store, options: o}
}

// Parts is the number of segments.
func (l *Ledger) Parts() int { return l.options.Segments }

// Skipped is how many entries of other buckets were passed over so far.
func (l *Ledger) Skipped() int64 { return l.skipped.Load() }

// Entries yields the entries of every record of a segment. After an error
// nothing more comes, and what came before it must not be judged from.
func (l *Ledger) Entries(ctx context.Context, part int) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		number := int64(0)
		for r, err := range l.store.Owned(ctx, part, l.options.Segments) {
			if err == nil {
				err = known(r)
			}
			if err != nil {
				yield(nil, fmt.Errorf("read what the ledger owns, segment %d of %d: %w", part+1, l.options.Segments, err))
				return
			}
			for e := range EntriesOf(r, l.options.TombstoneTTL) {
				if string(e.Bucket) != l.options.Bucket {
					l.skipped.Add(1)
					continue
				}
				e.Number = number
				number++
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// known refuses a record of a newer format: what it owns is not known, and all
// of it would look like orphans.
func known(r upload.Record) error {
	if r.Schema > upload.Schema {
		return fmt.Errorf("upload %s: its record has schema %d, this program knows %d: use a newer one", r.Upload, r.Schema, upload.Schema)
	}
	return nil
}

// Seekable is false: a record may be another one by now.
func (l *Ledger) Seekable() bool { return false }

// Lookup is not there.
func (l *Ledger) Lookup(context.Context, int, []int64) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		yield(nil, errors.New("the ledger cannot be read by position"))
	}
}
