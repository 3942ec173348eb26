// Package invariant judges records by those of the protocol's invariants
// (docs/protocol.md, §3) that a record shows beside what stands in the store: for
// tests that look at an installation from outside, and for the simulation. The
// checker of package upload has its own, over its model. No function links it.
package invariant
