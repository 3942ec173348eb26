package objectstest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

// Run runs the suite.
func Run(t *testing.T, w World) {
	for _, group := range [][]test{deletes, listings, kept, buckets, puts, parts} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) { c.run(t, w) })
		}
	}
}

type test struct {
	name string
	run  func(*testing.T, World)
}

// condemn condemns versions of one key of a bucket.
func condemn(t *testing.T, bucket, key string, versionIDs ...string) []upload.Condemned {
	t.Helper()
	versions := make([]uploadtest.Version, len(versionIDs))
	for i, id := range versionIDs {
		versions[i] = uploadtest.Version{Bucket: bucket, Key: key, VersionID: id}
	}
	return uploadtest.Condemned(t, versions...)
}

// deleteAll deletes versions, each of which must be gone then.
func deleteAll(t *testing.T, w World, bucket string, versions []upload.Condemned) {
	t.Helper()
	results := w.Store().Delete(t.Context(), bucket, versions)
	if len(results) != len(versions) {
		t.Fatalf("%d results for %d versions", len(results), len(versions))
	}
	for i, r := range results {
		if r.Condemned != versions[i] || r.Outcome != objects.Gone {
			t.Errorf("version %d of %d, key %q: %s (%s)", i+1, len(versions), versions[i].Key(), r.Outcome, r.Code)
		}
	}
}

// list collects a listing.
func list(t *testing.T, w World, bucket, prefix string) []objects.Version {
	t.Helper()
	var all []objects.Version
	for v, err := range w.Store().Versions(t.Context(), bucket, prefix) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// idsOf collects the version ids that stand under exactly one key, sorted.
func idsOf(t *testing.T, w World, bucket, key string) []string {
	t.Helper()
	var ids []string
	for v, err := range objects.VersionsOf(t.Context(), w.Store(), bucket, key) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, v.VersionID)
	}
	slices.Sort(ids)
	return ids
}

// stands checks what stands under exactly one key, in any order.
func stands(t *testing.T, w World, bucket, key string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, idsOf(t, w, bucket, key)); diff != "" {
		t.Errorf("versions of %q (-want +got):\n%s", key, diff)
	}
}

func wantKind(t *testing.T, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error is %v, want %v", err, kind)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
