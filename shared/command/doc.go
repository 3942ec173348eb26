// Package command is the message between scheduler and worker: its words and
// its codec. command/sqs and command/memory carry it; command/commandtest is
// the suite both pass.
//
// A command names an upload and the version of its record that the pass saw.
// It holds no key and no URL: the ledger is the only source of what to delete.
//
// The codec is strict. Whatever does not say exactly what this version of the
// code understands is a [*Rejected]: it goes to the dead-letter queue with the
// reason, and nothing is deleted for it.
//
// A [Letter] is a message that was given up. It can be looked at without being
// taken out: received, and given back.
package command
