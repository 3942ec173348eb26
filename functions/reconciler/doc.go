// Package reconciler is the function that compares an S3 Inventory with the
// ledger, both ways: for each inventory that is delivered, and on a schedule for
// the newest there is. It holds configuration, composition, the events' shapes
// and the choice of an inventory; what is compared and done is in package
// reconcile.
//
// It needs the rights to read the inventory's bucket, to look at and list the
// source buckets, and to read and write the ledger. It needs none to delete
// anything, and calls nothing that could.
//
// Events come at least once. The inventory names the run, so that a repetition
// takes the same run up again, or finds it done.
package reconciler
