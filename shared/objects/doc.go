// Package objects holds the words that engines and object-store adapters
// share. The adapters are objects/s3, objects/memory and the decorator
// objects/dryrun; objects/objectstest is the suite they pass.
//
// A store deletes exact versions that a warrant condemned, and nothing else:
// it has no call that takes a prefix, a pattern or a key without a version.
//
// Whatever a store puts, whole or in parts, is put under a key that has no
// object (If-None-Match: *): a key gets one version.
package objects
