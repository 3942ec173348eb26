package invariant_test

import (
	"context"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/upload"
	"github.com/strandline-dev/strandline/shared/upload/invariant"
)

var due = time.Date(2026, time.December, 1, 12, 0, 0, 0, time.UTC)

func TestWhoNeedsCleanupHasADueOrIsParked(t *testing.T) {
	for what, c := range map[string]struct {
		record upload.Record
		holds  bool
	}{
		"abandoned, due":              {upload.Record{State: upload.StateReceiving, DueAt: due}, true},
		"abandoned, never due":        {upload.Record{State: upload.StateReceiving}, false},
		"permanent":                   {upload.Record{State: upload.StateComplete}, true},
		"a hold that nobody looks at": {upload.Record{State: upload.StateComplete, HoldExpiresAt: due}, false},
		"deleting, parked":            {upload.Record{State: upload.StateDeleting, ParkedAt: due}, true},
		"parked and due":              {upload.Record{State: upload.StateDeleting, ParkedAt: due, DueAt: due}, false},
		"deleted":                     {upload.Record{State: upload.StateDeleted}, true},
		"deleted and due":             {upload.Record{State: upload.StateDeleted, DueAt: due}, false},
	} {
		if err := invariant.Intent(c.record); (err == nil) != c.holds {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestWhatAPurgeLeftIsSeenUnlessItIsRetained(t *testing.T) {
	r := upload.Record{
		ID: upload.ID{Tenant: "acme", Upload: "u-1"}, State: upload.StateDeleted, Prefix: "in",
		Manifest: upload.Manifest{Attempts: []upload.Attempt{{Number: 1, Declared: 2}}},
	}
	stand := invariant.Standing{r.ObjectKey(upload.Key{Attempt: 1, Seq: 2}): {"v2"}, "in/acme/u-1/1/3": {"never declared"}}
	if err := invariant.Gone(r, stand); err == nil {
		t.Error("a key that stands is not seen")
	}
	if r.Retained.Count = 1; invariant.Gone(r, stand) != nil {
		t.Error("what is retained is missed")
	}
}

func TestAQuotaIsWhatLiveUploadsHold(t *testing.T) {
	one := upload.Record{ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "ann", State: upload.StateReceiving, QuotaHeld: true}
	gone := one
	gone.State = upload.StateDeleted
	used := func(n int64) func(context.Context, string, string) (int64, error) {
		return func(context.Context, string, string) (int64, error) { return n, nil }
	}
	for what, c := range map[string]struct {
		records []upload.Record
		used    int64
		broken  int
	}{
		"one holds one":             {[]upload.Record{one}, 1, 0},
		"a place too many":          {[]upload.Record{one}, 2, 1},
		"held by what is gone":      {[]upload.Record{gone}, 1, 1},
		"nobody holds what is used": {[]upload.Record{{Owner: "ann", State: upload.StateDeleted}}, 1, 1},
		"adopted: nobody's":         {[]upload.Record{{Owner: "ann", Source: "shop"}}, 1, 0},
	} {
		if broken := invariant.Quota(t.Context(), c.records, used(c.used)); len(broken) != c.broken {
			t.Errorf("%s: %v", what, broken)
		}
	}
}
