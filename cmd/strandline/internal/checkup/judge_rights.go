package checkup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// You is who runs the command, among the roles.
const You = "you"

// Asked is what is known of one right.
type Asked struct {
	// Who is one of [FunctionNames], or You.
	Who    string
	On     rights.Place
	Action string
	// Allowed, or why not: Denied, or another kind where it could not be told.
	Allowed bool
	Failed  Failure
}

// Needed are the rights that the roles need, as the deployment gives them; with
// a customer's key also those on it.
func Needed(f Facts) map[string][]rights.Right {
	all := map[string][]rights.Right{
		"scheduler": rights.Scheduler(), "worker": rights.Worker(), "reconciler": rights.Reconciler(),
		recorder: rights.Recorder(), relay: rights.Relay(), You: rights.Operators(),
	}
	f.ofSources(all)
	if f.Table.Got.CustomerKey != "" {
		for who := range all {
			all[who] = append(all[who], rights.UsesKey())
		}
	}
	return all
}

// rights judges every right that is needed, asked after or not.
func (j *judge) rights() {
	for _, who := range append(FunctionNames(), You) {
		if j.facts.needless(who) {
			continue
		}
		if why, n := j.nothingTold(who); n > 0 {
			j.on(CheckRights, "%s", who).add(Unchecked, fmt.Sprintf("none of %s could be told: %s", show.Counted(int64(n), "right"), why.Says), fixUntold("", why))
			continue
		}
		before := len(j.all)
		for _, r := range Needed(j.facts)[who] {
			j.right(who, r)
		}
		if len(j.all) == before {
			j.on(CheckRights, "%s", who).ok("all that is needed")
		}
	}
}

// nothingTold is how many rights somebody needs, if for one and the same reason
// none of them could be told; else zero.
func (j *judge) nothingTold(who string) (Failure, int) {
	reason, n := Failure{}, 0
	for _, r := range Needed(j.facts)[who] {
		for _, action := range r.Actions {
			a, _ := j.facts.asked(who, r.On, action)
			why := a.Failed
			if why.Says == "" {
				why.Says = "nobody asked"
			}
			if a.Allowed || a.Failed.Kind == Denied || n > 0 && why != reason {
				return Failure{}, 0
			}
			reason = why
			n++
		}
	}
	return reason, n
}

// right is one line for what is denied, and one for what could not be told.
func (j *judge) right(who string, r rights.Right) {
	o := j.on(CheckRights, "%s on %s", who, r.On)
	var denied, unknown []string
	why := Failure{Says: "nobody asked"}
	for _, action := range r.Actions {
		a, _ := j.facts.asked(who, r.On, action)
		switch {
		case a.Allowed:
		case a.Failed.Kind == Denied:
			denied = append(denied, withThing(action, a.Failed.Says))
		default:
			unknown = append(unknown, action)
			if a.Failed.Says != "" {
				why = a.Failed
			}
		}
	}
	if len(denied) > 0 {
		o.wrong(fixRight(who), "denied: %s", strings.Join(denied, " "))
	}
	if len(unknown) > 0 {
		o.add(Unchecked, fmt.Sprintf("could not be told: %s (%s)", strings.Join(unknown, " "), why.Says), fixUntold(r.On, why))
	}
}

// fixUntold: either the thing itself was not seen, which has a check of its
// own (but for the audit trail's group, which is somebody's choice), or IAM could
// not be asked.
func fixUntold(on rights.Place, f Failure) string {
	switch {
	case f.Kind == NotGiven && on == rights.AuditLogs:
		return "name the trail's log group with --audit-group (the stack's output AuditGroupName): what you decide is not written there"
	case f.Kind == NotGiven:
		return "see the checks of functions, queues and buckets"
	}
	return "let somebody who may call iam:SimulatePrincipalPolicy run doctor, or compare with docs/deploy.md, Rights"
}

// withThing says on which of several things an action is denied.
func withThing(action, thing string) string {
	if thing == "" {
		return action
	}
	return action + " (" + thing + ")"
}

func fixRight(who string) string {
	if who == You {
		return "attach the operators' policy (the stack's output OperatorsPolicyArn) to whoever runs this command"
	}
	return "deploy again: the stack gives the " + who + "'s role all it needs; if it has, a boundary or a bucket's policy denies"
}

func (f Facts) asked(who string, place rights.Place, action string) (Asked, bool) {
	at := slices.IndexFunc(f.Asked, func(a Asked) bool { return a.Who == who && a.On == place && a.Action == action })
	if at < 0 {
		return Asked{}, false
	}
	return f.Asked[at], true
}
