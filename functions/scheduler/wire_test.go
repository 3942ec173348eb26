package scheduler_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/functions/scheduler"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/gate"
	gatewire "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgerwire "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema"
	"github.com/strandline-dev/strandline/shared/schema/create"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) { localstacktest.Main(m) }

// wire is an installation of its own over HTTP, on the machine's clock.
type wire struct {
	t      *testing.T
	policy policy.Policy
	app    *scheduler.App
	ledger *ledgerwire.Store
	gate   *gatewire.Gate
	queue  *sqs.Queue
}

func newWire(t *testing.T) *wire {
	t.Helper()
	p := policy.Default()
	cloud := localstacktest.Config(t)
	in, err := schema.New("sched-"+strings.ToLower(rand.Text()[:10]), p, "uploads")
	must(t, err)
	made, err := create.Create(t.Context(), create.For(cloud), in)
	must(t, err)
	must(t, made.KeepExpired(t.Context()))
	cfg, err := scheduler.FromEnv(map[string]string{
		"STRANDLINE_TABLE": in.Ledger.Name, "STRANDLINE_QUEUE_URL": made.PurgeURL, "STRANDLINE_LOG_LEVEL": "error",
	})
	must(t, err)
	app, err := scheduler.New(cfg, cloud)
	must(t, err)
	w := &wire{
		t: t, policy: p, app: app,
		ledger: ledgerwire.New(awsconf.DynamoDB(cloud), in.Ledger.Name),
		gate:   gatewire.New(awsconf.DynamoDB(cloud), in.Ledger.Name, "main", time.Now),
		queue:  sqs.New(awsconf.SQS(cloud), made.PurgeURL, made.DeadLetterURL),
	}
	must(t, w.gate.SetMode(t.Context(), gate.Delete))
	return w
}

// put writes n uploads, reserved so long ago and then taken through the events.
func (w *wire) put(name string, n int, ago time.Duration, change func(*upload.Reserve), events ...upload.Event) []upload.ID {
	w.t.Helper()
	at := time.Now().Add(-ago)
	ids := make([]upload.ID, n)
	for i := range ids {
		ids[i] = upload.ID{Tenant: "acme", Upload: fmt.Sprintf("%s-%03d", name, i)}
		reserve := upload.Reserve{
			ID: ids[i], Owner: "o", Holder: "w", Lease: time.Minute, Deadline: time.Minute,
			HoldUntil: at.Add(time.Hour), Bucket: "uploads", Declared: 2,
		}
		if change != nil {
			change(&reserve)
		}
		r := upload.Record{}
		for _, e := range append([]upload.Event{reserve}, events...) {
			c, err := upload.Step(w.policy, r, e, at)
			must(w.t, err)
			must(w.t, w.ledger.Commit(w.t.Context(), c))
			r = c.After
		}
	}
	return ids
}

func (w *wire) handle(task string, fired time.Time) scheduler.Answer {
	w.t.Helper()
	raw := fmt.Sprintf(`{"task":%q,"schedule":"every-15m","time":%q}`, task, fired.UTC().Format(time.RFC3339))
	answer, err := w.app.Handle(w.t.Context(), json.RawMessage(raw))
	must(w.t, err)
	return answer
}

// received takes what is in the queue, until a poll finds nothing.
func (w *wire) received() map[upload.ID]upload.Command {
	w.t.Helper()
	all := map[upload.ID]upload.Command{}
	for {
		got, err := w.queue.Receive(w.t.Context(), 10, time.Second)
		must(w.t, err)
		if len(got) == 0 {
			return all
		}
		for _, m := range got {
			c, err := command.Decode([]byte(m.Body))
			must(w.t, err)
			all[c.ID] = c
			must(w.t, w.queue.Acknowledge(w.t.Context(), m.Receipt))
		}
	}
}

func (w *wire) wantStates(ids []upload.ID, want upload.State) {
	w.t.Helper()
	records, err := w.ledger.LoadMany(w.t.Context(), ids)
	must(w.t, err)
	for _, r := range records {
		if r.State != want {
			w.t.Errorf("upload %s is %s, want %s", r.ID, r.State, want)
		}
	}
}

func noHold(r *upload.Reserve) { r.HoldUntil = time.Time{} }

func TestPassOverTheWire(t *testing.T) {
	w := newWire(t)
	const day = 24 * time.Hour
	purge := w.put("purge", 45, 2*time.Hour, nil, upload.Cancel{Fence: 1, Reason: "test"})
	mark := w.put("mark", 12, 2*day, nil)
	repair := w.put("repair", 7, 2*day, noHold)
	kept := w.put("kept", 3, 2*time.Hour, nil) // the hold is over, the activity is not
	stuck := w.put("stuck", 2, 2*day, nil, upload.BeginAssembly{Fence: 1})
	w.put("young", 5, time.Minute, nil)

	fired := time.Now()
	if got := w.handle("census", fired).Census["uploads"].Objects; got != 2*74 {
		t.Errorf("census counted %d objects, want %d", got, 2*74)
	}
	report := w.handle("pass", fired).Pass
	want := map[string][2]int64{
		"candidates": {69, 138}, "kept": {3, 6}, "marked": {12, 24}, "repaired": {7, 14}, "stuck": {2, 4}, "published": {45, 90},
	}
	for name, got := range map[string]cleanup.Amount{
		"candidates": report.Tally.Candidates, "kept": report.Tally.Kept, "marked": report.Tally.Marked,
		"repaired": report.Tally.Repaired, "stuck": report.Tally.Stuck, "published": report.Tally.Published,
	} {
		if got.Uploads != want[name][0] || got.Objects != want[name][1] {
			t.Errorf("%s: %d uploads, %d objects, want %v", name, got.Uploads, got.Objects, want[name])
		}
	}
	if report.State != cleanup.RunDone || len(report.Notes) != 0 {
		t.Errorf("run is %q, notes %q", report.State, report.Notes)
	}
	w.wantStates(mark, upload.StateExpired)
	w.wantStates(repair, upload.StateCancelled)
	w.wantStates(kept, upload.StateReceiving)
	w.wantStates(stuck, upload.StateAssembling)
	sent := w.received()
	for _, id := range purge {
		if c, ok := sent[id]; !ok || c.Run != report.Run || c.Operation != upload.OpClaim {
			t.Errorf("upload %s: command %+v", id, c)
		}
	}
	if len(sent) != len(purge) {
		t.Errorf("%d commands, want %d", len(sent), len(purge))
	}
	// The next pass finds nothing: cursors have moved, dues have been deferred.
	next := w.handle("pass", fired.Add(time.Second)).Pass
	if next.Tally.Candidates.Uploads != 0 || len(w.received()) != 0 {
		t.Errorf("the next pass found:\n%s", next.Tally)
	}
}

func TestPausedPlanIsStoredAndApprovedOverTheWire(t *testing.T) {
	w := newWire(t)
	purge := w.put("purge", 51, 2*time.Hour, nil, upload.Cancel{Fence: 1, Reason: "test"}) // 102 objects, the limit is 100
	fired := time.Now()
	w.handle("census", fired)
	report := w.handle("pass", fired).Pass
	if report.State != cleanup.RunPaused || len(w.received()) != 0 {
		t.Fatalf("run is %q (%s)", report.State, report.Reason)
	}
	done, err := w.app.Approve(t.Context(), report.Run, report.Digest, "ada")
	must(t, err)
	if sent := w.received(); len(sent) != len(purge) || done.State != cleanup.RunApproved {
		t.Errorf("approved run is %q and published %d of %d", done.State, len(sent), len(purge))
	}
	if again := w.handle("pass", fired.Add(time.Second)).Pass; again.State != cleanup.RunDone || len(w.received()) != 0 {
		t.Errorf("the next pass is %q:\n%s", again.State, again.Tally)
	}
}
