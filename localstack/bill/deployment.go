package bill

import "github.com/strandline-dev/strandline/shared/policy"

// What the deployment gives its functions by default; a test of package infra
// compares it.
const (
	Workers     = 5
	WorkerMB    = 512
	SchedulerMB = 1769
)

// How long a pass's calls are taken to last, and how many go side by side: it is
// bound by them.
const (
	secondsACall = 0.010
	passesCalls  = 8
)

// workerGBs is what workers take for so many versions. They wait for the rate
// inside their invocations, all of them, as long as there is a backlog: so what
// they take is how long the rate lets it last, whatever the work itself takes.
func workerGBs(versions float64) float64 {
	return versions / float64(policy.Default().DeleteRate) * Workers * WorkerMB / 1024
}

// passGBs is what passes take for so many calls.
func passGBs(calls float64) float64 {
	return calls * secondsACall / passesCalls * SchedulerMB / 1024
}
