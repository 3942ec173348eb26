package holding

import (
	"fmt"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/hold"
)

// report says what became of a hold.
func (c Clerk) report(h hold.Hold, outcome string) error {
	if c.JSON {
		return show.JSON(c.Out, pageOf(h))
	}
	_, err := fmt.Fprintf(c.Out, "%.*s  %s  %s\n", shortID, h.ID(), outcome, show.Name(h.Key))
	return err
}
