package controls

import (
	"context"
	"errors"
	"fmt"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/upload"
)

// note writes a decision into the trail, unless it surely changed nothing. It
// hands the error on.
func (c Controls) note(ctx context.Context, what, before, after string, err error) error {
	l := audit.Line{At: c.Now(), Who: c.Who, What: what, Gate: c.Name, Before: before, After: after}
	switch {
	case errors.Is(err, upload.ErrUnclear):
		l.Outcome = audit.Unclear
	case err != nil:
		return err
	}
	c.Trail.Write(ctx, l)
	return err
}

// stands is how a gate stands, for the trail: "delete, paused, 500 a second,
// 1000 at once".
func stands(s gate.State) string {
	text := string(s.Mode)
	if s.Paused {
		text += ", paused"
	}
	if s.Rate > 0 {
		text += fmt.Sprintf(", %d a second, %d at once", s.Rate, s.Burst)
	}
	return text
}
