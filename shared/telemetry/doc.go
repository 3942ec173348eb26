// Package telemetry is what the functions tell beside their logs: numbers, and
// the audit trail. docs/metrics.md lists all of it; tests compare that list with
// what a whole run writes, both ways.
//
// A [Sink] writes metrics as lines of JSON in the embedded metric format
// ([List]). A function's standard output is all it takes: no call, no right, and
// nothing that could fail a purge. The lists are closed: a metric that is not in
// [List], or a reason that is not in [Reasons], is an error and not written. No
// metric has the name of an object, a tenant or an upload.
//
// [Fields] are the fields that log lines may have.
//
// A [Trail] writes the lines of shared/audit: at once to standard output, then
// in batches to a log group of their own (shared/telemetry/loggroup). No line is
// lost and no decision fails for it: what the group does not take is counted,
// and is in the function's own log.
//
// Engines know nothing of it, but for the words of shared/audit. A function's
// handler turns an engine's report into numbers.
package telemetry
