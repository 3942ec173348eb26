// Package memory is an object store in memory: versioned buckets as S3 has
// them, for tests, the simulation and the demo without a wire.
//
// It keeps S3's semantics where the product leans on them: exact versions and
// delete markers, null versions where versioning is off, If-None-Match, object
// lock and legal hold, multipart uploads, keys in the order of their UTF-8
// bytes. Version ids and multipart ids count up, so a run can be repeated;
// instants come from the clock it is given. objects/objectstest holds it to
// what the real wire does.
//
// What a bucket's other users do (write late, lock, mark as deleted, look at
// everything) is in direct.go; the product calls none of that.
package memory
