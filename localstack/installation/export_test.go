package installation

import (
	"context"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
)

// Restarted is the installation with functions of their own over these stores:
// other processes, beside the first or after them.
func (i *Installation) Restarted(s Stores) (*Installation, error) {
	again := *i
	return &again, again.functions(s, names{})
}

// Handle hands messages to the worker's handler as one event, in an invocation
// that ends at the deadline, and returns the ids that its answer leaves. It
// acknowledges nothing.
func (i *Installation) Handle(ctx context.Context, batch []command.Received, deadline time.Time) (map[string]bool, error) {
	answer, err := i.handleMessages(invocation{ctx, deadline}, eventOf(batch))
	left := map[string]bool{}
	for _, f := range answer.BatchItemFailures {
		left[f.ItemIdentifier] = true
	}
	return left, err
}
