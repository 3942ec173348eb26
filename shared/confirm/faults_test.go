package confirm_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/fault"
	"github.com/strandline-dev/strandline/shared/storageevent"
	"github.com/strandline-dev/strandline/shared/upload"
)

// story is two uploads by events: u-1 of two objects, of which one has to be
// read, and u-2 of another size than stated. What is not done comes again, as a
// queue brings it, to a new process if the one before has died.
func story(w *world) {
	w.t.Helper()
	w.reserve("u-1", true, "front", "reverse")
	w.reserve("u-2", true, "stated")
	left := []storageevent.Created{w.put("u-1", 1, 1, "front"), w.written("u-1", 1, 2, "reverse"), w.put("u-2", 1, 1, "other size")}
	for round := 0; len(left) > 0; round++ {
		if round == 4 {
			w.t.Fatalf("after %d rounds %d events are left: %s", round, len(left), w.log.String())
		}
		var again []storageevent.Created
		for i, o := range w.recorder.Confirm(fault.As(context.Background(), "recorder"), left) {
			if !o.Done() || w.set.Dead("recorder") {
				again = append(again, left[i])
			}
		}
		w.set.Revive("recorder")
		left = again
	}
}

func wantTold(w *world) {
	w.t.Helper()
	w.wantState("u-1", upload.StateComplete, "[1/1 of 5 bytes]", "[1/2 of 7 bytes]")
	if r := w.wantState("u-2", upload.StateCancelled); r.Reason != confirm.ReasonSize {
		w.t.Fatalf("u-2 is cancelled for %q", r.Reason)
	}
}

// Every call of the story fails once, in every way it can, before it took effect
// and after it; and the end is the same. The audit trail has every completion
// and cancellation once, where anybody could know.
func TestWhateverCallFailsOnceTheEventThatComesAgainEndsTheSame(t *testing.T) {
	plain := newWorld(t)
	story(plain)
	wantTold(plain)
	n := 0
	for _, call := range plain.set.Calls() {
		for _, c := range fault.Cases(call.Operation) {
			f := fault.Fault{Call: call, Case: c}
			t.Run(f.String(), func(t *testing.T) {
				w := newWorld(t, f)
				story(w)
				wantTold(w)
				if missed := w.set.Missed(); len(missed) > 0 {
					t.Fatalf("not met: %v", missed)
				}
				if got := strings.Count(w.whats(), "complete u-1") + strings.Count(w.whats(), "cancel u-2"); got != 2 && !untold(c) {
					t.Errorf("the audit trail has %s", w.whats())
				}
			})
			n++
		}
	}
	if n < 50 {
		t.Errorf("only %d faults were tried: %v", n, plain.set.Calls())
	}
}

// untold: nobody is left who knows that it was done, or the answer says that it
// was not, and the application may have done the same.
func untold(c fault.Case) bool {
	switch c.Kind {
	case fault.Death:
		return true
	case fault.Throttled, fault.Denied, fault.Condition:
		return c.When == fault.After
	}
	return false
}

// Events come at least once and in any order: invariant 7 of the protocol.
// Without the look at what is recorded already, a second event of an object
// would count as activity and keep an upload that nobody works on.
func TestAnyOrderAndNumberOfTheSameEventsEndsInTheSameLedger(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		w.reserve("u-1", true, "a", "bb", "")
		w.reserve("u-2", false, "dddd")
		w.reserve("u-3", true, "eeeee")
		all := []storageevent.Created{
			w.put("u-1", 1, 1, "a"), w.written("u-1", 1, 2, "bb"), w.put("u-1", 1, 3, "ccc"),
			w.put("u-2", 1, 1, "dddd"), w.put("u-3", 1, 1, "other"),
		}
		more := rapid.SliceOfN(rapid.SampledFrom(all), 0, 12).Draw(rt, "again")
		order := rapid.Permutation(append(all, more...)).Draw(rt, "order")
		for len(order) > 0 {
			batch := rapid.IntRange(1, len(order)).Draw(rt, "batch")
			w.confirm(order[:batch]...)
			order = order[batch:]
		}
		w.wantState("u-1", upload.StateComplete, "[1/1 of 1 bytes]", "[1/2 of 2 bytes]", "[1/3 of 3 bytes]")
		w.wantState("u-2", upload.StateReceiving, "1/1 of 4 bytes")
		w.wantState("u-3", upload.StateCancelled)
		for id, version := range map[string]int64{"u-1": 5, "u-2": 2, "u-3": 2} {
			if got := w.record(id).Version; got != version {
				rt.Fatalf("upload %s was written %d times, want %d", id, got, version)
			}
		}
	})
}

// Invocations run side by side, and write the same record.
func TestManyRecordersAtOnceLoseNothing(t *testing.T) {
	const chunks, recorders = 24, 4
	w := newWorld(t)
	w.reserve("u-1", true, make([]string, chunks)...)
	var all []storageevent.Created
	for seq := 1; seq <= chunks; seq++ {
		all = append(all, w.put("u-1", 1, seq, "chunk"))
	}
	var group sync.WaitGroup
	tallies := make([]confirm.Tally, recorders)
	for n := range recorders {
		r := &confirm.Recorder{
			Records: w.ledger, Store: w.store, Policy: w.recorder.Policy, Concurrency: 1,
			Now: w.recorder.Now, Sleep: w.recorder.Sleep, Log: w.recorder.Log,
		}
		group.Go(func() { // each begins elsewhere, and has all of them
			tallies[n].Add(r.Confirm(t.Context(), append(all[n*chunks/recorders:len(all):len(all)], all[:n*chunks/recorders]...))...)
		})
	}
	group.Wait()
	var sum confirm.Tally
	for _, tally := range tallies {
		sum.Recorded, sum.Completed, sum.Failed = sum.Recorded+tally.Recorded, sum.Completed+tally.Completed, sum.Failed+tally.Failed
	}
	if sum.Recorded != chunks || sum.Completed != 1 || sum.Failed != 0 {
		t.Errorf("together they say %+v", sum)
	}
	if r := w.record("u-1"); r.State != upload.StateComplete || len(r.Manifest.Objects) != chunks {
		t.Errorf("it is %s with %d objects", r.State, len(r.Manifest.Objects))
	}
}

// A record that moves whenever it is written is given up in the end, and the
// event comes again.
func TestARecordThatAlwaysMovesIsAFailureAndNoLoop(t *testing.T) {
	w := newWorld(t)
	w.reserve("u-1", true, "")
	w.recorder.Records = moving{w.recorder.Records}
	w.want(w.confirm(w.put("u-1", 1, 1, "front")), "failed")
	if log := w.log.String(); !strings.Contains(log, "upload u-1") || !strings.Contains(log, "moved") {
		t.Errorf("the log is %s", log)
	}
}

type moving struct{ confirm.Records }

func (moving) Commit(context.Context, upload.Change) error { return upload.ErrChanged }
