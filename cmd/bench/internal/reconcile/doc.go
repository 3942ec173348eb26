// Package reconcile compares `strandline reconcile` with what a user would run
// instead: DuckDB over the same files, with the same threads, as whole processes
// that take turns.
//
// The data is made once and kept: an inventory in the layout of S3 in 8 files,
// and the key lists of an application that owns most of it, unsorted, keys of 82
// to 88 bytes. Both sides must come to the findings that the data was made with,
// or there are no figures.
package reconcile
