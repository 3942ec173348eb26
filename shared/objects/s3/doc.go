// Package s3 is the object store on S3 itself, or on anything that speaks it.
//
// It deletes exact versions that a warrant condemned and has no other call
// that destroys an object: every delete on the wire names a version id, is
// sent once and never repeated blindly, and never asks to bypass a lock. An
// answer counts only for what it names: a version that was asked for and is
// neither among the deleted nor among the errors is unclear.
//
// Errors are of the taxonomy in shared/upload and carry service codes and
// request ids, never object keys.
package s3
