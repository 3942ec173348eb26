// Command fuzz runs every native fuzz target of the module for a while, as many
// side by side as there are processors, one processor each. `make fuzz` runs it:
// 10 s for each target is 4 minutes on two processors.
//
// The targets are found in the sources, so that none can be forgotten. What a
// target finds, Go writes into its package's testdata/fuzz; the command's output
// says which file that is and how it is run again, and the command fails.
// Committed, it is part of `go test` from there on.
//
// New inputs that only reach further are kept in Go's own cache, below
// fuzz/strandline there, a bounded number of each target; `go clean -fuzzcache`
// forgets them. A corpus has a few of those, called by their sum as Go does, and
// some that a person thought of, called by what they are. The tests here tell of
// a target that has no corpus, of a corpus that is large or has lost its target,
// and of a package that reads foreign bytes without a target.
package main
