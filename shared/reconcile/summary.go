package reconcile

import "time"

// Summary is what a comparison found, in numbers.
type Summary struct {
	Counts map[Verdict]Count `json:"counts"`
	// ByTenant and ByAge break the counts down; age bands are by LastModified
	// (RecordedAt where there is none) before the inventory's creation.
	ByTenant map[string]map[Verdict]Count `json:"by_tenant,omitempty"`
	ByAge    map[string]map[Verdict]Count `json:"by_age,omitempty"`
	// Rows and Entries were read; Duplicates are identical rows that collapsed.
	Rows       int64 `json:"rows"`
	Entries    int64 `json:"entries"`
	Duplicates int64 `json:"duplicates"`
	// Unrecorded are entries without recorded_at: they count as old.
	Unrecorded int64     `json:"unrecorded"`
	Bucket     string    `json:"bucket"`
	Created    time.Time `json:"inventory_created"`
	ManifestAt time.Time `json:"manifest_snapshot"`
	// HoldsBlocked: the share of orphans is above MaxOrphanPercent; a person
	// has to look before anything is held.
	HoldsBlocked bool `json:"holds_blocked"`
	// TempBytes is how much was spilled to disk.
	TempBytes int64 `json:"temp_bytes"`
}

// Count is a number of versions or entries and the sum of their known sizes.
type Count struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}
