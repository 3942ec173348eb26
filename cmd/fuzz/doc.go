// Command fuzz runs every native fuzz target of the module for a while, as many
// side by side as there are processors, one processor each. `make fuzz` runs it.
//
// The targets are found in the sources, so that none can be forgotten. What a
// target finds, Go writes into its package's testdata/fuzz and the command's
// output says so: committed, it is part of `go test` from there on. New inputs
// that only reach further are kept in Go's own cache, where `go test -fuzz` has
// them too.
package main
