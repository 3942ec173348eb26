package source

import "strings"

// recordPrefix begins the Source of a release's record in the ledger.
const recordPrefix = "relay/"

// RecordSource is the Source of the ledger's records of a source's releases.
func RecordSource(name string) string { return recordPrefix + name }

// OfRecord is the name of the source whose release a record with that Source is;
// false if it is none.
func OfRecord(recordSource string) (name string, ok bool) {
	return strings.CutPrefix(recordSource, recordPrefix)
}
