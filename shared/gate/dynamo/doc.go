// Package dynamo keeps the gate as one item of the ledger's table: pk
// "GATE#<name>", sk "#". An item that does not exist is report-only.
//
// A reservation is one conditional write, and a read before it while others
// write too: its condition names the arrival time, the revision and the slowdown
// that it was computed from, and that the mode is delete and nothing is paused.
// What the adapter remembers of the item can therefore be out of date and never
// gives a slot that the stored item does not allow. When the condition fails, its
// answer shows the item as it is.
//
// A throttle is one conditional write too, on the same; none where another one
// has lowered the rate already.
//
// What an operator does to stop (Pause, report-only) is written without a
// condition and wins over everybody. What opens (Resume, delete, SetRate) is
// written only if no other operator has acted since it was read; a handle of
// [Gate.By] reckons from what the person was shown.
//
// A reservation whose answer was lost may have been written; its block is lost
// then, and nobody else gets it.
package dynamo
