package upload

import (
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
