package checkup

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Tasks are what schedules trigger, with the function that does each.
func Tasks() map[string]string {
	return map[string]string{"pass": "scheduler", "census": "scheduler", "reconcile": "reconciler", "sweep": "reconciler"}
}

// without says what does not happen where a task's schedule is missing.
var without = map[string]string{
	"pass":      "nothing is cleaned up",
	"census":    "after CensusMaxAge nothing is published",
	"reconcile": "an inventory whose event was lost is never compared",
	"sweep":     "unfinished multipart uploads are not found",
}

// scheduledTime is what the Scheduler fills in; without it a retry is another
// run.
const scheduledTime = "<aws.scheduler.scheduled-time>"

func (j *judge) schedules() {
	asked := map[string]bool{}
	for _, s := range j.facts.Schedules {
		asked[s.Task] = true
		o := j.on(CheckSchedules, "schedule %s", s.Name)
		if seen(o, s.Look, "scheduler:GetSchedule", "deploy again, or name yours with --schedule; without it "+without[s.Task]) {
			j.schedule(o, s.Task, s.Look.Got)
		}
	}
	for _, task := range []string{"pass", "census", "reconcile", "sweep"} {
		if !asked[task] {
			j.on(CheckSchedules, "schedule of the %s", task).add(Unchecked, "it was not looked at", "run doctor again")
		}
	}
}

func (j *judge) schedule(o on, task string, t Timer) {
	before := len(j.all)
	function := j.facts.Prefix + "-" + Tasks()[task]
	switch {
	case !t.Enabled:
		o.wrong("aws scheduler update-schedule … --state ENABLED, or deploy again", "it is disabled: %s", without[task])
	case !t.Ends.IsZero() && !t.Ends.After(j.facts.Now):
		o.wrong("take its end date away", "it ended on %s: %s", t.Ends.UTC().Format(time.DateOnly), without[task])
	case !strings.HasSuffix(t.Target, ":function:"+function):
		o.wrong("deploy again", "it invokes %s, not %s", lastOf(t.Target), function)
	case !strings.Contains(t.Input, strconv.Quote(task)):
		o.wrong("deploy again", "its input does not ask for a %s", task)
	case !strings.Contains(t.Input, scheduledTime):
		o.wrong("deploy again", "its input lacks %s: the function refuses it", scheduledTime)
	case !t.DeadLetters:
		o.wrong("deploy again", "what it cannot deliver is lost: it has no dead-letter queue")
	}
	j.often(o, task, t.Expression)
	if len(j.all) == before {
		o.ok("on, %s", t.Expression)
	}
}

var rates = regexp.MustCompile(`^rate\((\d+) (minute|hour|day)s?\)$`)

// often judges a rate; what a cron expression comes to is left to who wrote
// it.
func (j *judge) often(o on, task, expression string) {
	found := rates.FindStringSubmatch(expression)
	if found == nil {
		return
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return
	}
	every := time.Duration(n) * map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": day}[found[2]]
	switch {
	case task == "census" && every >= j.policy.CensusMaxAge:
		o.wrong("let it fire more often than every "+spell(j.policy.CensusMaxAge),
			"it fires every %s: the census is older than CensusMaxAge between", spell(every))
	case task == "pass" && every > 2*j.policy.PassEvery:
		o.wrong("let it fire every "+spell(j.policy.PassEvery)+", or set PASS_EVERY",
			"it fires every %s, and PassEvery is %s", spell(every), spell(j.policy.PassEvery))
	}
}
