// Package census is where an operator sees what the buckets were counted to
// hold, which is what a pass's limits are a percentage of, and counts them
// again. Counting is cleanup.Census's.
package census
