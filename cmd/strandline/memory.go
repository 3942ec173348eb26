package main

import "runtime/debug"

// gcPercent keeps the heap near what is live: a comparison's is small, and
// most of what it allocates is rows that are over at once.
const gcPercent = 50

// limitMemory keeps the process near a limit, and returns what undoes it. What
// the engine is given of it is its own affair; this is the collector's.
func limitMemory(bytes int64) (undo func()) {
	limit, percent := debug.SetMemoryLimit(bytes), debug.SetGCPercent(gcPercent)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}
