// Package purging measures the worker: over the wire beside its own calls
// replayed bare and beside a loop of one upload and one object at a time, over
// slow stores beside what its concurrency allows, and how much memory its
// process takes.
package purging
