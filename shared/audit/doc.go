// Package audit has the words of the audit trail: one [Line] for each decision
// that changed something, written by whoever made it, at once after it was
// made.
//
// # What a decision is
//
// Every event that cleanup, reconciliation or an operator has applied to a
// record (the kinds of shared/upload); every upload that a storage event has
// completed or cancelled; every hold that was opened, decided or
// closed; every run that waits for a person, and its approval; every turn of
// the gate's switch; every dead letter that an operator has sent back or
// discarded. What changes nothing, such as a command that was published, a
// message that was hidden or a pass that only reports, has its line in the log
// and none here. Neither has what an application does with its uploads through
// shared/intake.
//
// # What a line holds
//
// Who, what, why, for which run and operation, which attempt, and the state
// before and after. Ids only: of tenants, uploads, runs, holds, letters and
// buckets. Never the key of an object. Tenant, upload and version name a change of a
// record: a line that is there twice was written twice, not decided twice.
//
// # What may be missing
//
// A process that dies between the ledger's answer and the line leaves a
// decision without one; the next line of that upload begins where it ended. A
// write whose answer was lost has a line as soon as the record shows that it
// was done; where the record cannot be read, or has moved on, the line says
// that it is unclear.
package audit
