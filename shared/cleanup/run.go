package cleanup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// RunState is where a run is.
type RunState string

// The states of a run. Running, refused and failed ones are taken up again by
// the same trigger; the others have ended. A paused one can be approved.
const (
	RunRunning  RunState = "running"
	RunDone     RunState = "done"
	RunReported RunState = "reported" // gate closed: counted, nothing written
	RunPaused   RunState = "paused"   // over a limit: the plan waits for a person
	RunApproved RunState = "approved" // its stored plan was, or is being, executed
	RunStopped  RunState = "stopped"  // a record shows activity in the future
	RunRefused  RunState = "refused"  // the clock is wrong
	RunFailed   RunState = "failed"
)

func (s RunState) ended() bool {
	return s != "" && s != RunRunning && s != RunRefused && s != RunFailed
}

// Report is a run as it is stored and answered. It holds no object key.
type Report struct {
	Schema   int       `json:"schema"`
	Run      string    `json:"run"`
	Schedule string    `json:"schedule"`
	FireTime time.Time `json:"fire_time"`
	// By is the person who asked for it; empty for a schedule's.
	By    string   `json:"by,omitempty"`
	State RunState `json:"state"`
	// Policy is what its policy sets other than the default, by variable; nil
	// in a run of before this was written down.
	Policy map[string]string `json:"policy"`
	// Reason says in a line why it is in that state, Notes what else happened.
	Reason   string    `json:"reason,omitempty"`
	Notes    []string  `json:"notes,omitempty"`
	Attempt  int       `json:"attempt"`
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	Cutoff   time.Time `json:"cutoff,omitzero"`
	// Tally is of the last attempt; of an approved run it is of the execution.
	Tally PassTally `json:"tally"`
	// Published is how many objects were handed to the queue, by bucket, over
	// all attempts; raised before they are sent.
	Published   map[string]int64 `json:"published,omitempty"`
	PublishedAt time.Time        `json:"published_at,omitzero"`
	Buckets     []BucketVerdict  `json:"buckets,omitempty"`
	// OldestDue is the earliest due of what is to be marked, repaired or
	// purged.
	OldestDue time.Time `json:"oldest_due,omitzero"`
	// Unfinished is how many uploads were found in deleting whose worker let go.
	Unfinished int64 `json:"unfinished,omitempty"`
	// CensusAt is of when the census is that it was judged by; zero if there is
	// none. GateRate is what the gate gives, in object versions per second; zero
	// while it is closed.
	CensusAt time.Time `json:"census_at,omitzero"`
	GateRate int       `json:"gate_rate,omitempty"`
	// More: a shard held more than its share of MaxPerPass.
	More bool `json:"more,omitempty"`
	// Digest names the plan; Pages is how many documents it is stored in.
	Digest   string    `json:"digest,omitempty"`
	Pages    int       `json:"pages,omitempty"`
	PausedAt time.Time `json:"paused_at,omitzero"`
	Approval *Approval `json:"approval,omitempty"`
}

// Approval says who let a paused plan go, and what was published by it: those
// objects do not count against later passes.
type Approval struct {
	By        string           `json:"by"`
	At        time.Time        `json:"at"`
	Published map[string]int64 `json:"published,omitempty"`
}

// overLimit names the first bucket that is over its limit; "" if none is.
func (r Report) overLimit() string {
	for _, b := range r.Buckets {
		if b.Over {
			return b.String()
		}
	}
	return ""
}

const (
	runs      = "RUN#pass"
	runSchema = 1
	// runKept is how long a run's report may be forgotten after.
	runKept = 90 * 24 * time.Hour
)

// RunID names a run: the schedule's own fire time, in milliseconds and UTC so
// that ids sort by it, and the schedule's name.
func RunID(schedule string, fired time.Time) string {
	return fired.UTC().Format("2006-01-02T15:04:05.000Z") + "#" + schedule
}

// run is a run's document in the hands of the pass that works on it.
type run struct {
	documents Documents
	log       *slog.Logger
	report    Report
	revision  int64
}

// openRun reads a run's document; a run that was never heard of has no state.
func (p Pass) openRun(ctx context.Context, id string) (*run, error) {
	doc, err := p.Documents.Get(ctx, runs, id)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", id, err)
	}
	r := &run{documents: p.Documents, log: p.Log.With("run", id), revision: doc.Revision}
	if doc.Revision > 0 {
		if r.report, err = decodeReport(doc); err != nil {
			return nil, err
		}
	}
	r.report.Run = id
	return r, nil
}

func decodeReport(doc ledger.Document) (Report, error) {
	var r Report
	if err := json.Unmarshal(doc.Data, &r); err != nil {
		return Report{}, fmt.Errorf("run %s: %w", doc.ID, err)
	}
	if r.Schema > runSchema {
		return Report{}, fmt.Errorf("run %s: schema %d, this code knows %d", doc.ID, r.Schema, runSchema)
	}
	return r, nil
}

// begin starts an attempt. Published counters of earlier attempts go on.
func (r *run) begin(t Trigger, p policy.Policy, start, cutoff time.Time) {
	old := r.report
	r.report = Report{
		Schema: runSchema, Run: old.Run, Schedule: t.Schedule, FireTime: t.FireTime.UTC(),
		By: t.By, Policy: p.Settings(),
		State: RunRunning, Attempt: old.Attempt + 1, Started: start, Cutoff: cutoff,
		Published: old.Published, PublishedAt: old.PublishedAt,
	}
}

// save stores the report, on the revision that was read or last saved.
func (r *run) save(ctx context.Context) error {
	data, err := json.Marshal(r.report)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.report.Run, err)
	}
	doc := ledger.Document{
		Collection: runs, ID: r.report.Run, Data: data,
		Revision: r.revision, ExpiresAt: r.report.Started.Add(runKept),
	}
	if err := r.documents.Put(ctx, doc); err != nil {
		return fmt.Errorf("store run %s: %w", r.report.Run, err)
	}
	r.revision++
	return nil
}

// note adds a line once.
func (r *run) note(line string) {
	if !slices.Contains(r.report.Notes, line) {
		r.report.Notes = append(r.report.Notes, line)
	}
}

// who decides what the run changes.
func (r *run) who(p Pass) string {
	if r.report.Approval != nil {
		return r.report.Approval.By
	}
	return cmp.Or(p.Who, "scheduler")
}

// end stores how the run ended. It is stored although the caller's time is up.
func (r *run) end(ctx context.Context, now time.Time, s RunState, reason string) (Report, error) {
	r.report.State, r.report.Reason, r.report.Finished = s, reason, now.UTC()
	if err := r.save(context.WithoutCancel(ctx)); err != nil {
		return r.report, err
	}
	level := slog.LevelInfo
	if s == RunPaused || s == RunStopped || s == RunRefused || s == RunFailed {
		level = slog.LevelError
	}
	r.log.Log(ctx, level, "pass ended", "state", s, "reason", reason, "notes", r.report.Notes,
		"candidates", r.report.Tally.Candidates.Uploads, "published", r.report.Tally.Published.Uploads)
	return r.report, nil
}

// fail ends the run for an error; the same trigger takes it up again.
func (r *run) fail(ctx context.Context, now time.Time, cause error) (Report, error) {
	return r.endFor(ctx, now, RunFailed, cause)
}

// endFor ends the run for an error, and returns it.
func (r *run) endFor(ctx context.Context, now time.Time, s RunState, cause error) (Report, error) {
	report, err := r.end(ctx, now, s, cause.Error())
	if err != nil {
		return report, fmt.Errorf("%w (and: %w)", cause, err)
	}
	return report, cause
}

// refuse records that the pass may not run now. A run that somebody else has
// in hand is left as it is.
func (p Pass) refuse(ctx context.Context, r *run, t Trigger, start time.Time, cause error) (Report, error) {
	if r.report.State == RunRunning {
		return r.report, cause
	}
	r.begin(t, p.Policy, start, time.Time{})
	return r.endFor(ctx, start, RunRefused, cause)
}

// describe puts the plan's numbers into the report.
func (r *run) describe(plan *Plan, verdicts []BucketVerdict) {
	stats := plan.Stats()
	r.report.Digest = plan.Digest()
	r.report.OldestDue, r.report.More = stats.OldestDue, stats.More
	r.report.Unfinished = stats.Unfinished
	r.report.Buckets = verdicts
	r.report.Tally = PassTally{Candidates: stats.Candidates}
}

// hold tallies a plan of which nothing is executed.
func (r *run) hold(plan *Plan, reason string) {
	t := PassTally{Candidates: plan.Stats().Candidates}
	for k, c := range plan.all() {
		switch c.action {
		case upload.Keep:
			t.add(lineKept, c.count())
		case upload.Stuck:
			t.add(lineStuck, c.count())
		case upload.Skip:
			t.skip(k.word(c.reason), c.count())
		default:
			t.skip(reason, c.count())
		}
	}
	r.report.Tally = t
}
