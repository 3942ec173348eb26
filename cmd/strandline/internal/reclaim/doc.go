// Package reclaim judges, source by source, whether objects follow when the
// rows that name them go: from facts to evidence, and from evidence to a
// verdict. It asks nobody: package look gathers the facts.
//
// What was not looked at, or could not be, is no evidence that all is well: a
// source of which something is not known is fragile.
package reclaim
