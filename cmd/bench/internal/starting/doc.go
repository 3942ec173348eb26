// Package starting measures cold starts: from the start of a function's process
// to its answer to a first event, behind the stand-in of Lambda's runtime
// interface, over an emulator. The first events are real ones, with all calls
// that they take: a pass, a purge, a sweep, a notice, a release. Beside them
// stands a function that does nothing but answer, and what the same process
// takes for its second event.
package starting
