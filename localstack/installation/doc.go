// Package installation runs one whole installation of Strandline in this
// process: a ledger, a bucket, a queue and a gate, in memory or on a cloud's
// endpoint, and the scheduler's and worker's own handlers over them. It
// triggers the scheduler as EventBridge Scheduler does, and brings the queue's
// messages to the worker as Lambda's event source does. Demo and end-to-end
// tests run on it; nothing that is deployed imports it.
package installation
