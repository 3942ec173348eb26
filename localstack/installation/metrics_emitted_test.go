package installation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/source"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// emitted reads what the functions write, as CloudWatch does: each metric with
// its unit and dimensions, and the sum of its values.
type emitted struct {
	t   *testing.T
	mu  sync.Mutex
	sum map[string]float64 // by "Parked, Count" or "Skipped, Count, by reason"
	// reasons are the values of the dimension.
	reasons map[string]bool
}

func (e *emitted) Write(text []byte) (int, error) {
	var line map[string]any
	var about struct {
		AWS struct {
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	if err := errors.Join(json.Unmarshal(text, &line), json.Unmarshal(text, &about)); err != nil {
		return 0, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range about.AWS.CloudWatchMetrics {
		if d.Namespace != telemetry.Namespace || len(d.Dimensions) != 1 || line["Ledger"] != "acme-ledger" {
			e.t.Errorf("a line of another installation: %s", text)
		}
		by := ""
		switch dimensions := strings.Join(d.Dimensions[0], " "); dimensions {
		case "Ledger":
		case "Ledger Reason":
			by = ", by reason"
			e.reasons[line["Reason"].(string)] = true
		default:
			e.t.Errorf("dimensions %s", dimensions)
		}
		for _, m := range d.Metrics {
			e.sum[m.Name+", "+m.Unit+by] += line[m.Name].(float64)
		}
	}
	return len(text), nil
}

// documented are the metrics of docs/metrics.md, in the same words.
func documented(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	must(t, err)
	table, _, _ := strings.Cut(string(text), "\n## ")
	var all []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "| `") {
			all = append(all, strings.Trim(strings.TrimSpace(cells[1]), "`")+", "+strings.TrimSpace(cells[2]))
		}
	}
	return all
}

// deaf is a log group that takes nothing.
type deaf struct{}

func (deaf) Put(context.Context, []telemetry.Event) error { return errors.New("denied") }

// A metric that is documented and not written is an alarm that never rings; one
// that is written and not documented is paid for and never seen. Every number
// of the document is more than nothing at least once: it is wired to what it
// says it counts.
func TestAWholeRunEmitsEveryMetricOfTheDocumentAndNoOther(t *testing.T) {
	e := &emitted{t: t, sum: map[string]float64{}, reasons: map[string]bool{}}
	w, compared := measuredWorld(t, e)
	w.passesOfManyKinds(t)
	w.purgesOfManyKinds(t)
	w.noticesOfManyKinds(t)
	w.releasesOfManyKinds(t)
	compared(t)
	w.log.assertFields(t)
	assertTrail(t, w.witness, w.records(t))
	want := documented(t)
	for _, name := range want {
		if sum, written := e.sum[name]; !written || sum == 0 {
			t.Errorf("the document has %q, and the sum of what was written is %v (written: %v)", name, sum, written)
		}
		delete(e.sum, name)
	}
	for name := range e.sum {
		t.Errorf("%q was written, and the document does not have it", name)
	}
	for reason := range e.reasons {
		if reason == string(telemetry.Other) || !slices.Contains(telemetry.Reasons(), telemetry.Reason(reason)) {
			t.Errorf("the reason %q was written", reason)
		}
	}
}

// noticesOfManyKinds: recorded, completed, cancelled, left alone, failed.
func (w *world) noticesOfManyKinds(t *testing.T) {
	t.Helper()
	_, notices := w.browserPuts(t, 1)
	w.script.beforeWrite = on(upload.KindRecordObject, func() error { return upload.ErrDenied })
	if _, err := w.Recorded(t.Context(), notices[0]); err == nil {
		t.Error("a recorder that is denied says that it is done")
	}
	w.script.clear()
	w.wantRecorded(t, "recorded 1, completed 1", notices[0])
	w.wantRecorded(t, "recorded already 1", notices[0])
	s := w.reserve(t, chunks(1), byEvents)
	c, _ := chunkOf(1)
	_, err := s.Presign(t.Context(), c, 0)
	must(t, err)
	key := s.Record().ObjectKey(s.Key(1))
	w.wantRecorded(t, "cancelled 1", w.notice(t, key, w.hands.write(t, key, "something else")))
}

// releasesOfManyKinds: adopted, given up, a reference dropped, left alone,
// parked, failed.
func (w *world) releasesOfManyKinds(t *testing.T) {
	t.Helper()
	a := newApplication(t, w, measuredTable)
	v := w.hands.write(t, "rows/1.jpg", "one")
	a.put(t, "row-1", "rows/1.jpg", v)
	adopted := a.remove(t, "row-1")
	w.script.beforeWrite = on(upload.KindAdopt, func() error { return upload.ErrThrottled })
	if again, err := w.Changed(t.Context(), a.table, adopted); err != nil || len(again) != 1 {
		t.Errorf("the relay wants again: %v, %v", again, err)
	}
	w.script.clear()
	a.tell(t, adopted)
	a.tell(t, adopted) // by itself: of two side by side each may have adopted it
	poison := adopted
	poison.ID, poison.Old = "poison", source.Row{"photo": true}
	a.tell(t, poison)
	referred, given := w.completed(t, 1, 0), w.completed(t, 1, 0)
	must(t, w.app.AddReference(t.Context(), referred.ID(), upload.Reference{Source: "photos", Entity: "row-2"}, 0))
	w.Clock.Advance(time.Minute)
	a.put(t, "row-2", referred.Record().ObjectKey(referred.Key(1)), "")
	a.put(t, "row-3", given.Record().ObjectKey(given.Key(1)), "")
	a.tell(t, a.remove(t, "row-2"), a.remove(t, "row-3"))
	w.wantState(t, referred, upload.StateCancelled)
	w.wantState(t, given, upload.StateCancelled)
}

// measuredTable is the table of the world's application.
const measuredTable = "photos"

// measuredWorld is an installation in memory with all functions, whose
// metrics go to e and whose trail's group is deaf; compared has its reconciler
// meet what it is there for.
func measuredWorld(t *testing.T, e *emitted) (w *world, compared func(*testing.T)) {
	t.Helper()
	p := usual()
	p.MaxAttempts, p.MaxDeleteCount, p.MaxOrphanPercent = 3, 40, 1
	w = newWorld()
	w.witness.trail = telemetry.TrailTo(w.witness, deaf{}, slog.New(w.log))
	clock := installation.NewStillClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	folder := t.TempDir()
	o := w.options(p, clock, photosIn(measuredTable))
	o.Metrics, o.Inventories = telemetry.To(e, "acme-ledger"), delivered(folder)
	i, memory, err := installation.InMemory(t.Context(), o)
	must(t, err)
	w.hands = memoryHands{memory, i.Bucket}
	w.settled(t, i)
	return w, func(t *testing.T) {
		r := &reconciled{t: t, Installation: i, memory: memory, folder: folder}
		for n, what := range []string{"missing", "changed", "corrupt"} {
			r.spoiled(fmt.Sprintf("spoiled-%d", n), what)
		}
		for n := range 3 {
			w.putStranger(t, fmt.Sprintf("imports/%d.png", n))
		}
		w.Clock.Advance(30 * day)
		r.reconcile()
	}
}

// spoiled is a completed upload whose object is not as it was recorded.
func (r *reconciled) spoiled(id, what string) {
	r.t.Helper()
	record := upload.Record{}
	step := func(e upload.Event) {
		c, err := upload.Step(r.Policy, record, e, r.Clock.Now())
		must(r.t, err)
		must(r.t, r.Stores.Ledger.Commit(r.t.Context(), c))
		record = c.After
	}
	step(upload.Reserve{
		ID: upload.ID{Tenant: tenant, Upload: id}, Owner: "o", Holder: "h", Lease: time.Minute, Bucket: r.Bucket, Prefix: "up", Declared: 1,
	})
	k := upload.Key{Attempt: 1, Seq: 1}
	version, size := "never-stored", int64(4)
	if what != "missing" {
		stored := r.memory.Objects.Write(r.Bucket, record.ObjectKey(k), []byte("live"), time.Time{})
		if size = stored.Size; what == "corrupt" {
			version, size = stored.VersionID, size+1
		}
	}
	step(upload.RecordObject{Fence: 1, Seq: 1, VersionID: version, Size: size})
	step(upload.Complete{Fence: 1, List: []upload.Key{k}})
}

// passesOfManyKinds: report-only, marked, repaired, kept, stuck, over the limit.
func (w *world) passesOfManyKinds(t *testing.T) {
	t.Helper()
	w.abandoned(t, 1)                        // to be marked
	w.reserve(t, chunks(1))                  // to be repaired
	stuck := w.reserve(t, hold(time.Hour))   // to be stuck
	renewed := w.reserve(t, hold(time.Hour)) // to be kept
	must(t, stuck.BeginAssembly(t.Context()))
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.ReportOnly))
	w.Clock.Advance(31 * time.Hour)
	must(t, renewed.Heartbeat(t.Context()))
	w.wantPass(t, "kept 1", "stuck 1", "skipped: report-only 2")
	must(t, w.Stores.Gate.SetMode(t.Context(), gate.Delete))
	w.wantPass(t, "kept 1", "stuck 1", "marked 1", "repaired 1")
	w.cancelled(t, 41)
	w.Clock.Advance(afterDeadline)
	w.pass(t) // over the limit
}

// purgesOfManyKinds: what becomes of messages, one of each.
func (w *world) purgesOfManyKinds(t *testing.T) {
	t.Helper()
	w.Clock.Advance(25 * time.Hour)
	denied, slow, lost, locked, revived := w.cancelled(t, 1), w.cancelled(t, 1), w.cancelled(t, 1), w.cancelled(t, 1), w.completed(t, 1, 0)
	must(t, w.app.Release(t.Context(), revived.ID(), owner, "row deleted"))
	r := w.load(t, locked.ID())
	o := r.Manifest.Objects[0]
	w.hands.lock(t, r.ObjectKey(o.Key), o.VersionID, w.Clock.Now().Add(90*day))
	w.Clock.Advance(afterDeadline)
	w.script.delete = func(do store, versions []upload.Condemned) []objects.Result {
		results := do(nil)
		for _, v := range versions {
			switch v.Upload() {
			case denied.ID():
				results = append(results, objects.Result{Condemned: v, Outcome: objects.Denied, Code: "AccessDenied"})
			case slow.ID():
				results = append(results, objects.Result{Condemned: v, Outcome: objects.Throttled, Code: "SlowDown"})
			case lost.ID():
				do([]upload.Condemned{v})
				results = append(results, objects.Result{Condemned: v, Outcome: objects.Unclear})
			default:
				results = append(results, do([]upload.Condemned{v})...)
			}
		}
		return results
	}
	if paused := w.pass(t); paused.Digest != "" && len(paused.Published) == 0 {
		_, err := w.Approve(t.Context(), paused)
		must(t, err)
	}
	must(t, w.app.AddReference(t.Context(), revived.ID(), upload.Reference{Source: "pages", Entity: "1"}, 0))
	w.hands.sendRaw(t, "no command")
	for range 6 { // until the denied one is parked, and a claim is found left behind
		w.drain(t)
		w.Clock.Advance(2 * time.Hour)
	}
	w.script.clear()
	w.drain(t)
	left := w.cancelled(t, 1)
	w.Clock.Advance(afterDeadline)
	w.pass(t)
	w.script.afterWrite = on(upload.KindClaim, w.script.die)
	w.perish(t, about(w.take(t, 1), left))
	w.Clock.Advance(day)
	w.pass(t)
	w.Clock.Advance(time.Hour)
	_, err := w.Pass(t.Context()) // by a census that is an hour old
	must(t, err)
}
