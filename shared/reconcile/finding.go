package reconcile

import "time"

// Finding is the verdict on one object version, or on an entry that has none.
// It names an object: it belongs in restricted reports, never in logs.
type Finding struct {
	Verdict   Verdict
	Bucket    string
	Key       string // any bytes
	VersionID string // empty where neither side has one
	Size      int64  // the inventory's, else the owner's; -1 where unknown
	// LastModified is the inventory's, RecordedAt the owner's; zero where unknown.
	LastModified time.Time
	RecordedAt   time.Time
	Tenant       string
	Upload       string
	// KeyKnown: the owner knows the key, under another version.
	KeyKnown bool
	// NullVersion: a version written while versioning was off.
	NullVersion bool
	// Latest: the inventory calls it the current version.
	Latest bool
	Note   string
}
