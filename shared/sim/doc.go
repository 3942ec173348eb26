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
// # Who is in it
//
// Writers of several tenants, with quotas, idempotency keys, hashes, holds,
// references, URLs and parts; the scheduler, the worker and the recorder, each by
// its own handler, warm or cold, slow or killed when its time is over; triggers
// that come twice; a person who pauses, in the middle of a pass or a batch too,
// lowers rates, unparks, and approves what may be approved and what may not;
// neighbours with objects, locks and parts of their own; and whoever may send
// commands or events and says what is not so.
//
// # What must hold
//
// After each step the protocol's invariants are compared with what was written,
// what stands, and what the witness remembers of each accepted event: what was
// promised to whom. Passes are judged beside that: one at a time, none while the
// gate is closed, no more in a day than may go without a person, by a census that
// is not too old. At the end faults are off and time passes: then everything that
// was condemned is gone, everything that lives is readable, nobody else's version
// was touched, nothing is left in deleting, what had to be given up is among the
// dead letters with its reason, and each write of a function has one line in the
// audit trail. A test counts every kind of trouble: none silently never happens.
//
// # What it does not see
//
// A guard whose work another guard does as well is not missed here when it alone
// is left out: the look at the gate before a batch (the gate refuses slots too),
// the recheck of an approved plan and a trim's fresh look (versions are compared
// with each write), a cursor that passes what was refused and a message that is
// acknowledged too early (rounds publish again), the fences of a worker's closing
// writes and the ends of claims (a lease is longer than an invocation), a claim's
// hold, deadline and lease (the mark, or the due, has waited for them). Slots that
// are void are hardly ever met: a pause has to fall into those seconds. The
// stores answer in the order of what they are asked, so nobody misses the look at
// which version an answer is for. For each of these there is a mutant of package
// upload's checker, or a test of package cleanup.
//
// Not in it at all: the relay and the rows that it follows (functions/relay,
// package release, and the worker's questions about rows in package cleanup), the
// reconciler, its holds and what it reopens (package reconcile, quarantine),
// restores of ledger or bucket (package hold), buckets that must not be deleted
// in, records of another schema (functions), writers whose clocks are further off
// than the policy allows, and the services' own protocols: that is for the tests
// over a wire (localstack/installation).
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
