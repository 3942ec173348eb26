package reconcile

import "time"

// Options of one comparison. All instants are judged against the inventory's
// creation time and ManifestAt, never against the host's clock.
type Options struct {
	// ManifestAt is when the owner's lists were taken.
	ManifestAt time.Time
	// OrphanGrace: an unowned version younger than this is too fresh.
	OrphanGrace time.Duration
	// Settle: an entry recorded later than this before the inventory began is
	// not judged.
	Settle time.Duration
	// MaxInventoryAge: how old an inventory may be against Against.
	MaxInventoryAge time.Duration
	// Against is what the inventory's age is measured from: ManifestAt, or the
	// event that started the run.
	Against time.Time
	// MaxOrphanPercent blocks holds above that share of the inventory's rows.
	MaxOrphanPercent float64
	// Prefix is the scope: keys outside are ignored. Empty: the whole bucket.
	Prefix string
	// All sends every verdict to the sink, not only findings. Then every name is
	// read twice.
	All bool
	// AllowEmpty accepts an empty side while the other is not.
	AllowEmpty bool

	// Threads and Memory (bytes) bound what the comparison uses, TempDir is
	// where it spills; the zero values are all processors, 96 MiB and the
	// host's folder.
	Threads int
	Memory  int64
	TempDir string

	// Progress, where set, is called now and then, from one goroutine at a time.
	Progress func(Progress)

	// trial, of tests, makes rare things frequent.
	trial trial
}

// Progress is how far a comparison is.
type Progress struct {
	Stage string // "read", "compare", "look up"
	Rows  int64  // rows and entries read so far
	Bytes int64  // bytes of input read so far, of Total
	Total int64
}

// trial is what tests make small: the bits of fingerprints, and how many items
// of a key are held at once.
type trial struct {
	mask     *fingerprint
	keyCount int
}
