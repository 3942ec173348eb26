// Package release takes what an application's database gave up, and sees that
// the object follows, safely and late: it is adopted into the ledger as a record
// that is born cancelled, or, where it is an upload's own, the upload is
// released. It deletes nothing.
package release
