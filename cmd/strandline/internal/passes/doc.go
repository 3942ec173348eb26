// Package passes is where an operator sees what the scheduler's passes do and
// would do, runs one, and lets a paused one go. It has no engine of its own:
// planning, judging and executing are cleanup.Pass's. It shows ids, amounts and
// instants, never the name of an object.
package passes
