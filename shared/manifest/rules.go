package manifest

import (
	"iter"
	"strconv"
	"time"

	"github.com/strandline-dev/strandline/shared/celltext"
	"github.com/strandline-dev/strandline/shared/upload"
)

// EntriesOf yields what a record says of every object that may stand for it:
// one entry for each declared key, and one for each explicit object. The
// entry holds until the next.
//
//	record                         key                     entry
//	receiving, assembling,         recorded                live, that version
//	 expired before completion     declared only           open
//	complete, also when expired    listed                  live, that version
//	                               not listed              open; trimmed after the trim of a complete one
//	cancelled, deleting            any                     open
//	deleted                        any                     deleted
//
// Open, trimmed and deleted are of every version of the key, as the purge is;
// a key that a purge has to list may have got a version that was never
// recorded. An explicit object is always that one version. Where nothing is
// certain the entry is open: to own too much can only hide an orphan, to own
// too little would call something an orphan that is needed.
//
// RecordedAt is never earlier than when the entry came to be so, except where
// the record does not keep that instant: of a trimmed key it is when the
// trim became possible, and of a deleted upload it is the tombstone's end less
// ttl, or, while something is retained until a date, the last activity.
func EntriesOf(r upload.Record, ttl time.Duration) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		w := newWalk(r, ttl)
		if w.generated(yield) {
			w.explicit(yield)
		}
	}
}

// walk goes through the objects of one record.
type walk struct {
	record upload.Record
	entry  Entry
	folder int // how much of the key is the upload's folder
	// completed: what is not listed is superseded.
	completed bool
	settled   int64 // when the record came to be as it is
}

func newWalk(r upload.Record, ttl time.Duration) *walk {
	w := &walk{record: r, settled: settledAt(r, ttl)}
	w.completed = r.State == upload.StateComplete || r.State == upload.StateExpired && r.MarkedFrom == upload.StateComplete
	w.entry.Tenant, w.entry.Upload = []byte(r.Tenant), []byte(r.Upload)
	w.entry.Key = append(w.entry.Key, r.Folder()...)
	w.folder = len(w.entry.Key)
	return w
}

// settledAt is when a record came to be as it is, in Unix milliseconds.
func settledAt(r upload.Record, ttl time.Duration) int64 {
	at := r.LastActivityAt
	if r.CompletedAt.After(at) {
		at = r.CompletedAt
	}
	if r.State == upload.StateDeleted && !r.TombstoneUntil.IsZero() {
		at = r.TombstoneUntil.Add(-ttl)
	}
	if at.IsZero() {
		return NoTime
	}
	return at.UnixMilli()
}

// generated yields the entries of all declared keys. What is known of them is
// in the same order, so both are walked together.
func (w *walk) generated(yield func(*Entry) bool) bool {
	w.entry.Bucket = []byte(w.record.Bucket)
	objects := w.record.Manifest.Objects
	for _, attempt := range w.record.Manifest.Attempts {
		w.entry.Key = strconv.AppendInt(w.entry.Key[:w.folder], attempt.Number, 10)
		w.entry.Key = append(w.entry.Key, '/')
		folder := len(w.entry.Key)
		for seq := 1; seq <= attempt.Declared; seq++ {
			k := upload.Key{Attempt: attempt.Number, Seq: seq}
			for len(objects) > 0 && before(objects[0].Key, k) {
				objects = objects[1:]
			}
			var known upload.Object
			if len(objects) > 0 && objects[0].Key == k {
				known = objects[0]
			}
			w.entry.Key = strconv.AppendInt(w.entry.Key[:folder], int64(seq), 10)
			w.key(known, attempt.Listed.Has(seq))
			if !yield(&w.entry) {
				return false
			}
		}
	}
	return true
}

func before(a, b upload.Key) bool {
	return a.Attempt < b.Attempt || a.Attempt == b.Attempt && a.Seq < b.Seq
}

// key says of one declared key what is known of it.
func (w *walk) key(known upload.Object, listed bool) {
	w.say(w.state(known.VersionID != "", listed))
	if w.entry.State == Open || known.VersionID == "" {
		return
	}
	w.entry.Size = known.Size
	w.entry.ETag = celltext.ETag(append(w.entry.ETag, known.ETag...))
	if w.entry.State == Live {
		w.entry.VersionID = append(w.entry.VersionID, known.VersionID...)
	}
}

// say begins an entry of which only the state is known.
func (w *walk) say(s State) {
	e := &w.entry
	e.State, e.RecordedAt, e.Size = s, w.settled, NoSize
	e.VersionID, e.ETag = e.VersionID[:0], e.ETag[:0]
	e.Retained = w.record.Retained.Count > 0 && (s == Deleted || s == Trimmed)
	if s == Trimmed && w.record.DeadlineAt.UnixMilli() > e.RecordedAt {
		e.RecordedAt = w.record.DeadlineAt.UnixMilli() // no trim is earlier
	}
}

func (w *walk) state(recorded, listed bool) State {
	switch r := w.record; {
	case r.State == upload.StateDeleted:
		return Deleted
	case r.State == upload.StateComplete && r.Trimmed && !listed:
		return Trimmed
	case !recorded, w.completed && !listed:
		return Open
	case w.completed, r.State == upload.StateReceiving, r.State == upload.StateAssembling, r.State == upload.StateExpired:
		return Live
	}
	return Open
}

// explicit yields the entries of an adopted record's objects.
func (w *walk) explicit(yield func(*Entry) bool) {
	for _, o := range w.record.Manifest.Explicit {
		s := Open
		if w.record.State == upload.StateDeleted {
			s = Deleted
		}
		w.say(s)
		e := &w.entry
		e.Bucket = append(e.Bucket[:0], o.Bucket...)
		e.Key = append(e.Key[:0], o.Key...)
		e.VersionID = append(e.VersionID, o.VersionID...)
		e.ETag = celltext.ETag(append(e.ETag, o.ETag...))
		e.Size = o.Size
		if !yield(e) {
			return
		}
	}
}
