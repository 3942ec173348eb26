package upload

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Whatever happens in whatever order: a record's numbers only grow, its intent
// is there, the record that was stepped from stays as it was, and the same
// question has the same answer.
func TestAnySequenceOfEventsKeepsTheRecordWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy.Default()
		p.MaxAttempts = 3
		now := noon
		r := rapid.SampledFrom(records()).Draw(t, "beginning")
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, 0, time.Minute, 16 * time.Minute, 7 * time.Hour, 30 * time.Hour}).Draw(t, "wait"))
			e := anyEvent(t, r, now)
			for tries := 0; tries < 8 && refused(p, r, e, now); tries++ {
				e = anyEvent(t, r, now) // else most sequences would end where they began
			}
			before := deepCopy(r)
			c, err := Step(p, r, e, now)
			if diff := cmp.Diff(before, r); diff != "" {
				t.Fatalf("%s changed the record it was decided from:\n%s", e.Kind(), diff)
			}
			again, errAgain := Step(p, r, e, now)
			if !reflect.DeepEqual(c, again) || (err == nil) != (errAgain == nil) {
				t.Fatalf("%s has two answers", e.Kind())
			}
			if err != nil || c.Nothing() {
				continue
			}
			mustBeWhole(t, c)
			old := deepCopy(c.After)
			r = c.After
			defer func(e Event) {
				// Later events must not have written into what was returned.
				if diff := cmp.Diff(old, c.After); diff != "" {
					t.Fatalf("the record after %s was changed later:\n%s", e.Kind(), diff)
				}
			}(e)
		}
	})
}

func refused(p policy.Policy, r Record, e Event, now time.Time) bool {
	c, err := Step(p, r, e, now)
	return err != nil || c.Nothing()
}

func mustBeWhole(t *rapid.T, c Change) {
	b, a := c.Before, c.After
	switch {
	case a.Version != b.Version+1:
		t.Fatalf("%s: version %d → %d", c.Event, b.Version, a.Version)
	case a.Fence < b.Fence:
		t.Fatalf("%s: fence %d → %d", c.Event, b.Fence, a.Fence)
	case a.Refs < 0 || a.Objects < 0 || a.Attempts < 0:
		t.Fatalf("%s: a count is negative: %+v", c.Event, a)
	case a.PurgedThrough > a.Manifest.declared():
		t.Fatalf("%s: %d of %d purged", c.Event, a.PurgedThrough, a.Manifest.declared())
	case a.Retained.Count > a.Manifest.declared():
		t.Fatalf("%s: %d of %d retained", c.Event, a.Retained.Count, a.Manifest.declared())
	case b.State != StateNone && (a.ID != b.ID || a.Bucket != b.Bucket || a.Prefix != b.Prefix || a.Owner != b.Owner):
		t.Fatalf("%s: whose it is, or where, has changed", c.Event)
	case (a.Holder == "") != a.LeaseUntil.IsZero():
		t.Fatalf("%s: holder %q, lease until %v", c.Event, a.Holder, a.LeaseUntil)
	}
	if (&model{}).dueMissing(&a) {
		t.Fatalf("%s: %s without a due", c.Event, a.State)
	}
}

// dueMissing is the checker's invariant 6 on one record.
func (m *model) dueMissing(r *Record) bool {
	m.intent(r)
	return m.bad != nil
}

func deepCopy(r Record) Record {
	m := &r.Manifest
	m.Attempts = append([]Attempt(nil), m.Attempts...)
	for i := range m.Attempts {
		m.Attempts[i].Listed = append(Bits(nil), m.Attempts[i].Listed...)
	}
	m.Objects = append([]Object(nil), m.Objects...)
	for i := range m.Objects {
		m.Objects[i].Multiparts = append([]string(nil), m.Objects[i].Multiparts...)
	}
	m.Explicit = append([]Explicit(nil), m.Explicit...)
	return r
}

// anyEvent is mostly one that may be accepted: its numbers are the record's,
// give or take one.
func anyEvent(t *rapid.T, r Record, now time.Time) Event {
	k := rapid.SampledFrom(Kinds()).Draw(t, "kind")
	near := func(n int64, what string) int64 {
		return n + rapid.SampledFrom([]int64{0, 0, 0, 0, -1, 1}).Draw(t, what)
	}
	fence, version := near(r.Fence, "fence"), near(r.Version, "version")
	margin := policy.Default().SafetyMargin
	cutoff := now.Add(-rapid.SampledFrom([]time.Duration{margin, margin, margin + time.Hour, margin - 1, 0}).Draw(t, "cutoff"))
	ahead := now.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(48*time.Hour)).Draw(t, "hold")))
	count := near(int64(len(r.Manifest.Objects)), "count")
	seq := rapid.IntRange(0, 4).Draw(t, "seq")
	key := Key{rapid.SampledFrom([]int64{3, fence, fence - 1}).Draw(t, "attempt"), max(seq, 1)}
	kept := Retained{Count: rapid.Int64Range(0, 1).Draw(t, "kept"), Until: ahead, Reason: "lock"}
	switch k {
	case KindReserve:
		e := Reserve{ID: ID{"t", "u"}, Owner: "o", Holder: "w", Lease: time.Minute, Bucket: "b", QuotaLimit: 3, ContentHash: "h", Declared: seq}
		if rapid.Bool().Draw(t, "held") {
			e.HoldUntil = ahead
		}
		return e
	case KindComplete:
		e := Complete{Fence: fence, List: []Key{key}}
		for _, o := range r.Manifest.Objects {
			e.List = append(e.List[:0], o.Key)
		}
		if rapid.Bool().Draw(t, "held") {
			e.HoldUntil = ahead
		}
		return e
	case KindAcquire:
		return Acquire{Holder: rapid.SampledFrom([]string{"w", "x"}).Draw(t, "holder"), Lease: time.Minute}
	case KindDeclare:
		return Declare{Fence: fence, Declared: seq, Multiparts: []Multipart{{key, "m"}}[:seq%2]}
	case KindRecordObject:
		return RecordObject{Fence: fence, Seq: seq, VersionID: "v", Size: 3}
	case KindAddReference, KindDropReference:
		ref := Reference{"s", "e", version}
		if k == KindAddReference {
			return AddReference{ref, 3}
		}
		return DropReference{ref}
	case KindExtendHold:
		return ExtendHold{ahead}
	case KindResupersede:
		return Resupersede{key}
	case KindDefer:
		return Defer{version, cutoff}
	case KindRepair:
		return Repair{version, cutoff}
	case KindExpire:
		return Expire{version, cutoff}
	case KindClaim:
		return Claim{version, cutoff, "A", rapid.StringN(1, 8, 8).Draw(t, "token")}
	case KindReclaim:
		return Reclaim{"B", rapid.StringN(1, 8, 8).Draw(t, "token")}
	case KindTrim:
		return Trim{version, cutoff, r.Manifest.superseded() - kept.Count, kept}
	case KindContinue:
		return Continue{fence, near(r.PurgedThrough+1, "through"), Retained{}}
	case KindFinish:
		return Finish{fence, r.Manifest.declared() - r.PurgedThrough - kept.Count, kept}
	case KindReopen:
		return Reopen{Undead: count%2 == 0}
	}
	x, _ := exampleOf(string(k))
	return fitted(x.e, r)
}

// anyID is what a caller may call a tenant or an upload, the nasty included.
func anyID() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9._/#%-]{1,12}`),
		rapid.SampledFrom([]string{".", "..", "...", "a/b", "a%2Fb", "a#b", "ü", "a b", "a+b", "a%20b", "1", "1/1", "-", "_", "日本", "&<>\"'"}),
		rapid.StringN(1, 20, MaxIDBytes),
	).Filter(func(id string) bool { return ValidID("x", id) == nil })
}

// Were two ids to share a folder, or one to lie in another's, a purge that
// lists its folder would see a stranger's objects.
func TestTwoIDsNeverShareAFolder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{"", "up", "up/", "a/b"}).Draw(t, "prefix")
		a := Record{ID: ID{anyID().Draw(t, "tenant a"), anyID().Draw(t, "upload a")}, Prefix: prefix}
		b := Record{ID: ID{anyID().Draw(t, "tenant b"), anyID().Draw(t, "upload b")}, Prefix: prefix}
		if a.ID == b.ID {
			return
		}
		key := b.ObjectKey(Key{Attempt: rapid.Int64Range(1, 1<<40).Draw(t, "attempt"), Seq: rapid.IntRange(1, MaxDeclared).Draw(t, "seq")})
		if a.Folder() == b.Folder() || strings.HasPrefix(key, a.Folder()) {
			t.Fatalf("%q lies in the folder %q of %q", key, a.Folder(), a.ID)
		}
	})
}

func TestAKeyIsReadBackAsWhatItWasMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Key{Attempt: rapid.Int64Range(1, 1<<40).Draw(t, "attempt"), Seq: rapid.IntRange(1, MaxDeclared).Draw(t, "seq")}
		r := Record{ID: ID{anyID().Draw(t, "tenant"), anyID().Draw(t, "upload")}, Prefix: rapid.SampledFrom([]string{"", "up"}).Draw(t, "prefix")}
		r.Manifest = r.Manifest.declaring(k.Attempt, k.Seq)
		s3key := r.ObjectKey(k)
		if got, ok := r.parseKey(s3key); !ok || got != k {
			t.Fatalf("%q is read as %v, %v", s3key, got, ok)
		}
		if len(s3key) > 1024 {
			t.Fatalf("%d bytes: S3 takes 1,024", len(s3key))
		}
		for _, other := range []string{s3key + "0", s3key + "/", s3key + " ", r.Folder() + "0" + strings.TrimPrefix(s3key, r.Folder()), strings.Replace(s3key, "/", "//", 1), s3key[:len(s3key)-1]} {
			if got, ok := r.parseKey(other); ok && r.ObjectKey(got) != other {
				t.Fatalf("%q is taken for %v", other, got)
			}
		}
	})
}

// The longest ids there may be must still make a key that S3 takes.
func TestTheLongestIDsMakeAKeyThatS3Takes(t *testing.T) {
	r := Record{ID: ID{strings.Repeat("/", MaxIDBytes), strings.Repeat("/", MaxIDBytes)}, Prefix: strings.Repeat("p", 200)}
	if key := r.ObjectKey(Key{1 << 62, MaxDeclared}); len(key) > 1024 {
		t.Errorf("%d bytes: S3 takes 1,024", len(key))
	}
}

func TestBitsAreASetOfSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Bits
		want := map[int]bool{}
		for _, seq := range rapid.SliceOf(rapid.IntRange(1, 100)).Draw(t, "sequences") {
			before := append(Bits(nil), b...)
			grown := b.With(seq)
			if !reflect.DeepEqual(before, append(Bits(nil), b...)) {
				t.Fatal("With changed its receiver")
			}
			b, want[seq] = grown, true
		}
		for seq := -1; seq <= 130; seq++ {
			if b.Has(seq) != want[seq] {
				t.Fatalf("Has(%d) is %v", seq, b.Has(seq))
			}
		}
		if b.Count() != len(want) {
			t.Fatalf("Count is %d of %d", b.Count(), len(want))
		}
	})
}
