// Package hold keeps the list of what nobody owns, until a person has decided.
//
// A hold is one object version, or one unfinished multipart upload, that a run
// of the reconciler found in a bucket and in nobody's records. It is opened by
// a run and deletes nothing. It leaves the list when a matching upload appears,
// when what it names does not stand any more, when a person keeps it (it is
// then never asked about again), or when a person approves it: then it is
// adopted into the ledger as a condemned record, which takes the same way as
// every other deletion. The approval itself is package quarantine.
//
// A hold is one document of the ledger, written on the condition that it still
// is what was read; whatever a run does to it may be done again.
package hold
