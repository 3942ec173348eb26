package manifest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/upload"
)

var (
	began     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	active    = began.Add(time.Hour)
	completed = began.Add(2 * time.Hour)
	deadline  = began.Add(6 * time.Hour)
	deletedAt = began.AddDate(0, 0, 3)
)

const ttl = 30 * 24 * time.Hour

// record is an upload of two attempts: of the first, the key 1 was recorded,
// 2 was not; of the second 1 and 2 were recorded and 3 was not.
func record(state upload.State, edit func(*upload.Record)) upload.Record {
	r := upload.Record{
		ID: upload.ID{Tenant: "acme", Upload: "u#1"}, Schema: upload.Schema, State: state, Version: 9,
		LastActivityAt: active, DeadlineAt: deadline, Bucket: "b", Prefix: "up",
		Manifest: upload.Manifest{
			Attempts: []upload.Attempt{{Number: 1, Declared: 2}, {Number: 4, Declared: 3}},
			Objects: []upload.Object{
				{Key: upload.Key{Attempt: 1, Seq: 1}, VersionID: "v11", Size: 11, ETag: `"e11"`},
				{Key: upload.Key{Attempt: 1, Seq: 2}, Multiparts: []string{"m"}},
				{Key: upload.Key{Attempt: 4, Seq: 1}, VersionID: "v41", Size: 0, ETag: "e41"},
				{Key: upload.Key{Attempt: 4, Seq: 2}, VersionID: "v42", Size: 42},
			},
		},
	}
	if edit != nil {
		edit(&r)
	}
	return r
}

func complete(r *upload.Record) {
	r.CompletedAt = completed
	r.Manifest.Attempts[1].Listed = upload.Bits{}.With(1).With(2)
}

func entriesOf(r upload.Record) (all []kept) {
	for e := range EntriesOf(r, ttl) {
		all = append(all, keep(e))
	}
	return all
}

// of is an entry of the record's five keys.
func of(key string, s State, at time.Time, facts ...func(*kept)) kept {
	e := kept{Bucket: "b", Key: "up/acme/u%231/" + key, Size: NoSize, At: at.UnixMilli(), State: s, Tenant: "acme", Upload: "u#1"}
	for _, fact := range facts {
		fact(&e)
	}
	return e
}

func version(v string) func(*kept) { return func(e *kept) { e.Version = v } }
func size(n int64) func(*kept)     { return func(e *kept) { e.Size = n } }
func etag(tag string) func(*kept)  { return func(e *kept) { e.ETag = tag } }
func retained(e *kept)             { e.Retained = true }

// five are the keys in one state, of which nothing else is said.
func five(s State, at time.Time, facts ...func(*kept)) (entries []kept) {
	for _, key := range []string{"1/1", "1/2", "4/1", "4/2", "4/3"} {
		entries = append(entries, of(key, s, at, facts...))
	}
	return entries
}

// Where a rule says live or deleted too often, something is reported missing,
// or reopened, that is not; where it leaves a key out, an orphan is seen in
// what is needed.
func TestARecordOwnsWhatMayStandForIt(t *testing.T) {
	recorded := []kept{
		of("1/1", Live, active, version("v11"), size(11), etag("e11")), of("1/2", Open, active),
		of("4/1", Live, active, version("v41"), size(0), etag("e41")), of("4/2", Live, active, version("v42"), size(42)), of("4/3", Open, active),
	}
	listed := func(at time.Time, rest State, restAt time.Time, facts ...func(*kept)) []kept {
		first := of("1/1", rest, restAt, facts...)
		if rest == Trimmed {
			first.Size, first.ETag = 11, "e11"
		}
		return []kept{
			first, of("1/2", rest, restAt, facts...),
			of("4/1", Live, at, version("v41"), size(0), etag("e41")), of("4/2", Live, at, version("v42"), size(42)), of("4/3", rest, restAt, facts...),
		}
	}
	known := func(at time.Time, facts ...func(*kept)) []kept {
		with := func(more ...func(*kept)) []func(*kept) { return append(slices.Clone(facts), more...) }
		return []kept{
			of("1/1", Deleted, at, with(size(11), etag("e11"))...), of("1/2", Deleted, at, facts...),
			of("4/1", Deleted, at, with(size(0), etag("e41"))...), of("4/2", Deleted, at, with(size(42))...), of("4/3", Deleted, at, facts...),
		}
	}
	for name, c := range map[string]struct {
		record upload.Record
		want   []kept
	}{
		"receiving":                  {record(upload.StateReceiving, nil), recorded},
		"assembling":                 {record(upload.StateAssembling, nil), recorded},
		"expired while receiving":    {record(upload.StateExpired, func(r *upload.Record) { r.MarkedFrom = upload.StateReceiving }), recorded},
		"complete, superseded stand": {record(upload.StateComplete, complete), listed(completed, Open, completed)},
		"complete, active since then": {record(upload.StateComplete, func(r *upload.Record) {
			complete(r)
			r.LastActivityAt = completed.Add(time.Hour)
		}), listed(completed.Add(time.Hour), Open, completed.Add(time.Hour))},
		"complete and trimmed": {record(upload.StateComplete, func(r *upload.Record) {
			complete(r)
			r.Trimmed = true
		}), listed(completed, Trimmed, deadline)},
		"complete and trimmed, a hold keeps some": {record(upload.StateComplete, func(r *upload.Record) {
			complete(r)
			r.Trimmed, r.Retained = true, upload.Retained{Count: 1}
		}), listed(completed, Trimmed, deadline, retained)},
		"complete, a lock delays the trim": {record(upload.StateComplete, func(r *upload.Record) {
			complete(r)
			r.Retained = upload.Retained{Count: 1, Until: deletedAt}
		}), listed(completed, Open, completed)},
		"complete, a listed version is not known": {record(upload.StateComplete, func(r *upload.Record) {
			complete(r)
			r.Manifest.Objects[2].VersionID = ""
			r.Manifest.Objects[3].VersionID = ""
		}), five(Open, completed)},
		"complete, then expired": {record(upload.StateExpired, func(r *upload.Record) {
			complete(r)
			r.MarkedFrom = upload.StateComplete
		}), listed(completed, Open, completed)},
		"complete and trimmed, then expired": {record(upload.StateExpired, func(r *upload.Record) {
			complete(r)
			r.MarkedFrom, r.Trimmed = upload.StateComplete, true
		}), listed(completed, Open, completed)},
		"cancelled":              {record(upload.StateCancelled, nil), five(Open, active)},
		"cancelled when trimmed": {record(upload.StateCancelled, func(r *upload.Record) { complete(r); r.Trimmed = true }), five(Open, completed)},
		"deleting":               {record(upload.StateDeleting, complete), five(Open, completed)},
		"deleting, parked":       {record(upload.StateDeleting, func(r *upload.Record) { r.ParkedAt = deletedAt }), five(Open, active)},
		"deleted":                {record(upload.StateDeleted, func(r *upload.Record) { r.TombstoneUntil = deletedAt.Add(ttl) }), known(deletedAt)},
		"deleted, a legal hold keeps some": {record(upload.StateDeleted, func(r *upload.Record) {
			r.TombstoneUntil, r.Retained = deletedAt.Add(ttl), upload.Retained{Count: 1}
		}), known(deletedAt, retained)},
		"deleted, a lock keeps some until a date": {record(upload.StateDeleted, func(r *upload.Record) {
			r.Retained = upload.Retained{Count: 1, Until: deletedAt}
		}), known(active, retained)},
		"nothing declared": {upload.Record{ID: upload.ID{Tenant: "t", Upload: "u"}, State: upload.StateReceiving}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, entriesOf(c.record)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An entry that owned every version of an adopted object's key would own the
// live ones beside it.
func TestAnAdoptedObjectIsOwnedByItsVersion(t *testing.T) {
	adopted := func(s upload.State) upload.Record {
		return upload.Record{
			ID: upload.ID{Tenant: "t", Upload: "u"}, State: s, Bucket: "other", Source: "orphan",
			Manifest: upload.Manifest{Explicit: []upload.Explicit{
				{Bucket: "other", Key: "a b", VersionID: "v", ETag: `"e"`, Size: 7, LastModified: began}, {Bucket: "other", Key: "c", VersionID: "null"},
			}},
		}
	}
	want := func(s State, at int64) []kept {
		return []kept{
			{Bucket: "other", Key: "a b", Version: "v", ETag: "e", Size: 7, At: at, State: s, Tenant: "t", Upload: "u"},
			{Bucket: "other", Key: "c", Version: "null", At: at, State: s, Tenant: "t", Upload: "u"},
		}
	}
	for _, s := range []upload.State{upload.StateCancelled, upload.StateDeleting, upload.StateComplete} {
		if diff := cmp.Diff(want(Open, NoTime), entriesOf(adopted(s))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s, diff)
		}
	}
	r := adopted(upload.StateDeleted)
	r.TombstoneUntil = deletedAt.Add(ttl)
	if diff := cmp.Diff(want(Deleted, deletedAt.UnixMilli()), entriesOf(r)); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
}

// A state that is added to the core must be thought of here: until then its
// objects are nobody's, or everybody's.
func TestEveryStateHasARule(t *testing.T) {
	thought := []upload.State{
		upload.StateNone, upload.StateReceiving, upload.StateAssembling, upload.StateComplete,
		upload.StateCancelled, upload.StateExpired, upload.StateDeleting, upload.StateDeleted,
	}
	if diff := cmp.Diff(thought, upload.States()); diff != "" {
		t.Errorf("states that the rules know (-known +are):\n%s", diff)
	}
	for _, s := range upload.States() {
		if n := len(entriesOf(record(s, nil))); n != 5 {
			t.Errorf("%s: %d of 5 keys are spoken of", s, n)
		}
	}
}

func TestACallerMayStopAmongTheEntriesOfARecord(t *testing.T) {
	r := record(upload.StateDeleted, nil)
	r.Manifest.Explicit = []upload.Explicit{{Bucket: "b", Key: "x", VersionID: "v"}, {Bucket: "b", Key: "y", VersionID: "v"}}
	for stop := 1; stop <= 7; stop++ {
		seen := 0
		for range EntriesOf(r, ttl) {
			if seen++; seen == stop {
				break
			}
		}
		if seen != stop {
			t.Errorf("stopped at %d, saw %d", stop, seen)
		}
	}
}
