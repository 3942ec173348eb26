package deadletter_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Without the giving back, the first look hides the letters from the next, and
// from whoever wants to redrive them.
func TestALookShowsEveryLetterOnceAndTakesNone(t *testing.T) {
	for _, c := range []struct {
		letters, most, shown int
		complete             bool
	}{
		{0, 10, 0, true}, {1, 10, 1, true}, {25, 100, 25, true}, {25, 25, 25, true}, {25, 24, 24, false}, {25, 10, 10, false}, {25, 1, 1, false},
	} {
		w := newWorld()
		w.die(t, c.letters)
		for range 2 {
			shown := map[string]bool{}
			complete, err := w.Look(t.Context(), c.most, func(j deadletter.Judged) error {
				if shown[j.MessageID] {
					t.Errorf("letter %s is shown twice", j.MessageID)
				}
				shown[j.MessageID] = true
				return nil
			})
			must(t, err)
			if len(shown) != c.shown || complete != c.complete {
				t.Errorf("%d letters, at most %d: shown %d, complete %v", c.letters, c.most, len(shown), complete)
			}
			if got := w.dead(t); len(got) != c.letters {
				t.Errorf("%d letters, at most %d: %d can be received after the look", c.letters, c.most, len(got))
			}
		}
		wantNames(t, "in the queue", w.queued(t))
	}
}

// Without the look's own memory of what it has seen, a look that is slower than
// its letters are hidden never ends, or shows them over and over; and it must
// not say that it has seen everything.
func TestALookEndsAlsoWhenItsLettersComeBackMeanwhile(t *testing.T) {
	for _, c := range []struct {
		pace  time.Duration
		shown int
	}{{deadletter.HideFor / 2, 20}, {deadletter.HideFor / 3, 30}} {
		w := newWorld()
		w.die(t, 30)
		w.receiving = func([]command.Letter) { w.now = w.now.Add(c.pace) }
		shown := map[string]bool{}
		complete, err := w.Look(t.Context(), 100, func(j deadletter.Judged) error {
			if shown[j.MessageID] {
				t.Errorf("letter %s is shown twice", j.MessageID)
			}
			shown[j.MessageID] = true
			return nil
		})
		must(t, err)
		if len(shown) != c.shown || complete {
			t.Errorf("%d letters were shown, complete %v", len(shown), complete)
		}
		w.receiving = nil
		if got := w.dead(t); len(got) != 30 {
			t.Errorf("%d letters can be received after the look", len(got))
		}
	}
}

// Without a context of its own, what a person interrupts stays hidden.
func TestALookThatIsInterruptedGivesEverythingBack(t *testing.T) {
	w := newWorld()
	w.die(t, 25)
	ctx, cancel := context.WithCancel(t.Context())
	shown := 0
	_, err := w.Look(ctx, 100, func(deadletter.Judged) error {
		if shown++; shown == 12 {
			cancel()
			return ctx.Err()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := w.dead(t); len(got) != 25 {
		t.Errorf("%d letters can be received after the look", len(got))
	}
}

func TestALookWhoseRecordsCannotBeReadSaysSoAndGivesBack(t *testing.T) {
	w := newWorld()
	w.die(t, 3)
	w.unread = upload.ErrDenied
	_, err := w.Look(t.Context(), 100, func(deadletter.Judged) error { return nil })
	if !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v", err)
	}
	if got := w.dead(t); len(got) != 3 {
		t.Errorf("%d letters can be received after the look", len(got))
	}
}

// Each of those that are not redriven would only come back; redriven all the
// same, they would go round for as long as somebody tries.
func TestWhatRedrivingALetterWouldComeTo(t *testing.T) {
	w := newWorld()
	id := func(name string) upload.ID { return upload.ID{Tenant: "acme", Upload: name} }
	w.cancelled("goes")
	parked := w.cancelled("parked")
	parked.State, parked.ParkedAt, parked.LastError = upload.StateDeleting, w.now.Add(-time.Hour), "access denied"
	w.records[parked.ID] = parked
	held := parked
	held.ID, held.ParkedAt, held.LeaseUntil = id("held"), time.Time{}, w.now.Add(time.Minute)
	w.records[held.ID] = held
	newer := w.cancelled("newer")
	newer.Version = 9
	w.records[newer.ID] = newer
	later := w.cancelled("later")
	later.Schema = upload.Schema + 1
	w.records[later.ID] = later
	future := w.about("goes")
	future.Cutoff = w.now.Add(24 * time.Hour)
	encode := func(c upload.Command) string {
		body, err := command.Encode(c)
		must(t, err)
		return string(body)
	}
	for _, c := range []struct{ body, outlook, against string }{
		{encode(w.about("goes")), "deleted: cancelled", ""},
		{encode(w.about("held")), "waits: held by another worker", ""},
		{encode(w.about("newer")), "nothing to do: newer version", ""},
		{encode(w.about("parked")), "the upload is parked", "the upload is parked"},
		{encode(w.about("never")), "rejected", "no such upload of this tenant"},
		{encode(w.about("later")), "rejected", "record schema unknown"},
		{encode(future), "rejected", "cutoff lies in the future"},
		{"not JSON", "rejected", "message is not a JSON object"},
		{strings.Replace(encode(w.about("goes")), `"schema":1`, `"schema":2`, 1), "rejected", `schema is "2": this version knows only 1`},
	} {
		w.queue.Letters().Put(c.body)
		var got deadletter.Judged
		_, err := w.Look(t.Context(), 1, func(j deadletter.Judged) error { got = j; return nil })
		must(t, err)
		if got.Outlook != c.outlook || got.Against != c.against || got.Redriven() != (c.against == "") || got.Parked != (c.outlook == "the upload is parked") {
			t.Errorf("%s: outlook %q, against it %q; want %q, %q", c.body, got.Outlook, got.Against, c.outlook, c.against)
		}
		if known := got.Command != (upload.Command{}); known != strings.Contains(c.body, `"schema":1`) {
			t.Errorf("%s: the command is %+v", c.body, got.Command)
		}
		_, err = w.Discard(t.Context(), []deadletter.Judged{got})
		must(t, err)
	}
}

func TestALookSaysHowFarItIs(t *testing.T) {
	w := newWorld()
	w.die(t, 25)
	var seen []int
	w.Progress = func(n int) { seen = append(seen, n) }
	_, err := w.Look(t.Context(), 100, func(deadletter.Judged) error { return nil })
	must(t, err)
	if len(seen) != 3 || seen[2] != 25 {
		t.Errorf("it said %v", seen)
	}
}

// Sent to the workers' queue a trigger would be rejected, and dead again.
func TestATriggerIsNoCommandAndIsNotRedriven(t *testing.T) {
	w := newWorld()
	w.queue.Letters().Put(`{"task":"pass","schedule":"every-15m","time":"2026-11-30T12:00:00Z"}`)
	w.Records = nil
	p := w.plan(t, all)
	if len(p.Redriven) != 0 || len(p.Left) != 1 || p.Left[0].Against != "a trigger, not a command" {
		t.Errorf("the plan is %+v", p)
	}
}
