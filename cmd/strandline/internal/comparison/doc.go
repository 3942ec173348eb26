// Package comparison is the operator's comparison of an S3 Inventory with what
// its owner says is there: it opens both, from folders or buckets, runs the
// engine of shared/reconcile, and shows what came out. A comparison that does
// not come to its end leaves no findings file.
package comparison
