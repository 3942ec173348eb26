// Package cleanup holds the two engines of cleanup: the scheduler's pass and
// the worker's purge. It speaks to ledger, queue, gate and object store through
// interfaces that it declares itself, reads the clock it is given, and decides
// nothing that upload.Decide, upload.Check and upload.Step do not decide.
//
// # The pass
//
// [Pass.Run] goes from the due index to commands in three steps that do not
// mix:
//
//	Plan     pages the index from each shard's cursor, reads the records
//	         consistently and asks upload.Decide. Writes nothing. Any look-up
//	         that fails, on whichever page, ends the run with nothing done.
//	Judge    adds what is planned for deletion to what was published in the
//	         last 24 hours, bucket by bucket, and compares with the census.
//	Execute  once: marks, repairs and defers are conditional writes, purges are
//	         published. It never deletes: the worker does.
//
// A run that is over a limit is paused: nothing of its plan is executed, marks
// and defers neither, and the plan is stored until a person approves exactly
// it ([Pass.Approve]). A run in which a record shows activity in the future is
// stopped. A gate that is paused or in report-only lets a run plan and judge
// and then only report. A census that is missing or too old holds back the
// purges alone.
//
// # What a crash leaves
//
// Before commands are sent, the run's count of published objects is raised and
// stored; after they are accepted, the shard's cursor is. A crash in between
// counts too much and publishes again. It never counts too little, and never
// passes over what the queue did not take.
//
// # The cursor
//
// Each shard of the index has a cursor that only moves on: what becomes due is
// due no earlier than it is written, so it lies behind the cursor's place. What
// the cursor passed and what is still in the index (a lost message, a revived
// upload) is visited by rounds from the beginning, each no sooner than
// RepublishAfter after the one before it ended, and only up to where the cursor
// was then. So nothing is published twice within RepublishAfter but after a
// crash.
//
// # The purge
//
// [Worker.Purge] fills groups with the uploads of a batch: of one bucket, as
// many as one delete call takes. They are admitted one after the other (bucket,
// slots), and then claim, delete and finish side by side: while one waits for
// the store, the ledger works for others. [Worker].Concurrency bounds them all
// together, so a batch takes no less than the sum of what its calls take,
// divided by it. A second message about an upload waits until the groups of the
// first round are through.
//
// # The last look
//
// Between the slot and the claim a worker asks [Uses] about what was published
// or released: adopted records, and uploads that were complete. A row that still
// refers to it keeps it. A release of one object is withdrawn; an upload becomes
// complete again, with the row as a reference under the record's version as its
// generation, or, if it was marked, after its hold was extended. What a person
// approved, what a lock had kept, several objects of one release, and what cannot be published again
// stay due. An error keeps and is no attempt. The claim is made on the version
// that was asked about.
//
// # Counting
//
// Every candidate ends in exactly one line of the [PassTally]; a run whose numbers
// do not add up is an error.
//
// # A look ahead
//
// [Pass.Preview] is the first two steps and no more: the same plan and the same
// judge, over stores that refuse to write, and a plan that nothing can execute.
// It says how a run would end ([Preview].Would). What a person is shown before
// deletion is turned on is therefore what a pass does then, but for what becomes
// due or is revived meanwhile.
//
// # An operator's pass
//
// A person's pass is [Pass.Run] with a [Trigger] of its own schedule and the
// person's name: the same lease, limits and guards. Every run keeps what its
// policy sets other than the default, so that one under another policy than the
// schedules' can be noticed before it marks anything.
//
// # What waits for a person
//
// [StuckUploads] and [ParkedUploads] find what the passes do not go on with:
// the one in the whole due index, whatever is due when; the other in the whole
// ledger, since what is parked is due never. [Unpark] lets a parked purge go on:
// it only makes it due, and the next pass and a worker decide about it as ever.
// What is parked after a person began to decide is not let go on by that
// decision.
//
// # When a pass comes by
//
// [LookAt] asks the cursors, and upload.Foresee the core, what passes will
// decide about one upload and when. Both answers are the earliest, and hold if
// nobody but the passes does anything to it.
//
// # The audit trail
//
// Every write to a record that was done, by a pass or a purge, has exactly one
// line of shared/audit, written right after the ledger's answer; so have a run
// that is paused and its approval. If the answer was lost, a worker reads the
// record and writes the line, or none, by what it says; where it cannot tell,
// and in a pass, the line says that it is unclear. Writing a line cannot fail.
//
// # The census
//
// [Census.Recount] counts what every bucket holds from the ledger. It writes
// only if every record was read.
package cleanup
