// Package gate holds the switch and the shared rate of all workers: the words,
// and the arithmetic. The adapters are gate/dynamo and gate/memory;
// gate/gatetest is the suite both pass.
//
// The rate is in object versions per second and shared by every worker of an
// installation: an arrival time (the generic cell rate algorithm) that a
// conditional write advances by a block of slots. A block is only given while
// the mode is delete and nothing is paused, and is void [SlotLife] after it was
// reserved: so a pause stops every worker within that time, whatever is
// queued. A worker that dies loses its block; the rate is then lower than
// allowed, never higher. Concurrency is another setting.
//
// What the rate bounds is how many slots start in any one second: at most rate
// plus burst. A worker that sits on a block until it is void moves those
// deletes by up to [SlotLife]. One that goes on to reserve may keep what is left
// with each new block, less than one call's: that the gate gave the new one shows
// that it was open.
//
// A store or a ledger that throttles lowers the rate in force for everybody
// ([State.Throttled]): to half, once in a SlotLife. It rises again as time goes
// by, with no write ([State.RateAt]). That is no decision of an operator's, opens
// nothing, and ends when one sets a rate.
//
// An operator's call is signed with a name, and what opens can be bound to the
// revision that the operator has seen ([Decision]): nobody ends a pause that
// they do not know of. What closes is bound to nothing and wins always.
//
// Every worker reads its own clock. One that is behind waits longer; one that
// jumps ahead gets a burst at once, and makes the others wait until their
// clocks are there too. Neither raises the rate.
package gate
