package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/upload"
)

func (w *world) plan(t *testing.T, wanted func(command.Letter) bool) deadletter.Plan {
	t.Helper()
	p, err := w.Plan(t.Context(), wanted)
	must(t, err)
	return p
}

func TestWhatIsRedrivenIsInTheQueueAndNoLongerDead(t *testing.T) {
	w := newWorld()
	w.die(t, 2)
	w.queue.Letters().Put("not JSON")
	p := w.plan(t, all)
	if len(p.Redriven) != 2 || len(p.Left) != 1 || !p.Complete {
		t.Fatalf("the plan redrives %d and leaves %d, complete %v", len(p.Redriven), len(p.Left), p.Complete)
	}
	wantNames(t, "in the queue before", w.queued(t))
	done, err := w.Redrive(t.Context(), p)
	must(t, err)
	if len(done.Letters) != 2 || done.Back != 0 || done.Gone != 0 {
		t.Errorf("done: %+v", done)
	}
	wantNames(t, "in the queue", w.queued(t), "u-1", "u-2")
	wantNames(t, "dead", w.dead(t), "not JSON")
}

// What goes back is the whole command, so that the worker checks it as it would
// have checked the first.
func TestWhatIsRedrivenIsTheSameCommand(t *testing.T) {
	w := newWorld()
	w.die(t, 1)
	_, err := w.Redrive(t.Context(), w.plan(t, all))
	must(t, err)
	got, err := w.queue.Receive(t.Context(), 10, 0)
	must(t, err)
	c, err := command.Decode([]byte(got[0].Body))
	must(t, err)
	if len(got) != 1 || c != w.about("u-1") {
		t.Errorf("sent %+v, want %+v", c, w.about("u-1"))
	}
}

// The letter is discarded last. Discarded first, a crash in between loses the
// command, and with it a purge until the next round of passes; sent first, it is
// delivered twice, and the ledger lets it be done once.
func TestACrashBetweenSendingAndDiscardingLosesNothing(t *testing.T) {
	w := newWorld()
	w.die(t, 3)
	crash := errors.New("the process has died")
	w.discarding = func(string) error { return crash }
	done, err := w.Redrive(t.Context(), w.plan(t, all))
	if !errors.Is(err, crash) || done.Back != 3 {
		t.Errorf("got %+v, %v", done, err)
	}
	wantNames(t, "dead after the crash", w.dead(t), "u-1", "u-2", "u-3")
	w.discarding = nil
	_, err = w.Redrive(t.Context(), w.plan(t, all))
	must(t, err)
	wantNames(t, "in the queue", w.queued(t), "u-1", "u-1", "u-2", "u-2", "u-3", "u-3")
	wantNames(t, "dead", w.dead(t))
}

func TestAQueueThatTakesNothingLeavesEveryLetterWhereItIs(t *testing.T) {
	w := newWorld()
	w.die(t, 12)
	w.sendFails = upload.ErrDenied
	done, err := w.Redrive(t.Context(), w.plan(t, all))
	if !errors.Is(err, upload.ErrDenied) || len(done.Letters) != 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	if got := w.dead(t); len(got) != 12 {
		t.Errorf("%d letters are left", len(got))
	}
}

// Each command has an answer of its own. Without looking at it, what the queue
// has refused is discarded with the rest of its batch, and lost.
func TestOnlyWhatTheQueueHasAcceptedIsDiscarded(t *testing.T) {
	w := newWorld()
	w.die(t, 4)
	w.refused["u-2"] = true
	done, err := w.Redrive(t.Context(), w.plan(t, all))
	if !errors.Is(err, upload.ErrThrottled) || len(done.Letters) != 3 {
		t.Errorf("got %+v, %v", done, err)
	}
	wantNames(t, "in the queue", w.queued(t), "u-1", "u-3", "u-4")
	wantNames(t, "dead", w.dead(t), "u-2")
}

// What was shown and approved is redriven. Without the comparison, whatever has
// died since goes back unseen.
func TestWhatHasDiedSinceThePlanIsNotRedriven(t *testing.T) {
	w := newWorld()
	w.die(t, 1)
	p := w.plan(t, all)
	w.cancelled("late")
	w.dies(t, w.about("late"))
	_, err := w.Redrive(t.Context(), p)
	must(t, err)
	wantNames(t, "in the queue", w.queued(t), "u-1")
	wantNames(t, "dead", w.dead(t), "late")
}

func TestOnlyTheWantedLettersAreRedrivenAmongMany(t *testing.T) {
	w := newWorld()
	w.die(t, 45)
	want := map[string]bool{"u-3": true, "u-44": true}
	p := w.plan(t, func(l command.Letter) bool { return want[nameOf(l.Body)] })
	done, err := w.Redrive(t.Context(), p)
	must(t, err)
	if len(done.Letters) != 2 {
		t.Errorf("done: %+v", done)
	}
	wantNames(t, "in the queue", w.queued(t), "u-3", "u-44")
	if got := w.dead(t); len(got) != 43 {
		t.Errorf("%d letters are left", len(got))
	}
}

func TestALetterThatSomebodyElseHasTakenIsSaidToBeGone(t *testing.T) {
	w := newWorld()
	w.die(t, 2)
	p := w.plan(t, all)
	_, err := w.Discard(t.Context(), p.Redriven[:1])
	must(t, err)
	done, err := w.Redrive(t.Context(), p)
	must(t, err)
	if len(done.Letters) != 1 || done.Gone != 1 {
		t.Errorf("done: %+v", done)
	}
	wantNames(t, "in the queue", w.queued(t), "u-2")
}

func TestALetterThatCameBackBeforeItWasDiscardedIsSaidToBeInBothPlaces(t *testing.T) {
	w := newWorld()
	w.die(t, 1)
	w.discarding = func(string) error { return fmt.Errorf("receipt: %w", upload.ErrAbsent) }
	done, err := w.Redrive(t.Context(), w.plan(t, all))
	must(t, err)
	if done.Back != 1 {
		t.Errorf("done: %+v", done)
	}
	wantNames(t, "in the queue", w.queued(t), "u-1")
}

// A person who interrupts leaves no letter in both places that need not be.
func TestAnInterruptedRedriveDiscardsWhatIsInTheQueue(t *testing.T) {
	w := newWorld()
	w.die(t, 15)
	p := w.plan(t, all)
	ctx, cancel := context.WithCancel(t.Context())
	w.discarding = func(string) error { cancel(); return nil }
	done, err := w.Redrive(ctx, p)
	if !errors.Is(err, context.Canceled) || len(done.Letters) != 10 || done.Back != 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	queued, dead := w.queued(t), w.dead(t)
	if len(queued) != 10 || len(dead) != 5 {
		t.Errorf("%d in the queue, %d dead", len(queued), len(dead))
	}
}

func TestWhatIsDiscardedIsGoneAndNotSent(t *testing.T) {
	w := newWorld()
	w.die(t, 3)
	p := w.plan(t, func(l command.Letter) bool { return nameOf(l.Body) != "u-2" })
	done, err := w.Discard(t.Context(), p.Redriven)
	must(t, err)
	if len(done.Letters) != 2 {
		t.Errorf("done: %+v", done)
	}
	wantNames(t, "in the queue", w.queued(t))
	wantNames(t, "dead", w.dead(t), "u-2")
}

func TestAnEmptyPlanAsksTheQueueForNothing(t *testing.T) {
	w := newWorld()
	w.die(t, 1)
	w.receiving = func([]command.Letter) { t.Error("letters were received") }
	_, err := w.Redrive(t.Context(), deadletter.Plan{})
	must(t, err)
}

// A message that the queue gave up by itself has no reason and no attributes;
// it goes the same way.
func TestWhatTheQueueHasMovedIsRedrivenToo(t *testing.T) {
	w := newWorld()
	w.queue.MoveAfter(1)
	w.cancelled("u-1")
	_, err := w.queue.Send(t.Context(), []upload.Command{w.about("u-1")})
	must(t, err)
	_, err = w.queue.Receive(t.Context(), 1, 0) // the worker dies of it
	must(t, err)
	w.now = w.now.Add(time.Hour)
	wantNames(t, "in the queue before", w.queued(t))
	p := w.plan(t, all)
	if len(p.Redriven) != 1 || !p.Redriven[0].Moved {
		t.Fatalf("the plan is %+v", p)
	}
	_, err = w.Redrive(t.Context(), p)
	must(t, err)
	wantNames(t, "in the queue", w.queued(t), "u-1")
	wantNames(t, "dead", w.dead(t))
}
