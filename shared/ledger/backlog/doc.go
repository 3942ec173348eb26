// Package backlog is a ledger in which any number of uploads are due, and the
// queue to which a pass publishes them: for tests and benchmarks of how a pass
// goes through millions. Nothing is stored: an entry is computed when a page or
// a record is asked for, and what was published is a number for each shard.
//
// Its queue takes so many commands in a pass and then says that it is full; at
// the end of a pass everything in it counts as purged, and is not due any more.
// It fails when a pass leaves an entry out.
package backlog
