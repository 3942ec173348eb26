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
// # What will be
//
// [Foresee] and [Obstacles] ask the same table what passes will decide, and what
// keeps a record now. They are answers for a person: nothing is done by them.
//
// # Guards that stand on their own
//
// The protocol checker leaves out each guard of the table in turn and shows
// which invariant falls (testdata/mutants). These guards are left out of that:
// no invariant falls without them, for the reason given.
//
// Some refuse input that no honest caller sends; what they keep out would
// break arithmetic or a limit, not a promise:
//
//   - reserve: ids, bucket and counts are valid: a record must be storable and its folder its own.
//   - reserve: the deadline is positive: no put can end by a deadline that is over.
//   - acquire: the deadline is positive: the same.
//   - adopt: it has a source and 1 to 1,000 exact versions of one bucket: what is not exact can't be condemned.
//   - declare: at most 10,000 keys in each of 100 attempts are declared: the manifest must fit its ledger.
//   - declare: every multipart upload is of a declared key of this attempt: a worker aborts only below its keys.
//   - record-object: the key was declared by this attempt, and the object has a version id: a writer declares before it puts.
//   - complete: the hold lies ahead, or there is none: it would be over when it begins; the activity grace still protects it.
//   - add-reference to complete: the reference has a source and an entity: its row in the ledger needs a name.
//   - add-reference to cancelled: the reference has a source and an entity: the same.
//   - resupersede: the key was declared, not listed, and already trimmed: a trim never touches listed keys, so it would be work for nothing.
//   - unclear trim: superseded objects are due some day: there is no trim whose outcome could be unclear.
//
// Others follow from the rest of the table as it is now. They cost nothing and
// keep a later row, or a record that something else wrote, from deleting:
//
//   - record-object: it was receiving or is not marked: the fence of a complete upload never declared a key.
//   - drop-reference: there is a live reference: the ledger's row of the reference refuses it too.
//   - claim expired: the hold was over at the cutoff: a mark needs it, and extending the hold clears the mark.
//   - claim expired: there is no live reference: a mark needs it, and no reference is added to a marked upload.
//   - claim cancelled: there is no live reference: cancelling needs it, and a reference that is added revives.
//   - unclear trim: the fence is the record's: the fence of a complete upload does not change; a trim goes by the version.
//
// # What this package never does
//
// It never guesses: an unknown schema, a torn number or a missing value is
// refused or kept. It never deletes by prefix, by pattern or "the current
// version".
package upload
