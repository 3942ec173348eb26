// Package intake is what an application calls to live with the cleanup
// protocol: reserve an upload, put its objects, publish it, refer to it, give
// it up.
//
// A [Service] reserves and acquires uploads, and does what their owner may do.
// A [Session] is one writer's hold on one upload: the fence it was given, and
// the deadline by which everything that it sends must have ended. Each call
// decides with [upload.Step] from the record and commits onto the record that
// it was decided from; if that record moved, or the answer was lost, it reads
// again and decides again. So a call that failed may simply be made again.
//
// [Service.Upload] is all of it in one call, for a file of a person who is not
// believed: it judges the whole body before anything is written (package
// validate), then reserves, has it scanned, puts it and publishes it, in this
// order. A scanner can only refuse. What fails is cancelled; a success is told
// only of what the ledger says is complete, and a request that is repeated under
// its idempotency key is answered as the first one was.
//
// What it promises: every key is declared before anything is put under it; no
// put is sent and no URL signed that may end after the deadline; what has to
// come by a URL is stated before it is signed; every put says If-None-Match: *;
// nothing is held in the ledger while bytes travel; a failed cancel never hides
// the error before it.
//
// What it never does: delete, write under a key of another attempt, or let a
// user's file name take part in a key.
package intake
