// Package lease lets one run of a kind work at a time: one pass of the
// scheduler, one run of the reconciler. A lease is one document of the ledger,
// taken on the condition that it still is what was read, so that of two takers
// one is refused. It ends by itself: whoever was killed with it blocks the next
// for the rest of it, and no longer.
//
// It keeps runs from doing things twice and from judging by halves. No deletion
// rests on it: those have claims and fences of their own (package upload).
package lease
