// Package checkup judges whether an installation is in order: from facts to
// results, each finding with its fix in one line. It asks nobody: package look
// gathers the facts.
//
// What was not looked at, or could not be, is a finding like any other, never
// silence: the zero Facts are findings throughout. Every check of the closed
// list gives at least one result. A note is worth knowing and no finding.
package checkup
