package uploadtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/upload"
)

func TestAnyVersionOfAnyKeyCanBeCondemned(t *testing.T) {
	asked := []Version{{"b", "a key/../x", "v1"}, {"b", "a", "null"}}
	for i, c := range Condemned(t, asked...) {
		if got := (Version{c.Bucket(), c.Key(), c.VersionID()}); got != asked[i] {
			t.Errorf("condemned %+v, asked %+v", got, asked[i])
		}
	}
}

func TestGeneratedKeysAreCondemnedInOrder(t *testing.T) {
	var got []string
	for _, c := range Generated(t, "b", "p", "v1", "v2") {
		got = append(got, c.Key()+" "+c.VersionID())
	}
	record := upload.Record{ID: upload.ID{Tenant: tenant, Upload: "generated"}, Prefix: "p"}
	want := []string{
		record.ObjectKey(upload.Key{Attempt: 1, Seq: 1}) + " v1",
		record.ObjectKey(upload.Key{Attempt: 1, Seq: 2}) + " v2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("condemned (-want +got):\n%s", diff)
	}
}
