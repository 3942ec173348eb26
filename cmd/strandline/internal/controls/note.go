package controls

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// ErrUnsettled: a call was not answered, or broken off. The gate may be as it
// was wanted, or as it was before.
var ErrUnsettled = errors.New("\"strandline mode\" shows whether it was done")

// note writes a decision into the trail, unless it surely changed nothing. It
// hands the error on, and says where nobody knows.
func (c Controls) note(ctx context.Context, what, before, after string, err error) error {
	l := audit.Line{At: c.Now(), Who: c.Who, What: what, Gate: c.Name, Before: before, After: after}
	switch {
	case unsettled(err):
		l.Outcome, err = audit.Unclear, fmt.Errorf("%w; %w", err, ErrUnsettled)
	case err != nil:
		return err
	}
	c.Audit.Write(ctx, l)
	return err
}

func unsettled(err error) bool {
	return errors.Is(err, upload.ErrUnclear) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// stands is how a gate stands, for the trail: "delete, paused, 500 a second,
// 1000 at once, slowed to 250".
func (c Controls) stands(s gate.State) string {
	text := string(s.Mode)
	if s.Paused {
		text += ", paused"
	}
	if s.Rate > 0 {
		text += fmt.Sprintf(", %d a second, %d at once", s.Rate, s.Burst)
	}
	if now := c.Now(); s.Slowed(now) {
		text += fmt.Sprintf(", slowed to %d", s.RateAt(now))
	}
	return text
}
