// Package ledger holds the words that engines and ledger adapters share: the
// due index's entries and positions, and documents. The adapters are
// ledger/dynamo and ledger/memory; ledger/ledgertest is the suite both pass.
//
// A ledger keeps two kinds of things. Upload records, each with what must
// change beside it in one transaction, are written by Commit, on the condition
// that the stored record still has the version that the change was decided
// from. Documents (runs, plans, cursors, the census, leases) are small values
// of other packages, written by Put on the condition that their revision is
// still the one that was read.
//
// Every read that something is decided from is consistent. A read that fails,
// or comes back in part, is an error: never a shorter answer.
package ledger
