package release_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/upload"
)

// failing is a ledger and a store whose calls fail as long as they are told to.
type failing struct {
	release.Records
	release.Store
	load, commit, references, stat, list error
	done                                 bool // a commit takes effect all the same
	reversed                             bool // a listing is in the other order
}

func (f *failing) Load(ctx context.Context, id upload.ID) (upload.Record, error) {
	if f.load != nil {
		return upload.Record{}, f.load
	}
	return f.Records.Load(ctx, id)
}

func (f *failing) Commit(ctx context.Context, c upload.Change) error {
	err := f.commit
	if f.commit = nil; err != nil && !f.done {
		return err
	}
	if failed := f.Records.Commit(ctx, c); failed != nil {
		return failed
	}
	return err
}

func (f *failing) References(ctx context.Context, id upload.ID) iter.Seq2[ledger.ReferenceUse, error] {
	if f.references == nil {
		return f.Records.References(ctx, id)
	}
	return func(yield func(ledger.ReferenceUse, error) bool) { yield(ledger.ReferenceUse{}, f.references) }
}

func (f *failing) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	if f.stat != nil {
		return objects.Facts{}, f.stat
	}
	return f.Store.Stat(ctx, bucket, key, versionID)
}

func (f *failing) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	return func(yield func(objects.Version, error) bool) {
		if f.reversed {
			var all []objects.Version
			for v, err := range f.Store.Versions(ctx, bucket, prefix) {
				if err != nil {
					yield(v, err)
					return
				}
				all = append(all, v)
			}
			// Only the order within a key is not promised.
			slices.SortStableFunc(all, func(a, b objects.Version) int {
				return cmp.Or(strings.Compare(a.Key, b.Key), a.LastModified.Compare(b.LastModified), strings.Compare(a.VersionID, b.VersionID))
			})
			for _, v := range all {
				if !yield(v, nil) {
					return
				}
			}
			return
		}
		for v, err := range f.Store.Versions(ctx, bucket, prefix) {
			if !yield(v, err) {
				return
			}
			if f.list != nil { // cut off after the first
				yield(objects.Version{}, f.list)
				return
			}
		}
	}
}

func (w *world) failing() *failing {
	f := &failing{Records: w.ledger, Store: w.objects}
	w.Records, w.Store = f, f
	return f
}

// A call that fails adopts nothing and comes again; one whose answer was lost is
// looked up.
func TestWhatFailsComesAgainAndALostAnswerIsLookedUp(t *testing.T) {
	broken := fmt.Errorf("some call: %w", upload.ErrThrottled)
	for name, fault := range map[string]func(*failing){
		"the record cannot be read":    func(f *failing) { f.load = broken },
		"the object cannot be seen":    func(f *failing) { f.stat = broken },
		"the listing is cut off":       func(f *failing) { f.list = broken },
		"the record cannot be written": func(f *failing) { f.commit = broken },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			v := w.write("a", "1")
			w.write("ab", "2")
			w.now = w.now.AddDate(0, 0, 1)
			f := w.failing()
			fault(f)
			c := removed("e", w.now, source.Row{"keys": []any{"a"}})
			got := w.Take(t.Context(), albums, c)
			if release.Done(got) || !errors.Is(got[0].Err, upload.ErrThrottled) {
				t.Fatalf("%+v", got)
			}
			*f = failing{Records: w.ledger, Store: w.objects, commit: upload.ErrUnclear, done: true}
			got = w.Take(t.Context(), albums, c)
			w.want(got, "adopted")
			w.wantAdopted(got[0], albums, v)
		})
	}
}

// A right that is missing is given by a person, and a version id that is none
// will never be one: until then nothing behind the record waits for it. A call
// that was only broken off comes again.
func TestAnObjectThatTheStoreRefusesToShowIsParked(t *testing.T) {
	for want, err := range map[string]error{
		"parked: the object cannot be looked at: access denied":                                upload.ErrDenied,
		"parked: the object cannot be looked at: the store refuses its bucket, key or version": errors.New("HeadObject: BadRequest, status 400"),
	} {
		w := newWorld(t)
		v := w.write("a", "1")
		w.failing().stat = err
		w.want(w.Take(t.Context(), photos, removed("e", w.now, named(v))), want)
	}
	w := newWorld(t)
	v := w.write("a", "1")
	w.failing().stat = context.DeadlineExceeded
	if got := w.Take(t.Context(), photos, removed("e", w.now, named(v))); release.Done(got) {
		t.Errorf("%+v", got)
	}
}

func TestAReferenceWhoseDropHadNoAnswerIsDroppedOnce(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	w.must(w.app.AddReference(t.Context(), r.ID, upload.Reference{Source: "albums", Entity: "row-1"}, 0))
	w.now = w.now.AddDate(0, 0, 1)
	f := w.failing()
	f.references = upload.ErrUnclear
	c := removed("e", w.now, own(keys...))
	if got := w.Take(t.Context(), albums, c); release.Done(got) {
		t.Errorf("the references could not be read: %+v", got)
	}
	f.references, f.commit, f.done = nil, upload.ErrUnclear, true
	if got := w.Take(t.Context(), albums, c); release.Done(got) {
		t.Errorf("nobody knows whether it was dropped: %+v", got)
	}
	w.want(w.Take(t.Context(), albums, c), "skipped: already released")
	w.wantState(r.ID, upload.StateCancelled)
}

// A record of a version of ours that is not known yet is for a person.
func TestARecordOfANewerVersionIsParked(t *testing.T) {
	w := newWorld(t)
	r, keys := w.upload("one")
	newer := r
	newer.Schema, newer.Version = upload.Schema+1, r.Version+1
	w.must(w.ledger.Commit(t.Context(), upload.Change{Event: upload.KindHeartbeat, Before: r, After: newer}))
	w.want(w.Take(t.Context(), albums, removed("e", w.now, own(keys...))),
		"parked: look up whose key it is: record schema 2 is unknown: refused")
}

func TestManyAtOnceWithOneRecordMakeOne(t *testing.T) {
	w := newWorld(t)
	v := w.write("a", "1")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			if got := w.Take(t.Context(), photos, removed("e", w.now, named(v))); !release.Done(got) {
				t.Errorf("%+v", got)
			}
		})
	}
	all.Wait()
	if r := w.load(release.RecordID("acme", "photos", "e", source.Object{Bucket: bucket, Key: v.Key, VersionID: v.VersionID})); r.Version != 1 {
		t.Errorf("it was written %d times", r.Version)
	}
}

func TestAnEngineThatLacksAPartSaysSo(t *testing.T) {
	w := newWorld(t)
	w.Store = nil
	if err := w.Validate(); err == nil || err.Error() != "release engine: Store is missing" {
		t.Error(err)
	}
	w = newWorld(t)
	w.Policy = policy.Policy{}
	if err := w.Validate(); err == nil {
		t.Error("a policy of nothing is taken")
	}
}

func TestTheStateOfASourceIsTheNewestOfWhatWasSeen(t *testing.T) {
	w := newWorld(t)
	hour := noon.Add(3600e9)
	w.must(release.NoteState(t.Context(), w.ledger, "photos", release.State{LastEvent: hour, SeenAt: hour, ParkedAt: noon, ParkedWhy: "why"}))
	w.must(release.NoteState(t.Context(), w.ledger, "photos", release.State{LastEvent: noon, SeenAt: hour.Add(1)}))
	got, err := release.ReadState(t.Context(), w.ledger, "photos")
	if want := (release.State{LastEvent: hour, SeenAt: hour.Add(1), ParkedAt: noon, ParkedWhy: "why"}); err != nil || got != want {
		t.Errorf("%+v, %v; expected %+v", got, err, want)
	}
	if none, err := release.ReadState(t.Context(), w.ledger, "albums"); err != nil || none != (release.State{}) {
		t.Errorf("of a source that was never seen: %+v, %v", none, err)
	}
}
