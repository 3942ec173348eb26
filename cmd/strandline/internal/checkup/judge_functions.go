package checkup

import (
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/strandline-dev/strandline/shared/policy"
)

// FunctionNames are the functions of an installation; without sources the last
// is none of them.
func FunctionNames() []string {
	return []string{"scheduler", "worker", "reconciler", recorder, relay}
}

// functions judges each function, and what it is told against what this
// command is told.
func (j *judge) functions() {
	for _, name := range FunctionNames() {
		full := j.facts.Prefix + "-" + name
		look := j.facts.function(name)
		if j.facts.needless(name) {
			continue
		}
		o := j.on(CheckFunctions, "function %s", full)
		absent := "deploy it, or name the installation's prefix with --prefix"
		if !seen(o, look, "lambda:GetFunctionConfiguration", absent) {
			j.on(CheckPolicy, "function %s", full).add(Unchecked, "the function was not seen", "see the functions check")
			continue
		}
		j.deployed(o, name, look.Got)
		j.told(j.on(CheckPolicy, "function %s", full), look.Got)
	}
}

func (f Facts) function(name string) Look[Deployed] {
	for _, one := range f.Functions {
		if one.Name == name {
			return one.Look
		}
	}
	return Look[Deployed]{}
}

func (j *judge) deployed(o on, name string, d Deployed) {
	table := d.Variables[policy.EnvPrefix+"TABLE"]
	switch own := j.facts.Table.Got.Name; {
	case d.State != "" && d.State != "Active":
		o.wrong("wait, or deploy again", "its state is %s", d.State)
	case own != "" && table != own:
		o.wrong("give --table of the same installation, or deploy again", "it works on table %q, this command on %s", table, own)
	case (name == "scheduler" || name == "worker") && j.otherQueue(d):
		o.wrong("give --queue-url of the same installation, or deploy again", "its queue is %s, this command's is %s", queueOf(d), j.facts.Queue.Got.Name)
	case name == "worker" && d.Timeout != j.policy.WorkerTimeout:
		o.wrong("deploy again: queue and claims are measured by what the policy says", "it may run for %s, and its policy says %s", spell(d.Timeout), spell(j.policy.WorkerTimeout))
	case name == relay && j.otherSources(d):
		o.wrong("deploy again: both have to be told the same", "it is told of other sources than the worker: what it releases is not asked for before it goes")
	default:
		o.ok("deployed, may run for %s", spell(d.Timeout))
	}
}

// otherQueue reports whether a function works on another queue than this
// command.
func (j *judge) otherQueue(d Deployed) bool {
	return j.facts.Queue.Seen && queueOf(d) != j.facts.Queue.Got.Name
}

// otherSources reports whether the relay is told of other sources than the
// worker, which asks their rows.
func (j *judge) otherSources(d Deployed) bool {
	worker := j.facts.function("worker")
	return worker.Seen && worker.Got.Variables[sourcesVariable] != d.Variables[sourcesVariable]
}

func queueOf(d Deployed) string { return path.Base(d.Variables[policy.EnvPrefix+"QUEUE_URL"]) }

// functionsOnly are the policy's values that no command acts on: their
// difference is none.
var functionsOnly = map[string]bool{"WORKER_TIMEOUT": true, "VISIBILITY_TIMEOUT": true}

// told compares a function's policy with the command's: what plan, run and
// holds decide must be what the functions decide.
func (j *judge) told(o on, d Deployed) {
	theirs, err := policy.FromEnv(d.Variables)
	if err != nil {
		o.wrong("correct the variable and deploy again: the function does not start", "%s", firstLine(err.Error()))
		return
	}
	differs := differences(theirs, j.facts.Policy)
	if len(differs) == 0 {
		o.ok("the same as this command's")
		return
	}
	var exports []string
	for _, x := range differs {
		exports = append(exports, policy.EnvPrefix+x.variable+"="+x.there)
	}
	o.wrong("export "+strings.Join(exports, " ")+" for this command, or deploy again",
		"its policy differs from this command's: %s", list(differs))
}

// difference is one value of the policy, there and here.
type difference struct{ variable, there, here string }

func list(all []difference) string {
	var words []string
	for _, x := range all {
		words = append(words, fmt.Sprintf("%s is %s there, %s here", x.variable, x.there, x.here))
	}
	return strings.Join(words, "; ")
}

func differences(theirs, ours policy.Policy) []difference {
	var all []difference
	there, here := reflect.ValueOf(theirs), reflect.ValueOf(ours)
	for i := range there.NumField() {
		name := there.Type().Field(i).Tag.Get("env")
		if functionsOnly[name] || there.Field(i).Interface() == here.Field(i).Interface() {
			continue
		}
		all = append(all, difference{name, text(there.Field(i).Interface()), text(here.Field(i).Interface())})
	}
	return all
}
