// Package telemetry is what the functions tell CloudWatch in numbers: a closed
// list of metrics ([List], docs/metrics.md), and a [Sink] that writes them as
// lines of JSON in the embedded metric format. A function's standard output is
// all it takes: no call, no right, and nothing that could fail a purge.
//
// Engines know nothing of it. A function's handler turns an engine's report
// into numbers. No metric has the name of an object, a tenant or an upload.
package telemetry
