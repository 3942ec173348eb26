// Package recorder is the function that hears of objects that were created:
// storage events in, objects recorded and uploads completed. It holds
// configuration, composition and the events' shapes; what is decided is in
// package confirm.
//
// It needs the rights to look at and read versions of the source buckets (and
// s3:ListBucket, without which S3 denies what does not stand instead of saying
// so), and to read and write the ledger. It needs none to put or delete anything,
// and calls nothing that could.
//
// It stops before its deadline, so that what is done is answered for; the rest
// comes again.
package recorder
