package quarantine_test

import (
	"testing"

	stores "github.com/strandline-dev/strandline/shared/objects/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// The runs may be wrong: the list of what is owned is a day old. Without asking
// the key itself whose it is, a version of a live upload could be condemned.
func TestVersionOfAnUploadIsNeverAdopted(t *testing.T) {
	for name, live := range map[string]func(w *world, r upload.Record){
		"declared, its put not recorded yet": func(*world, upload.Record) {},
		"recorded": func(w *world, r upload.Record) {
			w.commit(r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: w.orphan.VersionID, Size: 8})
		},
		"published": func(w *world, r upload.Record) {
			w.commit(r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: w.orphan.VersionID, Size: 8},
				upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}})
		},
		"given up, and waiting for its purge": func(w *world, r upload.Record) {
			w.commit(r, upload.Cancel{Fence: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOf(t, "up/acme/u-1/1/1", stores.Enabled)
			live(w, w.reserve("u-1"))
			expectRefused(t, w, "belongs to upload u-1")
		})
	}
}

func TestKeyOfAnotherBucketsUploadIsNobodysHere(t *testing.T) {
	w := newWorldOf(t, "up/acme/u-1/1/1", stores.Enabled)
	w.commit(upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "o", Holder: "h", Lease: w.policy.MaxLease,
		Bucket: "elsewhere", Prefix: "up", Declared: 2,
	})
	_, err := w.approve()
	must(t, err)
}

// published is an upload whose key 1 is another version than the held one.
func published(w *world) upload.Record {
	w.t.Helper()
	r := w.reserve("u-1")
	own := w.store.Write(bucket, w.orphan.Key, []byte("the owner's"), w.now)
	return w.commit(r, upload.RecordObject{Fence: 1, Seq: 1, VersionID: own.VersionID, Size: 11, ETag: own.ETag},
		upload.Complete{Fence: 1, List: []upload.Key{{Attempt: 1, Seq: 1}}})
}

// A second version under a live key may go, but never behind a marker: hiding
// it would hide the live one.
func TestSecondVersionUnderALiveKeyIsApprovedAndNotHidden(t *testing.T) {
	w := newWorldOf(t, "up/acme/u-1/1/1", stores.Enabled)
	published(w)
	_, err := w.approve()
	must(t, err)
	w.stands(2, 0)
}

// The version that the upload published is gone, and the held one stands under
// its key: it may be the only copy of the bytes. Without the guard the only
// copy would be deleted.
func TestApprovalIsRefusedWhileItsKeyIsChanged(t *testing.T) {
	w := newWorldOf(t, "up/acme/u-1/1/1", stores.Enabled)
	r := published(w)
	must(t, w.store.Remove(bucket, w.orphan.Key, r.Manifest.Objects[0].VersionID))
	expectRefused(t, w, "its key is changed")
}

func TestKeyThatNoRecordCanHoldIsRefused(t *testing.T) {
	w := newWorldOf(t, "bin\xff", stores.Enabled)
	expectRefused(t, w, "not UTF-8")
}
