package dynamo

import (
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

// ownedBy reads everything that is owned, in one segment.
func ownedBy(t *testing.T, s *Store) (all []upload.Record, err error) {
	t.Helper()
	for r, err := range s.Owned(t.Context(), 0, 1) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// large stores an upload whose manifest is in pages, three of them written.
func large(t *testing.T, s *Store) upload.Record {
	t.Helper()
	r := commit(t, s, upload.Record{}, reserving(1, 500), start)
	for _, seq := range []int{1, 30, 60} {
		r = commit(t, s, r, upload.RecordObject{Fence: 1, Seq: seq, VersionID: "v", Size: 9}, start)
	}
	return r
}

// Without the reading of the pages by their head, or without its sum, the
// versions on a page would be owned by nobody, and held as orphans.
func TestALargeUploadIsOwnedWholeOrTheReadingFails(t *testing.T) {
	s, w := faulty(t)
	r := large(t, s)
	w.on("Query", edited(2, func(body map[string]any) { body["Items"] = body["Items"].([]any)[:2] }))
	got, err := ownedBy(t, s)
	if err != nil || w.calls["Query"] != 3 {
		t.Fatalf("%d queries, %v", w.calls["Query"], err)
	}
	if diff := cmp.Diff([]upload.Record{ledger.Owning(r)}, got); diff != "" {
		t.Errorf("torn twice, then whole (-want +got):\n%s", diff)
	}
	w.on("Query", refusing(1, "ProvisionedThroughputExceededException", ""))
	_, err = ownedBy(t, s)
	expectError(t, "its pages are not read", err, upload.ErrThrottled)
	w.on("Query", nil)
	_, err = s.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: s.table, Key: pageKey(r.ID, pageAt{1, 1}).attributes(),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = ownedBy(t, s)
	expectError(t, "a page is missing", err, upload.ErrChanged)
}

// meanwhile does something between the scan and the reading of pages.
func meanwhile(do func()) func(int, *http.Request, func() (*http.Response, error)) (*http.Response, error) {
	return func(n int, _ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		if n == 1 {
			do()
		}
		return send()
	}
}

// A head and pages of different instants would own versions that are known to
// neither.
func TestALargeUploadThatChangesMeanwhileIsOwnedAsItIsThen(t *testing.T) {
	s, w := faulty(t)
	r, other := large(t, s), New(s.client, *s.table)
	var after upload.Record
	w.on("Query", meanwhile(func() {
		after = commit(t, other, r, upload.RecordObject{Fence: 1, Seq: 499, VersionID: "w"}, start.Add(time.Minute))
	}))
	got, err := ownedBy(t, s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]upload.Record{ledger.Owning(after)}, got); diff != "" {
		t.Errorf("owned is another (-want +got):\n%s", diff)
	}
}

// Without the difference a record that a person removed from the table would
// own nothing, or every reading would fail at a tombstone that is just
// forgotten.
func TestALargeUploadThatVanishesMeanwhileFailsUnlessItIsATombstone(t *testing.T) {
	s, w := faulty(t)
	r := large(t, s)
	vanish := meanwhile(func() {
		_, err := s.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: s.table, Key: uploadKey(r.ID).attributes()})
		if err != nil {
			t.Error(err)
		}
	})
	w.on("Query", vanish)
	_, err := ownedBy(t, s)
	expectError(t, "it was receiving", err, upload.ErrChanged)

	w.on("Query", nil)
	s, w = faulty(t)
	r = commit(t, s, large(t, s), upload.Cancel{Fence: 1}, start)
	now := r.DueAt.Add(time.Hour)
	r = commit(t, s, r, upload.Claim{Version: r.Version, Cutoff: now.Add(-5 * time.Minute), Worker: "w", Token: "t"}, now)
	r = commit(t, s, r, upload.Finish{Fence: r.Fence, Gone: 500}, now)
	w.on("Query", vanish)
	got, err := ownedBy(t, s)
	if err != nil || len(got) != 0 {
		t.Errorf("it was deleted: %d are owned, %v", len(got), err)
	}
}

func TestAScanForWhatIsOwnedIsConsistentAndTransfersHeadsOnly(t *testing.T) {
	s, w := faulty(t)
	large(t, s)
	w.on("Scan", edited(100, func(body map[string]any) {
		for _, it := range body["Items"].([]any) {
			it := it.(map[string]any)
			if sk := it["sk"].(map[string]any)["S"]; sk != headSK || it["holder"] != nil {
				t.Errorf("the scan brought %v", it)
			}
		}
	}))
	if got, err := ownedBy(t, s); err != nil || len(got) != 1 {
		t.Errorf("%d are owned, %v", len(got), err)
	}
	if in := s.owning(0, 1); in.ConsistentRead == nil || !*in.ConsistentRead {
		t.Error("the scan may be stale")
	}
}
