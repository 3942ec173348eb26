// Package uploadtest builds condemned versions for the tests of object stores,
// by the public protocol and nothing else: there is no other way to make an
// upload.Condemned, in tests neither.
package uploadtest

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Begin is the instant at which every story here begins.
var Begin = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

const (
	tenant = "tenant-test"
	worker = "worker-test"
	token  = "token-test"
)

// Version names one object version.
type Version struct{ Bucket, Key, VersionID string }

// Policy is the default policy; null versions may be deleted too, so that a
// store can be asked to.
func Policy() policy.Policy {
	p := policy.Default()
	p.DeleteNullVersions = true
	return p
}

// Condemned condemns any version of any key: adopted, claimed when due, and
// looked at. At most upload.MaxExplicit versions, of one bucket.
func Condemned(t testing.TB, versions ...Version) []upload.Condemned {
	t.Helper()
	explicit := make([]upload.Explicit, len(versions))
	for i, v := range versions {
		explicit[i] = upload.Explicit{Bucket: v.Bucket, Key: v.Key, VersionID: v.VersionID, ETag: "etag", LastModified: Begin}
	}
	id := upload.ID{Tenant: tenant, Upload: "adopted"}
	record := Step(t, upload.Record{}, upload.Adopt{ID: id, Source: "test", Objects: explicit}, Begin)
	warrant := Claim(t, record)
	all := make([]upload.Condemned, len(explicit))
	for i, e := range explicit {
		c, err := warrant.CondemnExplicit(e, e)
		if err != nil {
			t.Fatalf("condemn version %d of %d: %v", i+1, len(explicit), err)
		}
		all[i] = c
	}
	return all
}

// Generated condemns versions under generated keys: an upload with one key for
// each version id is reserved, recorded, cancelled and claimed. It returns them
// in the order of the ids; their keys are under prefix, in bucket.
func Generated(t testing.TB, bucket, prefix string, versionIDs ...string) []upload.Condemned {
	t.Helper()
	record := Step(t, upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: tenant, Upload: "generated"}, Owner: "owner-test",
		Holder: "writer-test", Lease: time.Minute, Bucket: bucket, Prefix: prefix,
	}, Begin)
	record = Step(t, record, upload.Declare{Fence: record.Fence, Declared: len(versionIDs)}, Begin)
	for i, id := range versionIDs {
		record = Step(t, record, upload.RecordObject{Fence: record.Fence, Seq: i + 1, VersionID: id, ETag: "etag"}, Begin)
	}
	record = Step(t, record, upload.Cancel{Fence: record.Fence, Reason: "test"}, Begin)
	warrant := Claim(t, record)
	all := make([]upload.Condemned, len(versionIDs))
	for i, target := range warrant.Targets() {
		c, err := warrant.Condemn(target.ObjectKey, target.VersionID)
		if err != nil {
			t.Fatalf("condemn sequence %d: %v", i+1, err)
		}
		all[i] = c
	}
	return all
}

// Claim claims a cancelled record as soon as it may be, and returns the
// warrant.
func Claim(t testing.TB, record upload.Record) upload.Warrant {
	t.Helper()
	p := Policy()
	cutoff := record.DueAt
	now := cutoff.Add(p.SafetyMargin)
	record = Step(t, record, upload.Claim{Version: record.Version, Cutoff: cutoff, Worker: worker, Token: token}, now)
	warrant, err := record.ClaimedBy(p, token)
	if err != nil {
		t.Fatalf("warrant of upload %s: %v", record.Upload, err)
	}
	return warrant
}

// Step applies one event that the protocol must accept.
func Step(t testing.TB, record upload.Record, event upload.Event, now time.Time) upload.Record {
	t.Helper()
	change, err := upload.Step(Policy(), record, event, now)
	if err != nil {
		t.Fatal(err)
	}
	return change.After
}
