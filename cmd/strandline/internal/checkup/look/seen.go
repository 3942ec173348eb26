package look

import "github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"

// Seen is a look from what a call gave: what other commands look at fails in the
// same ways.
func Seen[T any](got T, err error) checkup.Look[T] { return seen(got, err) }
