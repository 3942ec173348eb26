// Package dynamo is the ledger in one DynamoDB table, the one that package
// schema describes.
//
//	item                  pk                sk
//	upload, small manifest T#tenant#U#upload #
//	page of a large one    the same          P#attempt#page (attempt 0: explicit objects)
//	reference, tombstone   the same          R#source#entity#generation
//	owner's quota          T#tenant#W#owner  #
//	content hash           the same          H#hash
//	idempotency key        the same          I#key
//	document               its collection    its id
//
// In ids "#" and "%" are escaped, so "#" only ever separates. The index "due"
// has those uploads that have a due, under their shard, ordered by instant and
// then by a number made from the upload: a position is made from what it names,
// not from a token.
//
// # Writing
//
// A change is one conditional put of the whole head, on the version that it was
// decided from; with effects or pages it is one transaction with that put. The
// head bears a stamp, random per change. The SDK repeats a call whose answer was
// lost, and the repetition fails on its own condition: a head that then shows
// our stamp is our own write, and a success. Effects have no stamp; the head
// speaks for the transaction.
//
// # Manifests in pages
//
// Up to 32 declared keys lie in the head, more in pages of 25 sequences. What is
// declared decides, so everybody finds a manifest in the same place, and it
// moves at most once, while it is small. A page is written only in one
// transaction with its head. So recording an object writes the head and one
// page; completing writes the head alone, since what is listed is kept with the
// attempts there.
//
// Head and pages are not read in one instant. A read that is torn by a write in
// between could do no harm to a writer: it carries the older version, and what
// is decided from it fails on the condition. But a worker deletes by what it
// has read, so the head keeps a sum over its pages: a read whose pages have
// another is repeated, and a page that is missing is an error, never a shorter
// manifest.
//
// # Reading
//
// Every read but the index's is consistent. A page that fails, or keys that
// stay unprocessed, fail the call.
package dynamo
