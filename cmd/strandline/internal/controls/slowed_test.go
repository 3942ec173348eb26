package controls

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/audit"
)

// A person who finds cleanup slow has to see why, and until when; and how to
// have the whole rate at once: testdata/slowed.txt. -update writes it anew.
func TestWhatAPersonSeesOfAGateThatThrottlesHaveSlowed(t *testing.T) {
	d := newDesk()
	must(t, d.controls("ann").Delete(t.Context(), 0, 0))
	d.out.Reset()
	if _, err := d.gate.Throttled(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := d.controls("bob")
	c.Audit = func(_ context.Context, l audit.Line) {
		fmt.Fprintf(&d.out, "(%s: %s -> %s)\n", l.What, l.Before, l.After)
	}
	for _, step := range []struct {
		line  string
		do    func(Controls) error
		after time.Duration
	}{
		{line: "mode", do: func(c Controls) error { return c.Show(t.Context()) }},
		{line: "mode", after: time.Minute, do: func(c Controls) error { return c.Show(t.Context()) }},
		{line: "mode --json", do: func(c Controls) error { c.JSON = true; return c.Show(t.Context()) }},
		{line: "mode delete", do: func(c Controls) error { return c.Delete(t.Context(), 0, 0) }},
		{line: "rate set 500", do: func(c Controls) error { return c.SetRate(t.Context(), 500, 0) }},
		{line: "rate set 500", do: func(c Controls) error { return c.SetRate(t.Context(), 500, 0) }},
	} {
		d.now = d.now.Add(step.after)
		fmt.Fprintf(&d.out, "$ strandline %s\n", step.line)
		must(t, step.do(c))
		d.out.WriteByte('\n')
	}
	golden.Compare(t, "slowed.txt", d.out.String())
}
