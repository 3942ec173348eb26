// Package rows asks applications' tables whether a row names what a record of
// the ledger holds: the last look before a claim, and the relay's before an
// upload is released.
//
// Each source with an index is asked under each canonical spelling of each
// object. The index points; what the row itself says, read whole, decides. A
// source without an index, and one whose rows cannot name the record's bucket,
// is not asked.
//
// A release is answered for only where its source is known: a worker that was told
// of fewer sources than the relay would take "nobody to ask" for "no row".
//
// It answers "no row" only if every question was answered to its end. One row
// that names one object is enough for the other answer.
//
// What it cannot see: a row that an eventually consistent index does not show
// yet, and one that spells its object in a way that the index cannot be asked
// for. Against the first an application writes the new row before it deletes the
// old one, and ReleaseGrace waits; of the second the relay parks the release.
package rows
