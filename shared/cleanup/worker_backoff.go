package cleanup

import "time"

// The shortest and the longest wait after a failed attempt.
const (
	firstBackoff = 30 * time.Second
	maxBackoff   = time.Hour
)

// Backoff is how long to wait after so many failed attempts (1 after the
// first): 30 s, doubled each time, at most an hour. Without jitter: the gate
// spreads the work of all workers already.
func Backoff(attempts int) time.Duration {
	d := firstBackoff
	for i := 1; i < attempts && d < maxBackoff; i++ {
		d *= 2
	}
	return min(d, maxBackoff)
}
