// Package confirm records what storage events tell: that an object which an
// upload declared has come. It is how a presigned put, of which the application
// hears nothing, becomes part of its upload; and, where the reservation says so
// (ByEvents), how the upload is completed once everything that it declared is
// there.
//
// What it promises: it records under the fence of the key's own attempt, and
// only a version that it has seen standing, of the size and checksum that were
// stated before the put; where the store keeps no checksum, it reads the object.
// An object that is something else cancels its upload, with the reason. A check
// that cannot be made is an error, and neither records nor cancels.
//
// Events come at least once, in any order, and late. The same event again, one
// that comes after its writer lost the upload, or after the upload was
// completed, cancelled or deleted, changes nothing, and is counted by its
// reason. So is one of a key that no upload declares: it is nobody's business
// here, and nothing of it is read or touched.
//
// What it never does: delete, list, or write to the bucket.
package confirm
