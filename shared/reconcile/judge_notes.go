package reconcile

import "github.com/strandline-dev/strandline/shared/manifest"

// The notes of findings: fixed sentences, so that they can be counted.
const (
	noteUnrecorded      = "no recorded_at: counted as old"
	noteNewest          = "no single IsLatest: newest taken"
	noteConflict        = "rows of this version contradict each other"
	noteSize            = "size differs"
	noteETag            = "checksum differs"
	noteOverwritten     = "differs, and recorded too recently to judge"
	noteRecentlyDeleted = "recently deleted"
	noteNoMarker        = "no IsDeleteMarker in the inventory"
	noteNoModified      = "no LastModified in the inventory"
	noteNoSize          = "no size in the inventory"
	noteNoVersions      = "the inventory lists no versions"
	noteWhichCurrent    = "which version is current is not known"
	noteManifestOlder   = "the manifest was not taken after the inventory began"
	noteCurrentOnly     = "the inventory lists current versions only"
)

func unrecorded(e *keptEntry) string {
	if e.RecordedAt == manifest.NoTime {
		return noteUnrecorded
	}
	return ""
}

// whyMissing says what weakens a missing: what should be looked at first.
func (k *keyed) whyMissing(e *keptEntry) string {
	switch {
	case k.rules.ManifestAt <= k.rules.Created:
		return noteManifestOlder
	case k.rules.CurrentOnly:
		return noteCurrentOnly
	}
	return unrecorded(e)
}
