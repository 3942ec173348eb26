package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func claim() upload.Change {
	id := upload.ID{Tenant: "acme", Upload: "u-1"}
	return upload.Change{
		Event:  upload.KindClaim,
		Before: upload.Record{ID: id, State: upload.StateCancelled, Version: 4, Fence: 2},
		After:  upload.Record{ID: id, State: upload.StateDeleting, Version: 5, Fence: 3, Token: "t", Attempts: 1},
	}
}

func TestALineSaysWhatBecameOfTheRecord(t *testing.T) {
	want := audit.Line{
		At: noon, What: "claim", Attempt: 1, Tenant: "acme", Upload: "u-1", Version: 5, Fence: 3, Before: "cancelled", After: "deleting",
	}
	if d := cmp.Diff(want, audit.Of(claim(), noon)); d != "" {
		t.Error(d)
	}
}

// Without the token and the fence another worker's claim would be taken for
// one's own; without the version, what was not done for done.
func TestAfterALostAnswerTheRecordSaysWhatWasDone(t *testing.T) {
	c := claim()
	anothers, later, regressed := c.After, c.After, c.After
	anothers.Token, later.Version, regressed.Fence = "another's", 6, 9
	for name, x := range map[string]struct {
		stored  upload.Record
		done    bool
		outcome string
	}{
		"as it was: not done":                 {c.Before, false, ""},
		"as it was to be: done":               {c.After, true, ""},
		"another's claim at the same version": {anothers, true, audit.Unclear},
		"moved on":                            {later, true, audit.Unclear},
		"another fence":                       {regressed, true, audit.Unclear},
	} {
		l, done := audit.Lost(audit.Of(c, noon), c, x.stored)
		if done != x.done || l.Outcome != x.outcome {
			t.Errorf("%s: line %v, outcome %q", name, done, l.Outcome)
		}
	}
}

func TestALineIsInUTCAndOfThisSchemaAndNobodyMayListen(t *testing.T) {
	var got audit.Line
	audit.To(func(_ context.Context, l audit.Line) { got = l }).Write(t.Context(), audit.Line{At: noon.In(time.FixedZone("x", 3600))})
	if got.Schema != audit.Schema || got.At.Location() != time.UTC || !got.At.Equal(noon) {
		t.Errorf("the line is %+v", got)
	}
	audit.To(nil).Write(t.Context(), audit.Line{})
}
