package upload_test

import (
	"errors"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Two servers of an application, the clock of one a day behind. If its
// heartbeat moved the activity back, the pass would take for silent an upload
// that another server has just heard from.
func TestActivityNeverMovesBack(t *testing.T) {
	p, now := policy.Default(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	r := attackStep(t, p, upload.Record{}, upload.Reserve{
		ID: upload.ID{Tenant: "acme", Upload: "u-1"}, Owner: "ann", Holder: "w", Lease: time.Minute, Bucket: "b", Declared: 1,
	}, now)
	later := attackStep(t, p, r, upload.Heartbeat{Fence: 1}, now.Add(8*time.Hour))
	slow := attackStep(t, p, later, upload.Heartbeat{Fence: 1}, now.Add(-17*time.Hour))
	if !slow.LastActivityAt.Equal(later.LastActivityAt) {
		t.Errorf("activity at %v, was %v", slow.LastActivityAt, later.LastActivityAt)
	}
	at := now.Add(9 * time.Hour)
	d, err := upload.Decide(p, slow, at.Add(-p.SafetyMargin), at)
	if err != nil || d.Action != upload.Keep {
		t.Errorf("%s (%s), %v", d.Action, d.Reason, err)
	}
}

// An instant that the ledger cannot keep comes back as another: the largest
// time.Time, which many take for "for ever", as the year 0. The hold would be
// over at once, and what it keeps purged two days later.
func TestAHoldBeyondWhatTheLedgerKeepsIsRefused(t *testing.T) {
	p, now := policy.Default(), time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	id := upload.ID{Tenant: "acme", Upload: "u-1"}
	reserve := upload.Reserve{
		ID: id, Owner: "ann", Holder: "w", Lease: time.Minute, Bucket: "b", HoldUntil: now.Add(time.Hour),
	}
	r := attackStep(t, p, upload.Record{}, reserve, now)
	for name, until := range map[string]time.Time{
		"the largest instant": time.Unix(1<<63-62135596801, 999999999),
		"a wrapped one":       time.Unix(1<<60, 0),
		"the year 10000":      time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		reserve.HoldUntil = until
		for _, e := range []struct {
			on upload.Record
			upload.Event
		}{
			{upload.Record{}, reserve}, {r, upload.ExtendHold{HoldUntil: until}}, {r, upload.Complete{Fence: 1, HoldUntil: until}},
		} {
			if _, err := upload.Step(p, e.on, e.Event, now); !errors.Is(err, upload.ErrRefused) {
				t.Errorf("%s: %s gives %v", name, e.Kind(), err)
			}
		}
	}
	attackStep(t, p, r, upload.ExtendHold{HoldUntil: time.Date(9998, 12, 31, 0, 0, 0, 0, time.UTC)}, now)
}

func attackStep(t *testing.T, p policy.Policy, r upload.Record, e upload.Event, now time.Time) upload.Record {
	t.Helper()
	c, err := upload.Step(p, r, e, now)
	if err != nil {
		t.Fatal(err)
	}
	return c.After
}
