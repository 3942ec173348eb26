package dynamo

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// What an application may write must leave room for what cleanup writes later.
// Without that an item that is full to the last hundred bytes takes no mark, no
// claim and no attempt: its objects stay for ever, and nobody is told.
func TestAnItemThatAnApplicationFilledCanStillBePurged(t *testing.T) {
	s, _ := faulty(t)
	p, now := policy.Default(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	id := upload.ID{Tenant: "acme", Upload: "full"}
	step := func(r upload.Record, e upload.Event, at time.Time) upload.Change {
		t.Helper()
		c, err := upload.Step(p, r, e, at)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	commit := func(r upload.Record, e upload.Event, at time.Time) upload.Record {
		t.Helper()
		c := step(r, e, at)
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatalf("%s: %v", e.Kind(), err)
		}
		return c.After
	}
	r := commit(upload.Record{}, upload.Reserve{
		ID: id, Owner: "ann", Holder: "w", Lease: time.Minute, Bucket: "b", Declared: 1,
	}, now)
	for n := maxItem; ; n -= 64 {
		c := step(r, upload.Cancel{Fence: 1, Reason: strings.Repeat("x", n)}, now)
		err := s.Commit(t.Context(), c)
		if err == nil {
			r = c.After
			break
		}
		if !errors.Is(err, upload.ErrRefused) {
			t.Fatal(err)
		}
	}
	now = r.DueAt.Add(time.Hour)
	r = commit(r, upload.Claim{
		Version: r.Version, Cutoff: now.Add(-p.SafetyMargin), Worker: strings.Repeat("w", 64), Token: strings.Repeat("t", 64),
	}, now)
	r = commit(r, upload.Unclear{Fence: r.Fence}, now)
	r = commit(r, upload.Retry{Fence: r.Fence, Error: strings.Repeat("e", 200)}, now)
	r = commit(r, upload.Reclaim{Worker: strings.Repeat("w", 64), Token: strings.Repeat("u", 64)}, now)
	commit(r, upload.Finish{Fence: r.Fence, Retained: upload.Retained{
		Count: 1, Reason: "object lock", Until: now.Add(time.Hour),
	}}, now)
}
