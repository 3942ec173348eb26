package dryrun_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/dryrun"
	"github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/uploadtest"
)

const bucket = "bucket-a"

func now() time.Time { return uploadtest.Begin }

func newStores() (*dryrun.Store, *memory.Store) {
	m := memory.New(now)
	m.CreateBucket(bucket, memory.BucketOptions{})
	return dryrun.New(m, now), m
}

// Were anything called gone here, a report-only worker would finish uploads
// whose objects all stand.
func TestNothingIsDeletedNothingIsCalledGoneAndTheCodeSaysWhatWouldBe(t *testing.T) {
	dry, m := newStores()
	plain, locked := m.Write(bucket, "a", []byte("1"), time.Time{}), m.Write(bucket, "a", []byte("2"), time.Time{})
	until := now().Add(time.Hour)
	if err := m.Lock(bucket, "a", locked.VersionID, memory.Lock{Until: until}); err != nil {
		t.Fatal(err)
	}
	before := m.All(bucket)
	versions := append(uploadtest.Condemned(t,
		uploadtest.Version{Bucket: bucket, Key: "a", VersionID: plain.VersionID},
		uploadtest.Version{Bucket: bucket, Key: "a", VersionID: locked.VersionID},
		uploadtest.Version{Bucket: bucket, Key: "a", VersionID: "none"}), upload.Condemned{})
	var codes []string
	results := dry.Delete(t.Context(), bucket, versions)
	for _, r := range results {
		codes = append(codes, r.Code)
		if r.Outcome != objects.Failed {
			t.Errorf("%s is %s", r.Code, r.Outcome)
		}
	}
	want := []string{dryrun.WouldDelete, dryrun.WouldRetain, dryrun.WouldFind, objects.CodeRefused}
	if diff := cmp.Diff(want, codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	if !results[1].Retained.Until.Equal(until) {
		t.Errorf("the locked one: %+v", results[1])
	}
	if diff := cmp.Diff(before, m.All(bucket)); diff != "" {
		t.Errorf("the bucket changed:\n%s", diff)
	}
}

func TestWhatCannotBeLookedAtIsNotReportedAsDeletable(t *testing.T) {
	dry, _ := newStores()
	got := dry.Delete(t.Context(), "no-bucket", uploadtest.Condemned(t, uploadtest.Version{Bucket: "no-bucket", Key: "a", VersionID: "v"}))
	if got[0].Code != dryrun.Unseen || got[0].Outcome != objects.Failed {
		t.Errorf("got %+v", got[0])
	}
}

func TestAnAbortIsRefusedAndTheUploadStands(t *testing.T) {
	dry, m := newStores()
	id, err := m.BeginMultipart(t.Context(), bucket, "a", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := dry.Abort(t.Context(), bucket, "a", id); !errors.Is(err, upload.ErrRefused) {
		t.Errorf("abort: %v", err)
	}
	for got, err := range dry.Multiparts(t.Context(), bucket, "") {
		if err != nil || got.UploadID != id {
			t.Errorf("left: %+v, %v", got, err)
		}
		return
	}
	t.Error("the multipart upload is gone")
}
