package upload_test

import (
	"testing"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Tenants, ids and prefixes that are as alike as can be, each with each: no two
// uploads have one key. Were ids not escaped, tenant "a/b" without a prefix and
// tenant "b" below the prefix "a" would, and the purge of one would delete the
// other. A folder may lie below another; so a warrant compares whole keys.
func TestNoTwoUploadsHaveOneKey(t *testing.T) {
	parts := []string{
		"a", "b", "a/b", "a/", "/a", "1", "1/1", ".", "..", "./a", "%", "%2F", "a%2Fb", "#", "é", "e\u0301", "A", " ", "a ", "\u2028", "null",
	}
	prefixes := []string{"", "a", "a/", "a//", "a/b", "a/b/", "a/1", "%2F", ".", "é", "in"}
	owners := map[string]upload.ID{}
	for _, prefix := range prefixes {
		for _, tenant := range parts {
			for _, id := range parts {
				r := upload.Record{ID: upload.ID{Tenant: tenant, Upload: id}, Prefix: prefix}
				for _, k := range []upload.Key{{Attempt: 1, Seq: 1}, {Attempt: 1, Seq: 11}, {Attempt: 11, Seq: 1}} {
					key := r.ObjectKey(k)
					if other, taken := owners[key]; taken && other != r.ID {
						t.Errorf("%q and %q share %q", other, r.ID, key)
					}
					owners[key] = r.ID
				}
			}
		}
	}
}
