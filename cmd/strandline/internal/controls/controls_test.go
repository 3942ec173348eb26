package controls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// desk is a gate in memory, a person before it, and a clock that stands still.
type desk struct {
	gate *gates.Gate
	now  time.Time
	out  strings.Builder
	// asked comes before each answer.
	asked  func()
	answer bool
	queued int64
	depth  error
	skew   time.Duration
}

func newDesk() *desk {
	d := &desk{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), answer: true, queued: 1_204}
	d.gate = gates.New(func() time.Time { return d.now })
	return d
}

// Depth is the queue's; Read the gate's, whose store's clock may be off.
func (d *desk) Depth(context.Context) (int64, error) { return d.queued, d.depth }

func (d *desk) Read(ctx context.Context) (gate.State, error) {
	s, err := d.gate.Read(ctx)
	s.ServerTime = s.ServerTime.Add(-d.skew)
	return s, err
}

func (d *desk) controls(who string) Controls {
	return Controls{
		Gate: d, By: func(by gate.Decision) Switch { return d.gate.By(by) }, Queue: d,
		Name: "main", Table: "strandline-ledger", Rate: 500, Burst: 1000, MaxSkew: 5 * time.Minute,
		Now: func() time.Time { return d.now }, Who: who, Out: &d.out,
		Ask: func(question string) (bool, error) {
			fmt.Fprintf(&d.out, "%s [y/N] %v\n", question, d.answer)
			if d.asked != nil {
				d.asked()
			}
			return d.answer, nil
		},
	}
}

func (d *desk) state(t *testing.T) gate.State {
	t.Helper()
	s, err := d.gate.Read(t.Context())
	must(t, err)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a person sees from the first look to a pause and back, reviewed as a
// text: testdata/story.txt. -update writes it anew.
func TestWhatAPersonSeesFromTheFirstLookToAPauseAndBack(t *testing.T) {
	d := newDesk()
	for _, step := range []struct {
		line string
		do   func(Controls) error
		no   bool // is what the person answers
	}{
		{line: "mode", do: func(c Controls) error { return c.Show(t.Context()) }},
		{line: "mode delete --rate 5 --burst 10", do: func(c Controls) error { return c.Delete(t.Context(), 5, 10) }, no: true},
		{line: "mode delete", do: func(c Controls) error { return c.Delete(t.Context(), 0, 0) }},
		{line: "mode delete", do: func(c Controls) error { return c.Delete(t.Context(), 0, 0) }},
		{line: "rate set 50 --burst 100", do: func(c Controls) error { return c.SetRate(t.Context(), 50, 100) }},
		{line: "rate set 50", do: func(c Controls) error { return c.SetRate(t.Context(), 50, 0) }},
		{line: "rate set 0", do: func(c Controls) error { return c.SetRate(t.Context(), 0, 0) }},
		{line: "rate set 1 --burst 2000000", do: func(c Controls) error { return c.SetRate(t.Context(), 1, 2_000_000) }},
		{line: "pause", do: func(c Controls) error { return c.Pause(t.Context()) }},
		{line: "mode report-only", do: func(c Controls) error { return c.Report(t.Context()) }},
		{line: "resume", do: func(c Controls) error { return c.Resume(t.Context()) }},
		{line: "resume", do: func(c Controls) error { return c.Resume(t.Context()) }},
		{line: "pause", do: func(c Controls) error { return c.Pause(t.Context()) }},
		{line: "mode delete --rate 1 --burst 1", do: func(c Controls) error { return c.Delete(t.Context(), 1, 1) }},
		{line: "resume", do: func(c Controls) error { return c.Resume(t.Context()) }, no: true},
		{line: "resume", do: func(c Controls) error { return c.Resume(t.Context()) }},
	} {
		d.now = d.now.Add(90 * time.Minute)
		d.answer = !step.no
		fmt.Fprintf(&d.out, "$ strandline %s\n", step.line)
		if err := step.do(d.controls("ann")); err != nil {
			fmt.Fprintf(&d.out, "strandline: %v\n", err)
		}
		d.out.WriteByte('\n')
	}
	golden.Compare(t, "story.txt", d.out.String())
}

func TestProgramsGetOneDocumentAndNothingElse(t *testing.T) {
	d := newDesk()
	d.skew = 3 * time.Second
	c := d.controls("ann")
	c.JSON, c.Ask = true, nil
	must(t, c.Show(t.Context()))
	must(t, c.Delete(t.Context(), 0, 0))
	must(t, c.Delete(t.Context(), 0, 0))
	c.Queue = nil
	must(t, c.Pause(t.Context()))
	golden.Compare(t, "lines.jsonl", d.out.String())
}

// Without the revision in the decision, a person who was shown ann's pause
// and thinks about it ends the one that bob makes meanwhile.
func TestWhatIsDecidedWhileAPersonThinksWins(t *testing.T) {
	for name, do := range map[string]func(Controls) error{
		"resume":   func(c Controls) error { return c.Resume(t.Context()) },
		"delete":   func(c Controls) error { return c.Delete(t.Context(), 0, 0) },
		"rated":    func(c Controls) error { return c.Delete(t.Context(), 7, 7) },
		"set rate": func(c Controls) error { return c.SetRate(t.Context(), 7, 7) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk()
			must(t, d.gate.SetRate(t.Context(), 100, 100))
			must(t, d.gate.Pause(t.Context()))
			d.asked = func() { must(t, d.controls("bob").Pause(t.Context())) }
			if err := do(d.controls("ann")); !errors.Is(err, upload.ErrChanged) {
				t.Errorf("got %v, want %v", err, upload.ErrChanged)
			}
			if s := d.state(t); !s.Paused || s.DecidedBy != "bob" || s.Rate != 100 || s.Mode != gate.ReportOnly {
				t.Errorf("the gate is %+v: expected bob's pause and nothing else", s)
			}
		})
	}
}

// A pause comes between the rate and the mode that a person agreed to: the
// mode must not be set over it.
func TestAPauseBetweenTheRateAndTheModeLeavesTheModeAndSaysSo(t *testing.T) {
	d := newDesk()
	c := d.controls("ann")
	c.By = func(by gate.Decision) Switch {
		if by.Saw == 1 {
			must(t, d.gate.Pause(t.Context()))
		}
		return d.gate.By(by)
	}
	err := c.Delete(t.Context(), 0, 0)
	if !errors.Is(err, upload.ErrChanged) || !strings.Contains(err.Error(), "the rate is set, the mode is not") {
		t.Errorf("got %v", err)
	}
	if s := d.state(t); s.Mode != gate.ReportOnly || !s.Paused || s.Rate != 500 {
		t.Errorf("the gate is %+v", s)
	}
}

func TestNothingIsDoneForOneWhoSaysNoOrIsNotThere(t *testing.T) {
	d := newDesk()
	must(t, d.gate.Pause(t.Context()))
	before := d.state(t)
	nobody := errors.New("nobody")
	for _, answer := range []error{nil, nobody} {
		c := d.controls("ann")
		c.Ask = func(string) (bool, error) { return false, answer }
		for name, err := range map[string]error{
			"delete": c.Delete(t.Context(), 1, 1), "resume": c.Resume(t.Context()), "set rate": c.SetRate(t.Context(), 1, 1),
		} {
			if !errors.Is(err, consent.ErrDeclined) && !errors.Is(err, nobody) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
	if after := d.state(t); after != before {
		t.Errorf("the gate is %+v, was %+v", after, before)
	}
}

// The gate reckons what was given ahead by the clock of whoever sets the rate:
// one that is an hour behind would shut it for hours.
func TestNoRateIsSetByAClockThatIsWrong(t *testing.T) {
	for _, off := range []time.Duration{-6 * time.Minute, 6 * time.Minute} {
		d := newDesk()
		d.skew = off
		c := d.controls("ann")
		for name, err := range map[string]error{"set rate": c.SetRate(t.Context(), 7, 7), "delete": c.Delete(t.Context(), 0, 0)} {
			if err == nil || !strings.Contains(err.Error(), "clock is 6m0s off") {
				t.Errorf("%s with a clock %s off: got %v", name, off, err)
			}
		}
		if s := d.state(t); s.Revision != 0 {
			t.Errorf("the gate is %+v", s)
		}
		must(t, c.Pause(t.Context())) // but anybody may stop
	}
}

// broken is a gate that cannot be written, or not be read after it was.
type broken struct {
	*desk
	write, read error
}

func (b broken) Pause(ctx context.Context) error {
	if b.write != nil {
		return b.write
	}
	return b.gate.Pause(ctx)
}
func (b broken) SetMode(context.Context, gate.Mode) error { return b.write }
func (b broken) Resume(context.Context) error             { return b.write }
func (b broken) SetRate(context.Context, int, int) error  { return b.write }
func (b broken) Read(context.Context) (gate.State, error) { return gate.State{}, b.read }

// A person who wants to stop must never take a failure for a stop, nor a stop
// for a failure.
func TestAStopThatFailsSaysThatDeletesMayGoOn(t *testing.T) {
	d := newDesk()
	lost := errors.New("connection broke")
	c := d.controls("ann")
	c.By = func(gate.Decision) Switch { return broken{desk: d, write: lost} }
	for name, err := range map[string]error{"pause": c.Pause(t.Context()), "report-only": c.Report(t.Context())} {
		if !errors.Is(err, lost) || !strings.HasPrefix(err.Error(), "deletes may go on: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	c = d.controls("ann")
	c.Gate = broken{desk: d, read: lost}
	if err := c.Pause(t.Context()); !errors.Is(err, lost) || !strings.HasPrefix(err.Error(), "paused: no delete starts later than 10s") {
		t.Errorf("got %v", err)
	}
	if !d.state(t).Paused {
		t.Error("it is not paused")
	}
}

// Else whoever interrupts the look at the gate after a pause is told only that
// they have interrupted it, and not that it is paused.
func TestAnInterruptAfterAPauseLeavesItSaidThatItIsPaused(t *testing.T) {
	d := newDesk()
	c := d.controls("ann")
	c.Gate = broken{desk: d, read: context.Canceled}
	if err := c.Pause(t.Context()); !errors.Is(err, ErrUnsettled) || !strings.HasPrefix(err.Error(), "paused: no delete starts later than 10s") {
		t.Errorf("got %v", err)
	}
}

// A wrong --gate makes a gate of its own, and pausing that one stops nobody. The
// person who reads "paused" goes back to bed.
func TestAStopOfAGateThatNeverOpenedSaysThatDeletesMayGoOn(t *testing.T) {
	d := newDesk()
	c := d.controls("ann")
	for name, stop := range map[string]func(context.Context) error{"pause": c.Pause, "report-only": c.Report} {
		d.out.Reset()
		must(t, stop(t.Context()))
		if !strings.Contains(d.out.String(), "\n"+neverOpen+"\n") {
			t.Errorf("%s says\n%s", name, d.out.String())
		}
	}
	c.JSON = true
	d.out.Reset()
	must(t, c.Pause(t.Context()))
	if !strings.Contains(d.out.String(), `"note":"`+neverOpen+`"`) {
		t.Errorf("for programs: %s", d.out.String())
	}
	must(t, d.gate.SetRate(t.Context(), 5, 10))
	d.out.Reset()
	must(t, c.Pause(t.Context()))
	if strings.Contains(d.out.String(), "note") {
		t.Errorf("one that may have been open: %s", d.out.String())
	}
}

func TestEachDecisionIsALineOfTheTrailAndNothingElseIs(t *testing.T) {
	d := newDesk()
	var lines []string
	c := d.controls("ann")
	c.Audit = func(_ context.Context, l audit.Line) {
		lines = append(lines, fmt.Sprintf("%s %s %s %s: %s -> %s %s", l.At.Format(time.TimeOnly), l.Who, l.What, l.Gate, l.Before, l.After, l.Outcome))
	}
	must(t, c.Show(t.Context()))
	must(t, c.Delete(t.Context(), 5, 10))
	must(t, c.Delete(t.Context(), 0, 0))
	must(t, c.Pause(t.Context()))
	must(t, c.Resume(t.Context()))
	must(t, c.Resume(t.Context()))
	must(t, c.Report(t.Context()))
	d.asked = func() { must(t, d.gate.Pause(t.Context())) }
	if err := c.SetRate(t.Context(), 7, 7); err == nil {
		t.Error("a rate was set over another's decision")
	}
	c.By = func(gate.Decision) Switch {
		return broken{desk: d, write: fmt.Errorf("timeout: %w", upload.ErrUnclear)}
	}
	if err := c.Pause(t.Context()); !errors.Is(err, ErrUnsettled) {
		t.Errorf("got %v", err)
	}
	want := []string{
		"12:00:00 ann gate-rate main: report-only -> report-only, 5 a second, 10 at once ",
		"12:00:00 ann gate-mode main: report-only, 5 a second, 10 at once -> delete, 5 a second, 10 at once ",
		"12:00:00 ann gate-pause main:  -> paused ",
		"12:00:00 ann gate-resume main: delete, paused, 5 a second, 10 at once -> delete, 5 a second, 10 at once ",
		"12:00:00 ann gate-mode main:  -> report-only ",
		"12:00:00 ann gate-pause main:  -> paused unclear",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestAQueueThatCannotBeReadKeepsNobodyFromStopping(t *testing.T) {
	d := newDesk()
	d.depth = errors.New("access denied")
	must(t, d.controls("ann").Pause(t.Context()))
	if !d.state(t).Paused || !strings.Contains(d.out.String(), "queued   not known: access denied\n") {
		t.Errorf("it says:\n%s", d.out.String())
	}
}

// A name is whatever somebody typed elsewhere; a clock that is off is said
// before anybody reckons with it.
func TestALookShowsAStrangeNameInOneLineAndAClockThatIsOff(t *testing.T) {
	d := newDesk()
	must(t, d.controls("ann\x1b[2J\nmode delete").Pause(t.Context()))
	d.out.Reset()
	d.skew = -6 * time.Minute
	must(t, d.controls("bob").Show(t.Context()))
	for _, line := range []string{
		`decided  by ann\x1b[2J\nmode delete, 2026-11-30T12:00:00Z`, "\nclock    this machine's is 6m0s off the store's: set it right\n",
	} {
		if !strings.Contains(d.out.String(), line) {
			t.Errorf("it does not show %q:\n%s", line, d.out.String())
		}
	}
}
