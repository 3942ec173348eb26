// Package recorder is the function that hears of objects that were created:
// storage events in, objects recorded and uploads completed. It holds
// configuration, composition and the events' shapes; what is decided is in
// package confirm.
//
// It needs the rights to look at and read versions of the source buckets, and to
// read and write the ledger. It needs none to put, list or delete anything, and
// calls nothing that could.
package recorder
