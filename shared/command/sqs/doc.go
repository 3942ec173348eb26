// Package sqs carries commands in a standard SQS queue: batches of ten, each
// entry's answer looked at, the tenant as the message's group, so that one
// tenant's backlog does not make the others wait (fair queues).
//
// A command counts as accepted only when the queue's answer names it. What was
// sent and not answered may be in the queue all the same; a command delivered
// twice costs money, never data.
package sqs
