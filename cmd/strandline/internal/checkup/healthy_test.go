package checkup_test

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/policy"
)

const day = 24 * time.Hour

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// sources are a table whose rows can be asked for, and an outbox.
const sources = `[{"name":"orders","table":"orders","tenant":"acme","bucket":"uploads","paths":{"key":"image"},` +
	`"index":{"name":"by-image","attribute":"image","holds":"key"}},{"name":"shop","tenant":"acme"}]`

// healthy are the facts of an installation as the deployment makes it, at work.
func healthy() checkup.Facts {
	f := checkup.Facts{
		Region: "eu-central-1", Prefix: "acme", Policy: policy.Default(), Now: now,
		Caller: checkup.Saw(checkup.Caller{ARN: "arn:aws:sts::123456789012:assumed-role/ops/ann"}),
		Table: checkup.Saw(checkup.Table{
			Name: "acme-ledger", ARN: "arn:aws:dynamodb:eu-central-1:123456789012:table/acme-ledger", Status: "ACTIVE",
			Key: "pk and sk", Index: "due_shard and due_at", IndexStatus: "ACTIVE", Projection: "KEYS_ONLY",
			Stream: "NEW_AND_OLD_IMAGES", Protected: true, PointInTime: checkup.Saw(true), TimeToLive: checkup.Saw("ttl"),
		}),
		Gate:   checkup.Saw(gate.State{Mode: gate.Delete, Rate: 500, Burst: 1000, Revision: 2}),
		Census: checkup.Saw(cleanup.Counted{All: cleanup.BucketCensus{AsOf: now.Add(-5 * time.Hour), Objects: 1000}, Buckets: []cleanup.BucketCensus{{Bucket: "uploads", Objects: 1000}}}),
		Queue: checkup.Saw(checkup.Queue{
			Name: "acme-purge", ARN: "arn:aws:sqs:eu-central-1:123456789012:acme-purge", Visibility: 15 * time.Minute,
			Retention: 14 * day, Redrive: "arn:aws:sqs:eu-central-1:123456789012:acme-purge-dead", Receives: 1000, Depth: 12,
		}),
		DeadLetters: checkup.Saw(checkup.Queue{
			Name: "acme-purge-dead", ARN: "arn:aws:sqs:eu-central-1:123456789012:acme-purge-dead", Visibility: 15 * time.Minute, Retention: 14 * day,
		}),
		Stored: checkup.Saw(checkup.Queue{
			Name: "acme-stored", ARN: "arn:aws:sqs:eu-central-1:123456789012:acme-stored", Visibility: 30 * time.Minute,
			Retention: 14 * day, Redrive: "arn:aws:sqs:eu-central-1:123456789012:acme-events-dead", Receives: 50,
		}),
		Releases: checkup.Saw(checkup.Queue{
			Name: "acme-releases", ARN: "arn:aws:sqs:eu-central-1:123456789012:acme-releases", Visibility: 15 * time.Minute,
			Retention: 14 * day, Redrive: "arn:aws:sqs:eu-central-1:123456789012:acme-releases-dead", Receives: 1000, Depth: 3,
		}),
		ReleasesDead: checkup.Saw(checkup.Queue{
			Name: "acme-releases-dead", ARN: "arn:aws:sqs:eu-central-1:123456789012:acme-releases-dead", Visibility: 15 * time.Minute, Retention: 14 * day,
		}),
		Buckets: []checkup.Bucket{{
			Name: "uploads", Prefix: "app/",
			Versioning: checkup.Saw(checkup.Versioning{Status: "Enabled", Region: "eu-central-1"}),
			Lock:       checkup.Saw(checkup.Lock{}),
			Rules: checkup.Saw([]checkup.Rule{
				{ID: "abort", Enabled: true, AbortDays: 31}, {ID: "old", Enabled: true, NoncurrentDays: 90},
			}),
		}},
	}
	for _, name := range checkup.Services() {
		f.Services = append(f.Services, checkup.Service{Name: name, Answered: true, Date: now.Add(-time.Second), Heard: now})
	}
	for _, name := range checkup.FunctionNames() {
		f.Functions = append(f.Functions, checkup.Function{Name: name, Look: checkup.Saw(checkup.Deployed{
			ARN: "arn:aws:lambda:eu-central-1:123456789012:function:acme-" + name, State: "Active", Timeout: 2 * time.Minute,
			Role: "arn:aws:iam::123456789012:role/" + name,
			// 15 minutes is the deployment's; the command has no use for it.
			Variables: map[string]string{
				"STRANDLINE_TABLE": "acme-ledger", "STRANDLINE_VISIBILITY_TIMEOUT": "15m", "STRANDLINE_SOURCES": sources,
				"STRANDLINE_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/acme-purge",
			},
		})})
	}
	for _, task := range []string{"pass", "census", "reconcile", "sweep"} {
		every := "rate(1 day)"
		if task == "pass" {
			every = "rate(15 minutes)"
		}
		f.Schedules = append(f.Schedules, checkup.Schedule{Name: "acme-" + task, Task: task, Look: checkup.Saw(checkup.Timer{
			Enabled: true, Expression: every, DeadLetters: true,
			Target: "arn:aws:lambda:eu-central-1:123456789012:function:acme-" + checkup.Tasks()[task],
			Input:  `{"task":"` + task + `","schedule":"` + task + `","time":"<aws.scheduler.scheduled-time>"}`,
		})})
	}
	for who, all := range checkup.Needed(f) {
		for _, r := range all {
			for _, action := range r.Actions {
				f.Asked = append(f.Asked, checkup.Asked{Who: who, On: r.On, Action: action, Allowed: true})
			}
		}
	}
	return f
}

// function and schedule find what a test changes.
func function(f *checkup.Facts, name string) *checkup.Deployed {
	for i := range f.Functions {
		if f.Functions[i].Name == name {
			return &f.Functions[i].Look.Got
		}
	}
	panic(name)
}

func schedule(f *checkup.Facts, task string) *checkup.Schedule {
	for i := range f.Schedules {
		if f.Schedules[i].Task == task {
			return &f.Schedules[i]
		}
	}
	panic(task)
}

func asked(f *checkup.Facts, who, action string) *checkup.Asked {
	for i := range f.Asked {
		if f.Asked[i].Who == who && f.Asked[i].Action == action {
			return &f.Asked[i]
		}
	}
	panic(action)
}
