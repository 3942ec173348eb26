package upload

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// FuzzParseObjectKey: a key that an upload generates says whose it is, wherever
// its prefix ends; two ids never make one key; and what a foreign key is taken
// for is a valid id whose own key ends in the same way, number for number.
func FuzzParseObjectKey(f *testing.F) {
	f.Add("up/acme/u-1/1/2", "acme", "u-1", "up", int64(1), 2)
	f.Add("acme/u-1/+1/02", "a/b", "%2F", "", int64(-1), 0)
	f.Add("//%61/u/1/1", ".", "..", "a/../b/", int64(1<<62), MaxDeclared)
	f.Fuzz(func(t *testing.T, foreign, tenant, id, prefix string, attempt int64, seq int) {
		r := Record{ID: ID{Tenant: tenant, Upload: id}, Prefix: prefix}
		k := Key{Attempt: attempt, Seq: seq}
		own := r.ObjectKey(k)
		if r.Validate() == nil {
			if got, at, ok := ParseObjectKey(own); !ok || got != r.ID || at != k {
				t.Fatalf("%q of %q is taken for %q %v, %t", own, r.ID, got, at, ok)
			}
			wantEscaped(t, r)
		}
		got, at, ok := ParseObjectKey(foreign)
		if !ok {
			return
		}
		if err := got.Validate(); err != nil {
			t.Fatalf("%q is taken for %q: %v", foreign, got, err)
		}
		parts := strings.Split(foreign, "/")
		tail := strings.Join(parts[len(parts)-4:len(parts)-2], "/") + "/"
		if folder := (Record{ID: got}).Folder(); folder != tail {
			t.Fatalf("%q is taken for %q, whose folder is %q", foreign, got, folder)
		}
		again := (Record{ID: got}).ObjectKey(at)
		if sameAgain, atAgain, ok := ParseObjectKey(again); !ok || sameAgain != got || atAgain != at {
			t.Fatalf("%q is taken for %q, and that for %q %v", foreign, again, sameAgain, atAgain)
		}
	})
}

// wantEscaped: in a key each id is one segment that the standard library reads as
// the id, in either of the ways that S3 and its events escape keys once more.
func wantEscaped(t *testing.T, r Record) {
	t.Helper()
	r.Prefix = ""
	segments := strings.Split(strings.TrimSuffix(r.Folder(), "/"), "/")
	if len(segments) != 2 {
		t.Fatalf("%q has the folder %q", r.ID, r.Folder())
	}
	for i, id := range []string{r.Tenant, r.Upload} {
		path, errPath := url.PathUnescape(segments[i])
		query, errQuery := url.QueryUnescape(segments[i])
		if errPath != nil || errQuery != nil || path != id || query != id || segments[i][0] == '.' {
			t.Fatalf("%q is escaped as %q", id, segments[i])
		}
	}
}

// FuzzParseKeyTakesOnlyItsOwnKeys: of all there is, a record takes for its own
// exactly the keys that it has declared, each in the one way that it is written.
func FuzzParseKeyTakesOnlyItsOwnKeys(f *testing.F) {
	for _, key := range []string{"1/1", "1/10", "+1/1", "1/01", "1/-1", "1/1/", "/1", "", "1/3", "1/4", "2/1", "1/0", "1/18446744073709551617"} {
		f.Add("t", "u", "up", key, int64(1), 3)
		f.Add("a/b", "%2F", "", "a%2Fb/%252F/"+key, int64(1), 3)
	}
	f.Fuzz(func(t *testing.T, tenant, id, prefix, key string, attempt int64, declared int) {
		attempt, declared = max(attempt, 1), min(max(declared, 0), MaxDeclared)
		r := Record{ID: ID{tenant, id}, Prefix: prefix, Manifest: Manifest{}.declaring(attempt, declared)}
		for _, s3key := range []string{key, prefix + "/" + key, r.Folder() + key} {
			k, ok := r.parseKey(s3key)
			below, inFolder := strings.CutPrefix(s3key, r.Folder())
			number, seq, _ := strings.Cut(below, "/")
			n, _ := strconv.Atoi(seq)
			own := inFolder && number == strconv.FormatInt(attempt, 10) && seq == strconv.Itoa(n) && 1 <= n && n <= declared
			if ok != own || own && k != (Key{attempt, n}) {
				t.Fatalf("%q of %q, with %d of attempt %d: taken for %v, %t", s3key, r.ID, declared, attempt, k, ok)
			}
		}
	})
}
