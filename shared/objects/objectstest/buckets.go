package objectstest

import (
	"errors"
	"testing"

	"github.com/strandline-dev/strandline/shared/upload"
)

var buckets = []test{
	{"a bucket with versioning is accepted", func(t *testing.T, w World) {
		must(t, w.Store().CheckBucket(t.Context(), w.Bucket(t, Enabled)))
	}},
	{"a bucket without versioning is refused", func(t *testing.T, w World) {
		wantKind(t, w.Store().CheckBucket(t.Context(), w.Bucket(t, Never)), upload.ErrRefused)
	}},
	{"a bucket whose versioning is suspended is refused", func(t *testing.T, w World) {
		wantKind(t, w.Store().CheckBucket(t.Context(), w.Bucket(t, Suspended)), upload.ErrRefused)
	}},
	// As any other failure it would be waited for, for ever and without an alarm.
	{"a bucket that does not exist is refused", func(t *testing.T, w World) {
		wantKind(t, w.Store().CheckBucket(t.Context(), "no-such-bucket-here"), upload.ErrRefused)
	}},
	{"a bucket that does not exist fails, and is not absent", missingBucket},
}

func missingBucket(t *testing.T, w World) {
	const name = "no-such-bucket-here"
	errs := map[string]error{"check": w.Store().CheckBucket(t.Context(), name)}
	for _, err := range w.Store().Versions(t.Context(), name, "") {
		errs["versions"] = err
	}
	for _, err := range w.Store().Multiparts(t.Context(), name, "") {
		errs["multiparts"] = err
	}
	if len(errs) != 3 {
		t.Fatalf("a listing of a missing bucket is empty: %v", errs)
	}
	for what, err := range errs {
		if err == nil || errors.Is(err, upload.ErrAbsent) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
