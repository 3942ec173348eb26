package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// told are uploads on the wire, each told by events at instants of its own.
type told struct {
	t      *testing.T
	ledger *dynamo.Store
}

func tellOnWire(t *testing.T, prefix string) told {
	t.Helper()
	onWire(t)
	cfg := localstacktest.Config(t)
	in, _ := created(t, cfg, prefix)
	t.Setenv("STRANDLINE_TABLE", in.Ledger.Name)
	return told{t, dynamo.New(awsconf.DynamoDB(cfg), in.Ledger.Name)}
}

// at applies events to an upload as they happened at an instant.
func (w told) at(when time.Time, id upload.ID, events ...upload.Event) upload.Record {
	w.t.Helper()
	r, err := w.ledger.Load(w.t.Context(), id)
	must(w.t, err)
	for _, e := range events {
		change, err := upload.Step(policy.Default(), r, e, when)
		must(w.t, err)
		must(w.t, w.ledger.Commit(w.t.Context(), change))
		r = change.After
	}
	return r
}

func (w told) reserve(when time.Time, name string, declared int) upload.ID {
	w.t.Helper()
	id := upload.ID{Tenant: "acme", Upload: name}
	w.at(when, id, upload.Reserve{
		ID: id, Owner: "alice", Holder: "writer-1", Lease: time.Minute, Deadline: time.Minute,
		Bucket: "uploads-eu", Prefix: "up", Declared: declared,
	})
	return id
}

// parked is an upload whose purge was denied until its attempts were used up,
// days ago.
func (w told) parked(name string, declared int) upload.ID {
	w.t.Helper()
	then := time.Now().Add(-72 * time.Hour).Truncate(time.Millisecond) // the ledger's precision
	id := w.reserve(then, name, declared)
	r := w.at(then, id, upload.Cancel{Fence: 1})
	then = then.Add(time.Hour)
	r = w.at(then, id, upload.Claim{Version: r.Version, Cutoff: then.Add(-5 * time.Minute), Worker: "w", Token: "t"})
	for r.ParkedAt.IsZero() {
		r = w.at(then, id, upload.Retry{Fence: r.Fence, Error: "delete: access denied"})
		if r.ParkedAt.IsZero() {
			r = w.at(then, id, upload.Reclaim{Worker: "w", Token: fmt.Sprintf("t-%d", r.Attempts)})
		}
	}
	return id
}

// TestWhatWaitsForAPersonIsListedExplainedAndLetGoOnOnTheWire: the operator's
// whole way.
func TestWhatWaitsForAPersonIsListedExplainedAndLetGoOnOnTheWire(t *testing.T) {
	w := tellOnWire(t, "command-waits")
	old := time.Now().Add(-60 * time.Hour)
	stuck := w.reserve(old, "u-stuck", 2)
	w.at(old, stuck, upload.BeginAssembly{Fence: 1})
	w.reserve(time.Now(), "u-fresh", 2)
	first, second := w.parked("u-parked-1", 2), w.parked("u-parked-2", 400)
	w.parked("u-parked-3", 1)
	for _, step := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"stuck", "list"}, exitFindings, "u-stuck     2 d  alice  uploads-eu        2    0 B  assembling too long\n\n1 upload is stuck\n"},
		{[]string{"stuck", "list", "--tenant", "rival"}, exitOK, "nothing is stuck\n"},
		{[]string{"parked", "list"}, exitFindings, "3 uploads wait for a person"},
		{[]string{"parked", "list", "--tenant", "rival"}, exitOK, "nothing is parked\n"},
		{[]string{"explain", "acme", "u-stuck"}, exitOK, "state        assembling, stuck\n"},
		{[]string{"explain", "acme", "u-fresh"}, exitOK, "from being cancelled as timed out:\n"},
		{[]string{"explain", "acme", "u-parked-2", "--keys", "3"}, exitOK, "up/acme/u-parked-2/1/3  not known     -\n  and 397 more; --keys -1 shows all\n"},
		{[]string{"explain", "rival", "u-stuck"}, exitOK, "Tenant rival has no such upload"},
		{[]string{"parked", "retry", "acme", "u-stuck", "--yes"}, exitFailed, "is not parked: it is assembling"},
		{[]string{"parked", "retry", "rival", "u-stuck", "--yes"}, exitFailed, "tenant rival has no upload u-stuck"},
		{[]string{"parked", "retry", "acme", "u-parked-1"}, exitFailed, "there is nobody to ask"},
		{[]string{"parked", "retry", "acme", "u-parked-1", "--yes"}, exitOK, "acme  u-parked-1  retried\nnext: from "},
		{[]string{"parked", "retry", "acme", "u-parked-1", "--yes"}, exitFailed, "is not parked: it is deleting"},
		{[]string{"parked", "retry", "--all", "--yes", "--tenant", "rival"}, exitOK, "nothing is parked"},
		{[]string{"parked", "retry", "--all", "--yes"}, exitOK, "acme  u-parked-2  retried\n"},
		{[]string{"parked", "list"}, exitOK, "nothing is parked\n"},
		{[]string{"explain", "acme", "u-parked-2"}, exitOK, "a pass hands it to the workers"},
	} {
		got := runLine(t.Context(), step.args...)
		if got.code != step.code || !strings.Contains(got.out+got.errs, step.says) {
			t.Errorf("%v: exit %d, expected %d with %q; it says\n%s%s", step.args, got.code, step.code, step.says, got.out, got.errs)
		}
		if got.code == exitFailed && strings.Count(got.errs, "\n") != 1 {
			t.Errorf("%v: more than one line: %q", step.args, got.errs)
		}
	}
	for _, id := range []upload.ID{first, second} {
		r, err := w.ledger.Load(t.Context(), id)
		must(t, err)
		if !r.ParkedAt.IsZero() || r.Attempts != 0 || r.DueAt.IsZero() {
			t.Errorf("%s: parked at %v, %d attempts, due %v", id, r.ParkedAt, r.Attempts, r.DueAt)
		}
	}
	got := runLine(t.Context(), "explain", "acme", "u-stuck", "--json")
	var page map[string]any
	must(t, json.Unmarshal([]byte(got.out), &page))
	if page["stuck"] != true || page["state"] != "assembling" || page["exists"] != true {
		t.Errorf("as JSON: %v", page)
	}
}
