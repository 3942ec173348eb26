package telemetry

// Field is one field of a log line.
type Field struct {
	Name  string
	Means string
}

// Fields is every field that a function's log line may have, in the order of
// docs/metrics.md. It is closed: a new one is where the key of an object, or a
// secret, would slip in.
func Fields() []Field {
	return []Field{
		{"time", "When."},
		{"level", "DEBUG, INFO, WARN or ERROR."},
		{"msg", "What happened, in a few words."},
		{"run", "The run: a schedule's fire time and name, or an inventory's bucket, configuration and instant."},
		{"message", "The queue's id of a message."},
		{"tenant", "Whose upload."},
		{"upload", "Its id."},
		{"operation", "What the message asks for: claim, reclaim, trim or reopen."},
		{"version", "The record's version."},
		{"fence", "The record's lease generation."},
		{"attempt", "How many attempts at the purge have failed so far."},
		{"outcome", "What became of the message."},
		{"reason", "Why, in a few words."},
		{"objects", "How many object versions it is about."},
		{"gone", "How many of those are gone."},
		{"retained", "How many of those stay."},
		{"bytes", "The known bytes of those."},
		{"source", "The name of a source: of whose rows."},
		{"entity", "A digest that stands for a row."},
		{"rate", "The rate in force, in object versions per second."},
		{"hide", "How long the message stays hidden, in nanoseconds."},
		{"queue_error", "Why the queue did not do what it was asked for the message."},
		{"error", "What failed."},
		{"code", "The store's own word for a refusal."},
		{"bucket", "The name of a bucket."},
		{"tally", "What became of all messages of a batch: uploads, objects and bytes."},
		{"state", "How a pass ended."},
		{"notes", "What else happened in a pass."},
		{"candidates", "How many uploads a pass has looked at."},
		{"published", "Of how many of those the queue has a command."},
		{"refused", "How many commands the queue did not take."},
		{"of", "Of how many that is."},
		{"by", "Who approved a plan."},
		{"digest", "The plan's."},
		{"buckets", "How many buckets were counted."},
		{"orphans", "How many objects of an inventory nobody owns."},
		{"rows", "How many rows an inventory has."},
		{"max_percent", "The policy's MaxOrphanPercent."},
		{"missing", "How many objects that the ledger owns are not there."},
		{"changed", "Of how many another version is there."},
		{"corrupt", "Of how many size or checksum differs."},
		{"report", "A comparison's numbers."},
		{"swept", "The numbers of a sweep of unfinished multipart uploads."},
		{"why", "Why an event was left alone."},
		{"lines", "How many lines of the audit trail are in this log only."},
		{"panic", "What broke: the runtime's own words, or a type."},
		{"stack", "Where it broke."},
	}
}
