// Package manifest is what an application says it owns in a bucket: the ledger
// itself, or key lists that it exported from its own records. Both are read as
// the same entries. A list that cannot be read whole is an error that names the
// list (by its position) and the line; there are no partial answers.
package manifest
