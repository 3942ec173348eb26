package rows

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Tables reads the rows of applications' tables.
type Tables interface {
	// Find yields the rows that the source's index has under the value: whole and
	// as they are now, where the table can say that. A row that is gone meanwhile
	// is left out. Anything that cannot be read is an error, and then nothing more
	// comes.
	Find(ctx context.Context, s source.Source, value string) iter.Seq2[Row, error]
}

// Row is one row of a table: all of it, and its key attributes.
type Row struct{ Row, Keys source.Row }

// Rows asks the tables of sources. It is safe for concurrent use.
type Rows struct {
	known   map[string]bool // every source's name
	sources []source.Source // that can be asked
	tables  Tables
	// calls bounds the questions of everybody who asks, together.
	calls chan struct{}
}

// concurrency is how many questions are under way at once.
const concurrency = 64

// maxValue is how many bytes a value may have that an index holds
// (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html):
// no row is found under a longer one.
const maxValue = 2048

// Of returns what asks the sources that can be asked. Where none can be, it
// answers "no row" and asks nobody.
func Of(all []source.Source, tables Tables) *Rows {
	r := &Rows{tables: tables, calls: make(chan struct{}, concurrency), known: map[string]bool{}}
	for _, s := range all {
		r.known[s.Name] = true
		if s.Table != "" && s.Index != nil {
			r.sources = append(r.sources, s)
		}
	}
	return r
}

// Used returns one row that names something of what the record holds: of an
// adopted record its explicit objects, of any other what it lists. The zero Use
// if there is none. A release of a source that is not known is an error: whether
// its rows could be asked nobody here can say.
func (r *Rows) Used(ctx context.Context, record upload.Record) (source.Use, error) {
	if of, ok := source.OfRecord(record.Source); ok && !r.known[of] {
		return source.Use{}, fmt.Errorf("ask the rows of source %s: it is not among the sources", of)
	}
	if len(r.sources) == 0 {
		return source.Use{}, nil
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	group, asking := errgroup.WithContext(asking)
	var mu sync.Mutex
	var found source.Use
	for q := range r.questions(record) {
		if !r.turn(asking) {
			break
		}
		group.Go(func() error {
			defer func() { <-r.calls }()
			use, err := r.ask(asking, q)
			if use == (source.Use{}) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			found = use
			cancel()
			return nil
		})
	}
	err := group.Wait()
	if found != (source.Use{}) {
		return found, nil
	}
	if err == nil {
		err = ctx.Err() // nobody asked all of it
	}
	return source.Use{}, err
}

// turn waits until one more question may be asked; false if none needs to be.
func (r *Rows) turn(ctx context.Context) bool {
	select {
	case r.calls <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// question is one look into one index.
type question struct {
	source source.Source
	object source.Object
	value  string
}

func (r *Rows) ask(ctx context.Context, q question) (source.Use, error) {
	for row, err := range r.tables.Find(ctx, q.source, q.value) {
		if err != nil {
			return source.Use{}, fmt.Errorf("ask the rows of source %s: %w", q.source.Name, err)
		}
		if q.source.StillNames(row.Row, q.object) {
			entity, err := q.source.Entity(row.Row, row.Keys)
			if err != nil {
				entity = "" // a row that nobody can call by a name names it all the same
			}
			return source.Use{Source: q.source.Name, Entity: entity}, nil
		}
	}
	return source.Use{}, nil
}

// questions yields every look that is needed, once.
func (r *Rows) questions(record upload.Record) iter.Seq[question] {
	return func(yield func(question) bool) {
		for o := range held(record) {
			for _, s := range r.sources {
				if !mayName(s, o.Bucket) {
					continue
				}
				for _, value := range s.Spellings(o) {
					if askable(value) && !yield(question{s, o, value}) {
						return
					}
				}
			}
		}
	}
}

// askable: an index has strings of UTF-8, none of them empty or longer than
// maxValue.
func askable(value string) bool {
	return value != "" && len(value) <= maxValue && utf8.ValidString(value)
}

// held yields the objects that rows may name.
func held(r upload.Record) iter.Seq[source.Object] {
	return func(yield func(source.Object) bool) {
		for _, e := range r.Manifest.Explicit {
			if !yield(source.Object{Bucket: e.Bucket, Key: e.Key, VersionID: e.VersionID}) {
				return
			}
		}
		for _, a := range r.Manifest.Attempts {
			for seq := 1; seq <= a.Declared; seq++ {
				k := upload.Key{Attempt: a.Number, Seq: seq}
				if !a.Listed.Has(seq) {
					continue
				}
				if !yield(source.Object{Bucket: r.Bucket, Key: r.ObjectKey(k), VersionID: r.Manifest.Object(k).VersionID}) {
					return
				}
			}
		}
	}
}

// mayName reports whether a row of the source can name an object of the bucket.
func mayName(s source.Source, bucket string) bool {
	return s.Bucket == bucket || s.Paths.Bucket != "" ||
		slices.ContainsFunc(s.URLs, func(b source.Base) bool { return b.Bucket == bucket })
}
