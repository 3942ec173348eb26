// Package manifest is what an application says it owns in a bucket: the ledger
// itself ([OfLedger]), or key lists that it exported from its own records
// ([OpenLists]). Both are read as the same entries, part by part and side by
// side. What cannot be read whole is an error that names the list, by its
// position, and the line; there are no partial answers: what a list leaves out
// would be taken for orphans. Errors never name a key.
//
// Which entries a ledger's record gives is [EntriesOf], a pure function;
// docs/design/reconcile-ledger.md has the reasons.
//
// A DynamoDB export can join as another Reader: one part for each data file
// that its manifest-files.json names, verified against md5Checksum and
// itemCount. Head and pages of a large upload lie in different files there, so
// such a reader needs two passes, pages first, by upload; then every record
// goes through EntriesOf like those of the scan.
package manifest
