// Package holding is where an operator sees and decides holds: what a run of
// the reconciler found in a bucket and in nobody's records. It shows the names
// of objects, as nothing else of Strandline does; whoever may run it may see
// them.
package holding
