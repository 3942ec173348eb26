package meter

import (
	"strings"
	"testing"
	"time"
)

// clock is a clock that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestOnATerminalTheLineSaysHowFarHowFastAndHowLongStill(t *testing.T) {
	c, out := &clock{at: time.Unix(1e9, 0)}, &strings.Builder{}
	m := New(out, true, c.now)
	m.Show(State{Stage: "read", Unit: "rows", Total: 1000})
	c.at = c.at.Add(10 * time.Second)
	m.Show(State{Stage: "read", Unit: "rows", Done: 25_000, Bytes: 250, Total: 1000})
	if got := out.String(); !strings.Contains(got, "\rread: 25,000 rows, 2,500/s, 25 %, 30s left") {
		t.Errorf("shown: %q", got)
	}
}

func TestBetweenTwoLinesIsAMoment(t *testing.T) {
	c, out := &clock{at: time.Unix(1e9, 0)}, &strings.Builder{}
	m := New(out, true, c.now)
	for range 100 {
		m.Show(State{Stage: "read", Unit: "rows"})
		c.at = c.at.Add(10 * time.Millisecond)
	}
	if n := strings.Count(out.String(), "\r"); n != 5 {
		t.Errorf("%d lines in a second", n)
	}
}

func TestANewStageBeginsItsOwnTimeAndAShorterLineCoversALongerOne(t *testing.T) {
	c, out := &clock{at: time.Unix(1e9, 0)}, &strings.Builder{}
	m := New(out, true, c.now)
	m.Show(State{Stage: "read everything", Unit: "rows", Done: 5})
	c.at = c.at.Add(time.Minute)
	m.Show(State{Stage: "look", Unit: "keys", Done: 60})
	m.Clear()
	lines := strings.Split(out.String(), "\r")
	if lines[2] != "look: 60 keys          " || strings.TrimSpace(lines[3]) != "" || len(lines[3]) != len(lines[1]) {
		t.Errorf("shown: %q", lines)
	}
}

// A log file full of carriage returns is of no use to anybody.
func TestElsewhereNothingIsShown(t *testing.T) {
	out := &strings.Builder{}
	m := New(out, false, time.Now)
	m.Show(State{Stage: "read", Unit: "rows", Done: 1})
	m.Clear()
	(&Meter{}).Show(State{})
	if out.Len() != 0 {
		t.Errorf("shown: %q", out)
	}
}
