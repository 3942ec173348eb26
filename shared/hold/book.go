package hold

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Documents is where the holds lie: the ledger.
type Documents interface {
	Get(ctx context.Context, collection, id string) (ledger.Document, error)
	Put(ctx context.Context, d ledger.Document) error
	List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error]
}

// Book is the list of holds of all buckets.
type Book struct {
	Documents Documents
	// Forget is how long a closed hold is kept for whoever asks what became of
	// it; zero for ever.
	Forget time.Duration
}

// Get returns the hold with the id; upload.ErrAbsent if there is none.
func (b Book) Get(ctx context.Context, bucket, id string) (Hold, error) {
	h, found, err := b.look(ctx, bucket, id)
	if err == nil && !found {
		err = fmt.Errorf("hold %.12s of bucket %s: %w", id, bucket, upload.ErrAbsent)
	}
	return h, err
}

func (b Book) look(ctx context.Context, bucket, id string) (h Hold, found bool, err error) {
	if !isID(id) || len(id) != 64 {
		return Hold{}, false, fmt.Errorf("a hold's id is 64 digits of 0-9 and a-f: %w", upload.ErrRefused)
	}
	d, err := b.Documents.Get(ctx, collection(bucket, id[0]), id)
	if err != nil {
		return Hold{}, false, fmt.Errorf("look up a hold: %w", err)
	}
	if d.Revision == 0 {
		return Hold{}, false, nil
	}
	h, err = read(d)
	return h, err == nil, err
}

func isID(id string) bool { return id != "" && strings.Trim(id, digits) == "" }

// All yields every hold of a bucket, ids ascending, read page by page. After an
// error nothing more comes.
func (b Book) All(ctx context.Context, bucket string) iter.Seq2[Hold, error] {
	return func(yield func(Hold, error) bool) {
		for i := range len(digits) {
			if !b.between(ctx, collection(bucket, digits[i]), "", "", yield) {
				return
			}
		}
	}
}

// between yields a range of one shard; false if it ended early.
func (b Book) between(ctx context.Context, collection, from, to string, yield func(Hold, error) bool) bool {
	for d, err := range b.Documents.List(ctx, collection, from, to) {
		if err != nil {
			yield(Hold{}, fmt.Errorf("list holds: %w", err))
			return false
		}
		h, err := read(d)
		if !yield(h, err) || err != nil {
			return false
		}
	}
	return true
}

// Page is part of a bucket's holds, ids ascending.
type Page struct {
	Holds []Hold
	// Next is where the following page begins; empty if this was the last.
	Next string
}

// List returns at most limit holds of a bucket in these states (none: all),
// beginning at the id from, which may be empty.
func (b Book) List(ctx context.Context, bucket, from string, limit int, states ...State) (Page, error) {
	if limit < 1 || from != "" && !isID(from) {
		return Page{}, fmt.Errorf("list holds: a page of %d, from an id: %w", limit, upload.ErrRefused)
	}
	first := 0
	if from != "" {
		first = strings.IndexByte(digits, from[0])
	}
	var page Page
	var failed error
	add := func(h Hold, err error) bool {
		switch {
		case err != nil:
			failed = err
			return false
		case len(states) > 0 && !slices.Contains(states, h.State):
			return true
		case len(page.Holds) == limit:
			page.Next = h.ID()
			return false
		}
		page.Holds = append(page.Holds, h)
		return true
	}
	for i := first; i < len(digits); i++ {
		if !b.between(ctx, collection(bucket, digits[i]), from, "", add) {
			break
		}
	}
	if failed != nil {
		return Page{}, failed
	}
	return page, nil
}

// Find returns the holds of a bucket whose id begins with the digits given, as
// a person types them; at most limit.
func (b Book) Find(ctx context.Context, bucket, begin string, limit int) ([]Hold, error) {
	if !isID(begin) {
		return nil, fmt.Errorf("a hold's id is digits of 0-9 and a-f: %w", upload.ErrRefused)
	}
	var found []Hold
	var failed error
	b.between(ctx, collection(bucket, begin[0]), begin, begin+"g", func(h Hold, err error) bool {
		if failed = err; err == nil {
			found = append(found, h)
		}
		return err == nil && len(found) < limit
	})
	return found, failed
}

// Put stores a hold as the revision after the one it was read as, and returns
// it with the new one; upload.ErrChanged if another was stored meanwhile.
func (b Book) Put(ctx context.Context, h Hold, now time.Time) (Hold, error) {
	expires := time.Time{}
	if h.State == Closed && b.Forget > 0 {
		expires = now.Add(b.Forget)
	}
	d, err := h.document(expires)
	if err != nil {
		return h, err
	}
	if err := b.Documents.Put(ctx, d); err != nil {
		return h, fmt.Errorf("write hold %.12s: %w", d.ID, err)
	}
	h.Revision++
	return h, nil
}

// change reads a hold, changes it and writes it, again if somebody was faster.
// A change that reports false writes nothing.
func (b Book) change(ctx context.Context, s Subject, now time.Time, with func(h *Hold, found bool) (bool, error)) (Hold, error) {
	for range tries {
		h, found, err := b.look(ctx, s.Bucket, s.ID())
		if err != nil {
			return Hold{}, err
		}
		if !found {
			h = Hold{Subject: s}
		}
		write, err := with(&h, found)
		if err != nil || !write {
			return h, err
		}
		h, err = b.Put(ctx, h, now)
		if !errors.Is(err, upload.ErrChanged) {
			return h, err
		}
	}
	return Hold{}, fmt.Errorf("hold %.12s changes all the time: %w", s.ID(), upload.ErrChanged)
}

const tries = 5
