package ledgertest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

var effectTests = map[string]func(*testing.T, Ledger){
	"the last place of a quota goes to exactly one":               lastPlaceOfAQuota,
	"a quota comes back once":                                     quotaComesBackOnce,
	"a change that fails beside the record changes nothing":       failureChangesNothing,
	"content that is live is refused until it is freed":           liveContent,
	"the same content goes to exactly one of many":                contentRace,
	"an idempotency key is used once, until it is over":           keyIsUsedOnce,
	"an idempotency key without an end stays used":                keyWithoutEnd,
	"a reference is used once, and each generation is another":    referenceIsUsedOnce,
	"a reference goes to exactly one of many":                     referenceRace,
	"names beside a record never collide":                         namesNeverCollide,
	"an upload with all effects lives, and gives everything back": wholeLife,
}

func withQuota(n int, limit int64) upload.Reserve {
	e := reserving(id(n))
	e.QuotaLimit = limit
	return e
}

// Without the condition in the same transaction, two reservations both see one
// free place, and both take it.
func lastPlaceOfAQuota(t *testing.T, l Ledger) {
	const limit = 3
	won := atOnce(t, l, 20, upload.ErrQuota, func(i int) upload.Change {
		return change(t, upload.Record{}, withQuota(i, limit), start)
	})
	if won != limit {
		t.Errorf("%d of 20 got a place, want %d", won, limit)
	}
	expectQuota(t, l, "alice", limit)
	expectQuota(t, l, "bob", 0)
}

// Without the floor, a place given back twice lets the owner have one more than
// the limit, for good.
func quotaComesBackOnce(t *testing.T, l Ledger) {
	r := commit(t, l, upload.Record{}, withQuota(1, 1), start)
	cancel := change(t, r, upload.Cancel{Fence: 1}, start)
	if err := l.Commit(t.Context(), cancel); err != nil {
		t.Fatal(err)
	}
	expectError(t, l.Commit(t.Context(), cancel), upload.ErrChanged)
	expectQuota(t, l, "alice", 0)
	forged := change(t, upload.Record{}, reserving(id(2)), start)
	forged.Effects = []upload.Effect{upload.GiveQuota{Tenant: "acme", Owner: "alice"}}
	expectError(t, l.Commit(t.Context(), forged), upload.ErrRefused)
	expectQuota(t, l, "alice", 0)
}

func failureChangesNothing(t *testing.T, l Ledger) {
	first := reserving(id(1))
	first.QuotaLimit, first.ContentHash = 10, "sha"
	commit(t, l, upload.Record{}, first, start)
	second := reserving(id(2))
	second.QuotaLimit, second.ContentHash = 10, "sha"
	second.IdempotencyKey, second.KeyExpires = "key", start.Add(time.Hour)
	expectError(t, l.Commit(t.Context(), change(t, upload.Record{}, second, start)), upload.ErrDuplicate)
	expectQuota(t, l, "alice", 1)
	if got := load(t, l, id(2)); got.Version != 0 {
		t.Errorf("the record is there: %+v", got)
	}
	if use, err := l.KeyUse(t.Context(), "acme", "alice", "key"); err != nil || use != (ledger.KeyUse{}) {
		t.Errorf("the key is used: %+v, %v", use, err)
	}
}

func withContent(n int, owner, hash string) upload.Reserve {
	e := reserving(id(n))
	e.Owner, e.ContentHash = owner, hash
	return e
}

func liveContent(t *testing.T, l Ledger) {
	first := commit(t, l, upload.Record{}, withContent(1, "alice", "sha"), start)
	commit(t, l, upload.Record{}, withContent(2, "bob", "sha"), start) // another owner's affair
	third := change(t, upload.Record{}, withContent(3, "alice", "sha"), start)
	err := l.Commit(t.Context(), third)
	expectError(t, err, upload.ErrDuplicate)
	var duplicate *ledger.Duplicate
	if !errors.As(err, &duplicate) || duplicate.Live != id(1) {
		t.Errorf("the live upload is not named: %v", err)
	}
	commit(t, l, first, upload.Cancel{Fence: 1}, start)
	if err := l.Commit(t.Context(), third); err != nil {
		t.Errorf("after it was freed: %v", err)
	}
	forged := change(t, upload.Record{}, reserving(id(4)), start)
	forged.Effects = []upload.Effect{upload.FreeHash{Tenant: "acme", Owner: "alice", Hash: "sha", Upload: id(4).Upload}}
	expectError(t, l.Commit(t.Context(), forged), upload.ErrRefused)
}

func contentRace(t *testing.T, l Ledger) {
	won := atOnce(t, l, 10, upload.ErrDuplicate, func(i int) upload.Change {
		return change(t, upload.Record{}, withContent(i, "alice", "sha"), start)
	})
	if won != 1 {
		t.Errorf("%d won", won)
	}
}

func withKey(n int, digest string, expires time.Time) upload.Reserve {
	e := reserving(id(n))
	e.IdempotencyKey, e.RequestDigest, e.KeyExpires = "key", digest, expires
	return e
}

func expectKey(t *testing.T, l Ledger, want ledger.KeyUse) {
	t.Helper()
	got, err := l.KeyUse(t.Context(), "acme", "alice", "key")
	if err != nil || got.Upload != want.Upload || got.RequestDigest != want.RequestDigest || !got.Expires.Equal(want.Expires) {
		t.Errorf("the key's use is %+v (%v), want %+v", got, err, want)
	}
}

// A key that is over may still be stored, since stores forget late. Whoever
// takes that for "in use" refuses requests for days.
func keyIsUsedOnce(t *testing.T, l Ledger) {
	expectKey(t, l, ledger.KeyUse{})
	over := start.Add(time.Hour)
	commit(t, l, upload.Record{}, withKey(1, "one", over), start)
	first := ledger.KeyUse{Upload: id(1).Upload, RequestDigest: "one", Expires: over}
	expectKey(t, l, first)
	for n, digest := range map[int]string{2: "one", 3: "other"} { // the answer was lost; another request
		c := change(t, upload.Record{}, withKey(n, digest, over), start)
		expectError(t, l.Commit(t.Context(), c), upload.ErrKeyReused)
	}
	early := change(t, upload.Record{}, withKey(4, "new", over.Add(time.Hour)), over.Add(-time.Millisecond))
	expectError(t, l.Commit(t.Context(), early), upload.ErrKeyReused)
	expectKey(t, l, first)
	commit(t, l, upload.Record{}, withKey(4, "new", over.Add(time.Hour)), over)
	expectKey(t, l, ledger.KeyUse{Upload: id(4).Upload, RequestDigest: "new", Expires: over.Add(time.Hour)})
}

func keyWithoutEnd(t *testing.T, l Ledger) {
	commit(t, l, upload.Record{}, withKey(1, "one", time.Time{}), start)
	late := change(t, upload.Record{}, withKey(2, "two", time.Time{}), start)
	late.After.LastActivityAt = start.AddDate(10, 0, 0)
	expectError(t, l.Commit(t.Context(), late), upload.ErrKeyReused)
}

// completed is an upload that references can be added to.
func completed(t *testing.T, l Ledger, n int) upload.Record {
	t.Helper()
	r := commit(t, l, upload.Record{}, reserving(id(n)), start)
	r = commit(t, l, r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 10}, start)
	return commit(t, l, r, upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}}, start)
}

func expectReference(t *testing.T, l Ledger, u upload.ID, ref upload.Reference, want ledger.ReferenceState) {
	t.Helper()
	if got, err := l.Reference(t.Context(), u, ref); err != nil || got != want {
		t.Errorf("reference %+v is %d (%v), want %d", ref, got, err, want)
	}
}

// Without the tombstone, a late repetition of the first add would revive a
// reference that was dropped, and its upload would never go.
func referenceIsUsedOnce(t *testing.T, l Ledger) {
	r := completed(t, l, 1)
	ref := upload.Reference{Source: "table", Entity: "row-1", Generation: 1}
	next := upload.Reference{Source: "table", Entity: "row-1", Generation: 2}
	expectReference(t, l, r.ID, ref, ledger.ReferenceUnknown)
	r = commit(t, l, r, upload.AddReference{Reference: ref}, start)
	expectReference(t, l, r.ID, ref, ledger.ReferenceLive)
	expectError(t, l.Commit(t.Context(), change(t, r, upload.AddReference{Reference: ref}, start)), upload.ErrReferenceLive)
	expectError(t, l.Commit(t.Context(), change(t, r, upload.DropReference{Reference: next}, start)), upload.ErrReferenceUsed)
	r = commit(t, l, r, upload.AddReference{Reference: next}, start)
	r = commit(t, l, r, upload.DropReference{Reference: ref}, start)
	expectReference(t, l, r.ID, ref, ledger.ReferenceDropped)
	expectReference(t, l, r.ID, next, ledger.ReferenceLive)
	expectReference(t, l, id(2), ref, ledger.ReferenceUnknown)
	expectError(t, l.Commit(t.Context(), change(t, r, upload.AddReference{Reference: ref}, start)), upload.ErrReferenceUsed)
	expectError(t, l.Commit(t.Context(), change(t, r, upload.DropReference{Reference: ref}, start)), upload.ErrReferenceUsed)
	expectStored(t, l, r)
}

func referenceRace(t *testing.T, l Ledger) {
	r := completed(t, l, 1)
	won := atOnce(t, l, 10, upload.ErrChanged, func(i int) upload.Change {
		return change(t, r, upload.AddReference{Reference: upload.Reference{Source: "t", Entity: fmt.Sprint(i)}}, start)
	})
	if got := load(t, l, r.ID); won != 1 || got.Refs != 1 {
		t.Errorf("%d won, %d references", won, got.Refs)
	}
}

// Without the escaping, one reference's tombstone is another's, and one
// owner's quota is counted against another.
func namesNeverCollide(t *testing.T, l Ledger) {
	r := completed(t, l, 1)
	refs := []upload.Reference{
		{Source: "a#b", Entity: "c", Generation: 1}, {Source: "a", Entity: "b#c", Generation: 1},
		{Source: "a%23b", Entity: "c", Generation: 1}, {Source: "a", Entity: "b", Generation: 11},
		{Source: "a", Entity: "b#1", Generation: 1}, {Source: "語", Entity: "#", Generation: -1},
	}
	for _, ref := range refs {
		r = commit(t, l, r, upload.AddReference{Reference: ref}, start)
	}
	for _, owner := range []string{"o", "o#", "#o", "o%23", "o#H#x", "ö"} {
		e := withQuota(100, 1)
		e.ID.Upload, e.Owner, e.ContentHash = owner, owner, "x"
		e.IdempotencyKey = "H#x"
		commit(t, l, upload.Record{}, e, start)
		expectQuota(t, l, owner, 1)
	}
}

func wholeLife(t *testing.T, l Ledger) {
	e := reserving(id(1))
	e.QuotaLimit, e.ContentHash, e.IdempotencyKey = 1, "sha", "key"
	r := commit(t, l, upload.Record{}, e, start)
	r = commit(t, l, r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: "v1", Size: 10}, start)
	r = commit(t, l, r, upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}}, start)
	ref := upload.Reference{Source: "t", Entity: "e", Generation: 1}
	r = commit(t, l, r, upload.AddReference{Reference: ref}, start)
	r = commit(t, l, r, upload.DropReference{Reference: ref}, start)
	expectQuota(t, l, "alice", 0)
	again := upload.Reference{Source: "t", Entity: "e", Generation: 2}
	r = commit(t, l, r, upload.AddReference{Reference: again, QuotaLimit: 1}, start)
	expectQuota(t, l, "alice", 1)
	r = commit(t, l, r, upload.DropReference{Reference: again}, start)
	now := r.DueAt.Add(time.Hour)
	r = commit(t, l, r, upload.Claim{Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "w", Token: "t"}, now)
	r = commit(t, l, r, upload.Finish{Fence: r.Fence, Gone: 3}, now)
	expectStored(t, l, r)
	expectQuota(t, l, "alice", 0)
}
