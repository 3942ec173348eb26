package objects

import "github.com/strandline-dev/strandline/shared/upload"

// CodeRefused is the code of a result that was refused before anything was
// sent: more than [MaxPerDelete] versions in one call, a version of another
// bucket, or one without key or version id, such as the zero Condemned.
const CodeRefused = "refused"

// Checked begins the answer to a delete: one result for each version, in
// order. Those that no store may act on are Failed with [CodeRefused], the
// others Unclear until the store has answered for them. Every adapter begins
// with it, so that none can forget a check.
//
// No warrant gives a Condemned without key or version id, so no test can hand
// one over; the check stays, because what S3 makes of it is a delete marker on
// a live object.
func Checked(bucket string, versions []upload.Condemned) []Result {
	results := make([]Result, len(versions))
	for i, v := range versions {
		results[i].Condemned = v
		if bucket == "" || v.Bucket() != bucket || v.Key() == "" || v.VersionID() == "" || len(versions) > MaxPerDelete {
			results[i].Outcome, results[i].Code = Failed, CodeRefused
		}
	}
	return results
}

// Refused reports that nothing was sent for this result.
func (r Result) Refused() bool { return r.Code == CodeRefused }
