// Package policy holds the delays and limits of the cleanup protocol: one
// struct, one place, with the floor and the reason of each.
//
// A Policy is a value that is passed, never ambient. The zero value deletes
// nothing: [Policy.Validate] refuses it, and the core refuses every condemning
// event under a policy that does not validate. The environment can raise a
// value above its floor, never put it below (see [FromEnv]).
package policy
