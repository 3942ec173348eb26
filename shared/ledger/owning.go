package ledger

import "github.com/strandline-dev/strandline/shared/upload"

// Owning keeps of a record what says which objects may stand for it, and since
// when: what an adapter's Owned yields. Nothing can be decided from it.
func Owning(r upload.Record) upload.Record {
	return upload.Record{
		ID: r.ID, Schema: r.Schema, State: r.State, Version: r.Version,
		MarkedFrom: r.MarkedFrom, CompletedAt: r.CompletedAt, LastActivityAt: r.LastActivityAt, DeadlineAt: r.DeadlineAt,
		Bucket: r.Bucket, Prefix: r.Prefix, Trimmed: r.Trimmed,
		Retained: r.Retained, TombstoneUntil: r.TombstoneUntil,
		Manifest: r.Manifest,
	}
}
