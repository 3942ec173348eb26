package policy

import "time"

// LongestWait is how long anything may wait for somebody to look, at most: an
// orphan's age, an inventory's and a quarantine; a tombstone's life; an
// upload's own graces. What clears a bucket without knowing the ledger, a
// lifecycle rule, must come later.
func (p Policy) LongestWait() time.Duration {
	return max(p.OrphanGrace+p.MaxInventoryAge+p.QuarantineFor, p.TombstoneTTL,
		p.UploadDeadline+p.ActivityGrace+p.SecondGrace)
}
