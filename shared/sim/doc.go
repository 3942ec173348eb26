// Package sim runs the whole pipeline by itself: applications that are slow,
// stale, dead or come back, schedulers that overlap or sleep for days, workers
// that die anywhere, a queue that duplicates, reorders, delays and gives up, a
// storage and a ledger that throttle, time out after doing and lose answers, and
// clocks that differ within the policy's bounds. What runs is the real thing,
// engines and handlers, over the memory adapters; time is virtual, so that a
// story of days takes milliseconds.
//
// # How it is deterministic
//
// Everything happens in a bubble of testing/synctest. Each call of each actor
// waits at the desk until it is let go, one at a time, and between two of them
// everybody waits. Which call goes on, what becomes of it, and when clocks move
// is drawn from the seed. So the same seed makes the same run; a test holds it
// to that. It takes that nobody waits for a sync.Mutex that is held across a
// call: see the turns of package cleanup.
//
// A process that dies is one whose calls do nothing from then on, wherever it
// was. Between doing and answering there is a step, too: that is how answers
// are lost.
//
// # What must hold
//
// After each step the protocol's invariants are compared with what was written,
// what stands, and what the witness remembers of each accepted event: what was
// promised to whom. At the end faults are off and time passes: then everything
// that was condemned is gone, everything that lives is readable, nobody else's
// version was touched, nothing is left in deleting, and each write of a function
// has one line in the audit trail.
//
// # A seed that fails
//
// It is made shorter: parts of its trouble are taken out, one after the other,
// for as long as it fails. The test prints what is left of it. Run it again with
//
//	go test ./shared/sim -run TestSeeds -seed N
//
// and thousands of others with -seeds N, from the seed that -first names.
package sim
