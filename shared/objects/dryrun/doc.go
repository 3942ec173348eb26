// Package dryrun is an object store that reads as another does and deletes
// nothing: report-only for whatever takes a store.
//
// It is a decorator of the reading half only. It does not hold the calls that
// delete, so it cannot pass one on, whatever becomes of this code.
//
// # What it answers
//
// Every version that was to be deleted is objects.Failed, which says "nothing
// was done", with a code that says what would have been done; an abort is
// ErrRefused. The rivals lose, because an engine believes its store:
//
//   - Gone would have the worker finish the upload: a tombstone over objects
//     that stand, found by a reconciliation weeks later as undead.
//   - Retained, even for what is really locked, would count into a Finish.
//   - Unclear would have it listed again and decided from what is seen, which
//     stands: a loop.
//   - Throttled would slow the gate for everybody.
//   - Denied would raise an alarm about rights.
//
// Failed is given back and tried again, and parked in the end: visible, and
// undone by Unpark. It follows that a dry run belongs before the claim. An
// installation that is to delete nothing has its gate in report-only, where no
// slot and so no claim is given; this store is for one that must not be able
// to, and for commands that show what a delete would do.
package dryrun
