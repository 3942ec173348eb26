// Package release takes what an application's database gave up, and sees that
// the object follows, safely and late: it is adopted into the ledger as a record
// that is born cancelled, or, where it is an upload's own, the upload loses the
// row's reference, or is released. It deletes nothing.
//
// What comes is a [Change] of a row, as a table's stream tells it, or a
// [Message], as an outbox sends it; both at least once, in any order, late.
// docs/protocol.md §10 is the whole of what becomes of each. The rules behind
// it:
//
//   - One record for each object of a change or message ([RecordID]), so that a
//     repetition is recognised and an object that a row still names keeps no
//     other.
//   - An exact version, or nothing. A row that names none means the newest that
//     is strictly older than its end, in whole seconds; what is not clear is
//     counted and left to the reconciler.
//   - Nothing is guessed at. What cannot be read is parked with its reason, by
//     whoever called; what fails comes again.
//   - An upload goes as a whole, so that whatever still refers to any of it keeps
//     it: a reference, the row itself, a row that can be asked.
//   - What happened after the row went is not undone by it: a reference that was
//     added since, a version that was written since.
//
// Outcomes hold ids and closed reasons; no key, no URL and no value of a row.
package release
