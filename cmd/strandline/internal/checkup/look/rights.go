package look

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// rights are the looks at what everybody may do. What whoever runs the command
// may do is tried where that is harmless; the rest, and the functions' rights,
// are asked of IAM.
func (e *eye) rights() []func(context.Context) {
	tried := e.trials()
	looks := []func(context.Context){func(context.Context) { e.fromLooks() }}
	known := map[rights.Place]map[string]bool{rights.Schedules: {}, rights.Functions: {}, rights.Roles: {}}
	for _, t := range tried {
		if known[t.on] == nil {
			known[t.on] = map[string]bool{}
		}
		known[t.on][t.action] = true
		looks = append(looks, func(ctx context.Context) { e.try(ctx, t) })
	}
	for who, all := range checkup.Needed(e.facts) {
		for _, r := range all {
			if who == checkup.You {
				r = left(r, known)
			}
			if len(r.Actions) > 0 {
				looks = append(looks, func(ctx context.Context) { e.simulate(ctx, who, r) })
			}
		}
	}
	return looks
}

// left is what of a right no trial and no look tells.
func left(r rights.Right, known map[rights.Place]map[string]bool) rights.Right {
	rest := rights.Right{On: r.On}
	byLook := r.On == rights.Schedules || r.On == rights.Functions || r.On == rights.Roles
	for _, action := range r.Actions {
		if !byLook && !known[r.On][action] {
			rest.Actions = append(rest.Actions, action)
		}
	}
	return rest
}

func (e *eye) asked(a checkup.Asked) {
	e.set(func(f *checkup.Facts) { f.Asked = append(f.Asked, a) })
}

// fromLooks tells from the looks at schedules and functions whether they were
// allowed. The right to simulate shows in the simulations.
func (e *eye) fromLooks() {
	e.mu.Lock()
	schedules := checkup.Asked{Who: checkup.You, On: rights.Schedules, Action: "scheduler:GetSchedule", Allowed: true}
	for _, s := range e.facts.Schedules {
		schedules = denial(schedules, s.Look.Failed)
	}
	functions := checkup.Asked{Who: checkup.You, On: rights.Functions, Action: "lambda:GetFunctionConfiguration", Allowed: true}
	for _, d := range e.facts.Functions {
		functions = denial(functions, d.Look.Failed)
	}
	e.mu.Unlock()
	e.asked(schedules)
	e.asked(functions)
}

// denial makes of a failed look that its right is missing, or cannot be told.
func denial(a checkup.Asked, f checkup.Failure) checkup.Asked {
	if f.Kind == checkup.Denied || f.Kind == checkup.Silent || f.Kind == checkup.Other {
		a.Allowed, a.Failed = false, f
	}
	return a
}

// resource is one thing to ask after, with the words for it.
type resource struct{ arn, words string }

// resources are the things of a kind; none where nobody knows them, and why.
func (e *eye) resources(who string, place rights.Place) ([]resource, string) {
	f, sure := &e.facts, func(arn, otherwise string) ([]resource, string) {
		if arn == "" {
			return nil, otherwise
		}
		return []resource{{arn: arn}}, ""
	}
	switch place {
	case rights.Table:
		return sure(f.Table.Got.ARN, "the table was not seen")
	case rights.Index:
		return sure(suffixed(f.Table.Got.ARN, "/index/due"), "the table was not seen")
	case rights.PurgeQueue:
		return sure(f.Queue.Got.ARN, "the queue was not seen")
	case rights.PurgeDead:
		return sure(f.DeadLetters.Got.ARN, "the dead letters' queue was not seen")
	case rights.EventsDead:
		return sure(e.deployed("scheduler").DeadLetters, "the scheduler was not seen, or names no dead-letter queue")
	case rights.StoredQueue:
		return sure(f.Stored.Got.ARN, "the queue of stored objects was not seen")
	case rights.ReleasesQueue:
		return sure(f.Releases.Got.ARN, "the queue of releases was not seen")
	case rights.ReleasesDead:
		return sure(f.ReleasesDead.Got.ARN, "the queue of releases that were not read was not seen")
	case rights.AllStreams, rights.Mappings:
		return []resource{{arn: "*"}}, ""
	case rights.SourceTables, rights.Streams, rights.SourceRows:
		return e.ofTables(place)
	case rights.OwnLogs:
		return sure(e.stream(e.deployed(who).LogGroup), "the function was not seen, or names no log group")
	case rights.AuditLogs:
		return sure(e.stream(e.auditGroup(who)), "no log group of the audit trail is named: STRANDLINE_AUDIT_GROUP")
	case rights.Key:
		return sure(f.Table.Got.CustomerKey, "the table names no key")
	case rights.Sources, rights.Objects:
		return e.ofBuckets(place == rights.Objects), "no bucket is known"
	case rights.Inventories, rights.InventoryObjects:
		return sure(e.inventories(place == rights.InventoryObjects), "the reconciler was not seen, or names no inventory bucket")
	}
	return nil, "nobody knows how to ask"
}

func suffixed(arn, suffix string) string {
	if arn == "" {
		return ""
	}
	return arn + suffix
}

func (e *eye) deployed(name string) checkup.Deployed {
	for _, one := range e.facts.Functions {
		if one.Name == name {
			return one.Look.Got
		}
	}
	return checkup.Deployed{}
}

func (e *eye) bucketARN(name string) string { return "arn:" + e.partition() + ":s3:::" + name }

func (e *eye) ofBuckets(objects bool) []resource {
	var all []resource
	for _, b := range e.facts.Buckets {
		arn := e.bucketARN(b.Name)
		if objects {
			arn += "/" + b.Prefix + probe
		}
		all = append(all, resource{arn, "bucket " + b.Name})
	}
	return all
}

// ofTables are the applications' tables, their streams, or where their rows are
// asked for. One that was not seen leaves all untold.
func (e *eye) ofTables(place rights.Place) ([]resource, string) {
	var all []resource
	for _, s := range e.sources() {
		i := slices.IndexFunc(e.facts.Tables, func(t checkup.SourceTable) bool { return t.Name == s.Table })
		if i < 0 || place == rights.SourceRows && s.Index == nil {
			continue
		}
		arn := e.facts.Tables[i].Look.Got.Table
		switch {
		case place == rights.Streams:
			arn = e.facts.Tables[i].Look.Got.Stream
		case place == rights.SourceRows && s.Index.Name != "":
			arn = suffixed(arn, "/index/"+s.Index.Name)
		}
		if arn == "" {
			return nil, "table " + s.Table + " was not seen, or its stream is off"
		}
		all = append(all, resource{arn, "table " + s.Table})
	}
	return all, "no table is among the sources"
}

func (e *eye) inventories(objects bool) string {
	told := e.deployed("reconciler").Variables
	bucket := told[policy.EnvPrefix+"INVENTORY_BUCKET"]
	switch {
	case bucket == "":
		return ""
	case objects:
		return e.bucketARN(bucket) + "/" + told[policy.EnvPrefix+"INVENTORY_PREFIX"] + "/" + probe
	}
	return e.bucketARN(bucket)
}

// auditGroup is the audit trail's log group, as a function is told; whoever runs
// the command is told of one himself, or writes where the scheduler does.
func (e *eye) auditGroup(who string) string {
	const variable = policy.EnvPrefix + "AUDIT_GROUP"
	if who == checkup.You {
		return cmp.Or(e.Site.AuditGroup, e.deployed("scheduler").Variables[variable])
	}
	return e.deployed(who).Variables[variable]
}

// stream is a stream of a log group; region and account are the table's.
func (e *eye) stream(group string) string {
	words := strings.Split(e.facts.Table.Got.ARN, ":")
	if group == "" || len(words) < 6 {
		return ""
	}
	return strings.Join([]string{"arn", words[1], "logs", words[3], words[4], "log-group", group, "log-stream", probe}, ":")
}
