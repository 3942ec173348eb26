package checkup

import (
	"fmt"

	"github.com/strandline-dev/strandline/shared/policy"
)

// Level says how much a result matters.
type Level string

// The levels. Wrong and Unchecked are findings.
const (
	OK        Level = "ok"
	Note      Level = "note"
	Wrong     Level = "wrong"
	Unchecked Level = "unchecked"
)

// Check is what was looked at.
type Check string

// The checks, in the order in which they are shown.
const (
	CheckEndpoint   Check = "endpoint"
	CheckClock      Check = "clock"
	CheckTable      Check = "table"
	CheckIndex      Check = "index"
	CheckRecovery   Check = "recovery"
	CheckTimeToLive Check = "time to live"
	CheckStream     Check = "stream"
	CheckQueue      Check = "queue"
	CheckDepth      Check = "queue depth"
	CheckDead       Check = "dead letters"
	CheckStored     Check = "stored objects"
	CheckReleases   Check = "releases"
	CheckParked     Check = "parked releases"
	CheckVersioning Check = "versioning"
	CheckMFADelete  Check = "MFA delete"
	CheckLock       Check = "object lock"
	CheckLifecycle  Check = "lifecycle"
	CheckFunctions  Check = "functions"
	CheckPolicy     Check = "policy"
	CheckSchedules  Check = "schedules"
	CheckGate       Check = "gate"
	CheckCensus     Check = "census"
	CheckRights     Check = "rights"
)

// Checks is the closed list.
func Checks() []Check {
	return []Check{
		CheckEndpoint, CheckClock, CheckTable, CheckIndex, CheckRecovery, CheckTimeToLive, CheckStream,
		CheckQueue, CheckDepth, CheckDead, CheckStored, CheckReleases, CheckParked, CheckVersioning, CheckMFADelete, CheckLock, CheckLifecycle,
		CheckFunctions, CheckPolicy, CheckSchedules, CheckGate, CheckCensus, CheckRights,
	}
}

// Result is what one check says about one thing. A finding has a Fix.
type Result struct {
	Check Check  `json:"check"`
	On    string `json:"on"`
	Level Level  `json:"level"`
	Says  string `json:"says"`
	Fix   string `json:"fix,omitempty"`
}

// Finding reports whether a person has to do something about it.
func (r Result) Finding() bool { return r.Level == Wrong || r.Level == Unchecked }

// Findings counts them.
func Findings(all []Result) int {
	n := 0
	for _, r := range all {
		if r.Finding() {
			n++
		}
	}
	return n
}

// judge gathers results. It reads facts and changes nothing.
type judge struct {
	facts Facts
	// policy is the deployed one where it is known, else the command's own.
	policy policy.Policy
	all    []Result
}

// on is a check of one thing.
type on struct {
	j     *judge
	check Check
	thing string
}

func (j *judge) on(c Check, format string, args ...any) on {
	return on{j, c, fmt.Sprintf(format, args...)}
}

func (o on) add(l Level, says, fix string) {
	o.j.all = append(o.j.all, Result{Check: o.check, On: o.thing, Level: l, Says: says, Fix: fix})
}

func (o on) ok(format string, args ...any)   { o.add(OK, fmt.Sprintf(format, args...), "") }
func (o on) note(format string, args ...any) { o.add(Note, fmt.Sprintf(format, args...), "") }

func (o on) wrong(fix, format string, args ...any) {
	o.add(Wrong, fmt.Sprintf(format, args...), fix)
}

// seen reports whether a look saw something; if not, that is a finding. needs
// is the right that the look takes.
func seen[T any](o on, l Look[T], needs, ifAbsent string) bool {
	if l.Seen {
		return true
	}
	f := l.Failed
	switch f.Kind {
	case NotGiven:
		o.add(Unchecked, f.Says, "give it, and run doctor again")
	case Absent:
		o.add(Wrong, "it is not there", ifAbsent)
	case Denied:
		o.add(Unchecked, f.Says, "allow "+needs+" to whoever runs doctor (docs/deploy.md, Rights, Operators)")
	case Silent:
		o.add(Unchecked, f.Says, "see the endpoint check")
	case Other:
		o.add(Unchecked, f.Says, "run doctor again; if it stays, look at what the service says")
	default:
		o.add(Unchecked, "it was not looked at", "run doctor again")
	}
	return false
}
