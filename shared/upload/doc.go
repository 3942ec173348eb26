// Package upload is the cleanup protocol as code: the record of an upload, the
// events that may happen to it, and [Step], which says what follows. It does no
// I/O, reads no clock and writes no log.
//
// # The protocol in brief
//
// One record per upload decides its life. It goes
//
//	none → receiving → assembling → complete          (its writer)
//	receiving, complete with a hold → expired         (pass one: the mark)
//	anything but deleting → cancelled                 (given up, or timed out)
//	expired, cancelled → deleting → deleted           (pass two: claim, finish)
//
// and never back from deleting. Every accepted event adds one to Version;
// every writer shows the Fence it was given; every command of the pass names
// the Version it saw. A ledger writes a [Change] only onto the record that it
// was decided from.
//
// The record carries its own cleanup intent: DueAt is when a pass must next
// look. It is written with the reservation, so one cannot exist without the
// other. Activity does not move it; the pass does ([Defer]).
//
// Nothing is condemned before what its owner was promised is over: lease,
// hold, last activity + ActivityGrace, deadline + ReleaseGrace. All those are
// compared with a cutoff that lies a SafetyMargin in the past, and no command's
// cutoff is believed beyond that.
//
// # The right to delete
//
// Only a claimed record gives a [Warrant] ([Record.ClaimedBy]; or, for the
// superseded part of a completed one, [Record.Trimming]), and only a Warrant
// makes a [Condemned]: one exact version under a key that equals a declared
// one. Stores delete Condemned and nothing else.
//
// # What this package never does
//
// It never guesses: an unknown schema, a torn number or a missing value is
// refused or kept. It never deletes by prefix, by pattern or "the current
// version".
package upload
