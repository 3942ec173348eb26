package holding

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/strandline-dev/strandline/shared/hold"
)

// report says what became of a hold.
func (c Clerk) report(h hold.Hold, outcome string) error {
	if c.JSON {
		write := json.NewEncoder(c.Out)
		write.SetEscapeHTML(false)
		return write.Encode(pageOf(h))
	}
	_, err := fmt.Fprintf(c.Out, "%.*s  %s  %s\n", shortID, h.ID(), outcome, shown(h.Key))
	return err
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
