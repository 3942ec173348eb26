// Package scheduler is the function that EventBridge Scheduler invokes: one
// event, one pass or one recount of the census. It holds configuration,
// composition and the event's shape; what is decided is in package cleanup.
//
// Scheduler invokes at least once, and so may Lambda: the event's fire time
// names the run, so that a repetition takes the same run up again.
package scheduler
