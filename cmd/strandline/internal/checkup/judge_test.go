package checkup_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/gate"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

func TestAHealthyInstallationHasNoFindingAndEveryCheckSpeaks(t *testing.T) {
	all := checkup.Judge(healthy())
	spoke := map[checkup.Check]bool{}
	for _, r := range all {
		spoke[r.Check] = true
		if r.Level != checkup.OK {
			t.Errorf("%+v", r)
		}
	}
	for _, c := range checkup.Checks() {
		if !spoke[c] {
			t.Errorf("the check of %s says nothing", c)
		}
	}
}

// Without the zero look being a finding, a look that somebody forgets to make
// would read as "nothing is wrong".
func TestWhatWasNeverLookedAtIsAFindingInEveryCheck(t *testing.T) {
	found := map[checkup.Check]bool{}
	for _, r := range checkup.Judge(checkup.Facts{}) {
		if r.Level == checkup.OK || r.Level == checkup.Note {
			t.Errorf("of nothing it says %+v", r)
		}
		found[r.Check] = true
	}
	for _, c := range checkup.Checks() {
		if !found[c] {
			t.Errorf("%s: nothing was looked at, and it says nothing", c)
		}
	}
}

// change is one thing that is not as it should be, and what is said about it.
type change struct {
	name  string
	spoil func(f *checkup.Facts)
	check checkup.Check
	level checkup.Level
	says  string
	fix   string
}

func changes() []change {
	const wrong, note, unchecked = checkup.Wrong, checkup.Note, checkup.Unchecked
	rule := func(r checkup.Rule) func(*checkup.Facts) {
		return func(f *checkup.Facts) {
			f.Buckets[0].Rules = checkup.Saw([]checkup.Rule{r, {ID: "abort", Enabled: true, AbortDays: 31}})
		}
	}
	return []change{
		{"a service is silent", func(f *checkup.Facts) {
			f.Services[1] = checkup.Service{Name: "SQS", Says: "connection refused"}
		}, checkup.CheckEndpoint, wrong, "no answer comes: connection refused", "--endpoint and --region"},
		{"the machine's clock is ahead", func(f *checkup.Facts) { f.Services[2].Heard = now.Add(6 * time.Minute) },
			checkup.CheckClock, wrong, "6m1s ahead by S3", "NTP"},
		{"the machine's clock is behind", func(f *checkup.Facts) { f.Services[0].Heard = now.Add(-7 * time.Minute) },
			checkup.CheckClock, wrong, "6m59s behind by DynamoDB", "NTP"},
		{"no answer had a Date", func(f *checkup.Facts) {
			for i := range f.Services {
				f.Services[i].Date = time.Time{}
			}
		}, checkup.CheckClock, unchecked, "no answer had a Date", "endpoint check"},

		{"there is no table", func(f *checkup.Facts) {
			f.Table.Seen, f.Table.Failed = false, checkup.Failure{Kind: checkup.Absent}
		}, checkup.CheckTable, wrong, "it is not there", "--table"},
		{"the table may not be described", func(f *checkup.Facts) {
			f.Table.Seen, f.Table.Failed = false, checkup.Failure{Kind: checkup.Denied, Says: "denied: DynamoDB DescribeTable"}
		}, checkup.CheckTable, unchecked, "denied", "allow dynamodb:DescribeTable"},
		{"the table is being made", func(f *checkup.Facts) { f.Table.Got.Status = "CREATING" }, checkup.CheckTable, wrong, "CREATING", "wait"},
		{"another table", func(f *checkup.Facts) { f.Table.Got.Key = "id and " }, checkup.CheckTable, wrong, "its key is id and", "another table"},
		{"the table may be deleted", func(f *checkup.Facts) { f.Table.Got.Protected = false }, checkup.CheckTable, note, "deletion protection is off", ""},
		{"no index", func(f *checkup.Facts) { f.Table.Got.IndexStatus = "" }, checkup.CheckIndex, wrong, "nothing that is due is found", "deploy again"},
		{"the index is being filled", func(f *checkup.Facts) { f.Table.Got.IndexStatus = "BACKFILLING" }, checkup.CheckIndex, wrong, "BACKFILLING", "wait"},
		{"the index has another key", func(f *checkup.Facts) { f.Table.Got.Index = "due_at and " }, checkup.CheckIndex, wrong, "due_shard and due_at", "delete the index"},
		{"the index carries everything", func(f *checkup.Facts) { f.Table.Got.Projection = "ALL" }, checkup.CheckIndex, wrong, "projects ALL", "delete the index"},
		{"no recovery", func(f *checkup.Facts) { f.Table.Got.PointInTime = checkup.Saw(false) },
			checkup.CheckRecovery, wrong, "recovery is off", "update-continuous-backups --table-name acme-ledger"},
		{"no time to live", func(f *checkup.Facts) { f.Table.Got.TimeToLive = checkup.Saw("") }, checkup.CheckTimeToLive, wrong, "stay for ever", "AttributeName=ttl"},
		{"time to live by another attribute", func(f *checkup.Facts) { f.Table.Got.TimeToLive = checkup.Saw("due_at") },
			checkup.CheckTimeToLive, wrong, "deletes items that live", "turn it off"},
		{"no stream", func(f *checkup.Facts) { f.Table.Got.Stream = "" }, checkup.CheckStream, wrong, "the stream is off", "deploy again"},

		{"the queue is not given", func(f *checkup.Facts) {
			f.Queue = checkup.Look[checkup.Queue]{Failed: checkup.Failure{Kind: checkup.NotGiven, Says: "--queue-url is not given"}}
		}, checkup.CheckQueue, unchecked, "--queue-url is not given", "give it"},
		{"a FIFO queue", func(f *checkup.Facts) { f.Queue.Got.Name = "acme-purge.fifo" }, checkup.CheckQueue, wrong, "FIFO", "standard"},
		{"messages come back while they are worked on", func(f *checkup.Facts) { f.Queue.Got.Visibility = 5 * time.Minute },
			checkup.CheckQueue, wrong, "hides a message for 5m, less than 15m", "VisibilityTimeout=900"},
		{"messages do not wait long enough", func(f *checkup.Facts) {
			f.Queue.Got.Retention = 4 * time.Hour
			f.DeadLetters.Got.Retention = 4 * time.Hour
		},
			checkup.CheckQueue, wrong, "keeps a message for 4h, less than 12h", "MessageRetentionPeriod=1209600"},
		{"no dead letters", func(f *checkup.Facts) { f.Queue.Got.Redrive = "" }, checkup.CheckQueue, wrong, "no dead-letter queue", "RedrivePolicy"},
		{"dead letters go elsewhere", func(f *checkup.Facts) { f.Queue.Got.Redrive += "-2" }, checkup.CheckQueue, wrong, "go to acme-purge-dead-2", "--dead-letter-url"},
		{"given up too soon", func(f *checkup.Facts) { f.Queue.Got.Receives = 5 }, checkup.CheckQueue, wrong, "after 5 receives, fewer than 160", "maxReceiveCount of 1000"},
		{"above the high-water", func(f *checkup.Facts) { f.Queue.Got.Depth = 100_001 }, checkup.CheckDepth, wrong, "passes publish nothing", "strandline mode"},
		{"dead letters wait", func(f *checkup.Facts) { f.DeadLetters.Got.Depth = 2 }, checkup.CheckDead, wrong, "2 messages wait", "strandline dlq list"},
		{"dead letters are forgotten sooner", func(f *checkup.Facts) { f.DeadLetters.Got.Retention = 4 * day }, checkup.CheckDead, wrong, "4 days, less than", "MessageRetentionPeriod=1209600"},

		{"no queue of stored objects", func(f *checkup.Facts) { f.Stored = absent[checkup.Queue]() }, checkup.CheckStored, wrong, "not there", "--stored-url"},
		{"a notice comes back while it is worked on", func(f *checkup.Facts) { f.Stored.Got.Visibility = 10 * time.Minute },
			checkup.CheckStored, wrong, "hides a message for 10m, less than 12m: a batch is delivered again while the recorder works on it", "VisibilityTimeout=720"},
		{"releases that kill the relay come back for ever", func(f *checkup.Facts) { f.Releases.Got.Redrive = "" }, checkup.CheckReleases, wrong, "no dead-letter queue", "RedrivePolicy"},
		{"releases are given up elsewhere", func(f *checkup.Facts) { f.Releases.Got.Redrive += "-2" }, checkup.CheckReleases, wrong, "go to acme-releases-dead-2, not to", "deploy again"},
		{"releases were not read", func(f *checkup.Facts) { f.ReleasesDead.Got.Depth = 7 }, checkup.CheckParked, wrong, "7 releases wait for a person", "--queue releases"},
		{"what was not read is forgotten sooner", func(f *checkup.Facts) { f.ReleasesDead.Got.Retention = day }, checkup.CheckParked, wrong, "for 24h, less than", "MessageRetentionPeriod=1209600"},
		{"the relay is told of other sources than the worker", func(f *checkup.Facts) { function(f, "worker").Variables["STRANDLINE_SOURCES"] = "" },
			checkup.CheckFunctions, wrong, "told of other sources than the worker", "deploy again"},
		{"there are sources and no relay", func(f *checkup.Facts) { lacks(f, "relay") }, checkup.CheckFunctions, wrong, "not there", "deploy it"},
		{"nobody may ask the rows", func(f *checkup.Facts) {
			for i := range f.Asked {
				if f.Asked[i].Who == "worker" && f.Asked[i].On == rights.SourceRows {
					f.Asked[i].Allowed, f.Asked[i].Failed = false, checkup.Failure{Kind: checkup.Denied, Says: "table orders"}
				}
			}
		}, checkup.CheckRights, wrong, "denied: dynamodb:Query (table orders)", "worker's role"},

		{"versioning is suspended", func(f *checkup.Facts) { f.Buckets[0].Versioning.Got.Status = "Suspended" },
			checkup.CheckVersioning, wrong, "versioning is suspended", "put-bucket-versioning --bucket uploads"},
		{"versioning never was on", func(f *checkup.Facts) { f.Buckets[0].Versioning.Got.Status = "" }, checkup.CheckVersioning, wrong, "versioning is off", "Status=Enabled"},
		{"the bucket is elsewhere", func(f *checkup.Facts) { f.Buckets[0].Versioning.Got.Region = "us-east-1" }, checkup.CheckVersioning, wrong, "in us-east-1, not in eu-central-1", "--region us-east-1"},
		{"the bucket is gone", func(f *checkup.Facts) {
			f.Buckets[0].Versioning = checkup.Look[checkup.Versioning]{Failed: checkup.Failure{Kind: checkup.Absent}}
		}, checkup.CheckVersioning, wrong, "it is not there", "--bucket"},
		{"no bucket is known", func(f *checkup.Facts) { f.Buckets = nil }, checkup.CheckVersioning, unchecked, "no bucket is known", "--bucket"},
		{"no bucket is known, so S3 was not asked", func(f *checkup.Facts) {
			f.Buckets = nil
			f.Services = slices.DeleteFunc(slices.Clone(f.Services), func(s checkup.Service) bool { return s.Name == "S3" })
		}, checkup.CheckEndpoint, unchecked, "no bucket is known", "--bucket"},
		{"MFA delete", func(f *checkup.Facts) { f.Buckets[0].Versioning.Got.MFADelete = true }, checkup.CheckMFADelete, wrong, "no function can delete", "MFADelete=Disabled"},
		{"a default retention", func(f *checkup.Facts) {
			f.Buckets[0].Lock = checkup.Saw(checkup.Lock{Enabled: true, Mode: "GOVERNANCE", Retention: 30 * day})
		}, checkup.CheckLock, note, "locked for 30 days in governance mode", ""},
		{"object lock may not be seen", func(f *checkup.Facts) {
			f.Buckets[0].Lock = checkup.Look[checkup.Lock]{Failed: checkup.Failure{Kind: checkup.Denied, Says: "denied"}}
		}, checkup.CheckLock, unchecked, "denied", "s3:GetBucketObjectLockConfiguration"},
		{"a rule expires current objects", rule(checkup.Rule{ID: "tidy", Enabled: true, CurrentDays: 30}),
			checkup.CheckLifecycle, wrong, `rule "tidy" expires current objects after 30 days`, "take Expiration out"},
		{"a rule expires current objects on a date", rule(checkup.Rule{ID: "tidy", Enabled: true, OnDate: true}),
			checkup.CheckLifecycle, wrong, "expires current objects on a date", "take Expiration out"},
		{"a narrowed rule, of a folder of ours", rule(checkup.Rule{ID: "tidy", Enabled: true, CurrentDays: 1, Narrowed: true, Prefix: "app/tmp/"}),
			checkup.CheckLifecycle, wrong, "expires current objects after 1 day", "take Expiration out"},
		{"noncurrent versions go before the graces", rule(checkup.Rule{ID: "old", Enabled: true, NoncurrentDays: 29}),
			checkup.CheckLifecycle, wrong, "after 29 days, earlier than the graces (30 days)", "more than 30"},
		{"no rule aborts what is unfinished", func(f *checkup.Facts) { f.Buckets[0].Rules = checkup.Saw[[]checkup.Rule](nil) },
			checkup.CheckLifecycle, note, "no rule aborts", ""},
		{"uploads are aborted before their deadline", func(f *checkup.Facts) {
			function(f, "worker").Variables["STRANDLINE_UPLOAD_DEADLINE"] = "72h"
			f.Buckets[0].Rules = checkup.Saw([]checkup.Rule{{ID: "abort", Enabled: true, AbortDays: 2}})
		}, checkup.CheckLifecycle, wrong, "after 2 days, earlier than the deadline (3 days)", "more than 3"},

		{"a function is missing", func(f *checkup.Facts) {
			f.Functions = slices.DeleteFunc(f.Functions, func(one checkup.Function) bool { return one.Name == "reconciler" })
		}, checkup.CheckFunctions, unchecked, "not looked at", "run doctor again"},
		{"a function is of another installation", func(f *checkup.Facts) { function(f, "worker").Variables["STRANDLINE_TABLE"] = "other-ledger" },
			checkup.CheckFunctions, wrong, `works on table "other-ledger"`, "--table"},
		{"a function has another queue", func(f *checkup.Facts) {
			function(f, "scheduler").Variables["STRANDLINE_QUEUE_URL"] = "https://sqs.eu-central-1.amazonaws.com/1/other-purge"
		}, checkup.CheckFunctions, wrong, "its queue is other-purge, this command's is acme-purge", "--queue-url"},
		{"a function is pending", func(f *checkup.Facts) { function(f, "scheduler").State = "Inactive" }, checkup.CheckFunctions, wrong, "Inactive", "deploy again"},
		{"the worker may run longer than it says", func(f *checkup.Facts) { function(f, "worker").Timeout = 5 * time.Minute },
			checkup.CheckFunctions, wrong, "may run for 5m, and its policy says 2m", "deploy again"},
		{"the functions have another grace", func(f *checkup.Facts) { function(f, "scheduler").Variables["STRANDLINE_ACTIVITY_GRACE"] = "48h" },
			checkup.CheckPolicy, wrong, "ACTIVITY_GRACE is 48h there, 24h here", "export STRANDLINE_ACTIVITY_GRACE=48h"},
		{"the functions have a grace that cannot be", func(f *checkup.Facts) { function(f, "worker").Variables["STRANDLINE_ACTIVITY_GRACE"] = "1m" },
			checkup.CheckPolicy, wrong, "STRANDLINE_ACTIVITY_GRACE) is 1m0s: the floor is", "deploy again"},

		{"no schedule of the pass", func(f *checkup.Facts) { schedule(f, "pass").Look = absent[checkup.Timer]() }, checkup.CheckSchedules, wrong, "not there", "nothing is cleaned up"},
		{"no schedule of the census", func(f *checkup.Facts) { schedule(f, "census").Look = absent[checkup.Timer]() }, checkup.CheckSchedules, wrong, "not there", "nothing is published"},
		{"a schedule is off", func(f *checkup.Facts) { schedule(f, "pass").Look.Got.Enabled = false }, checkup.CheckSchedules, wrong, "disabled: nothing is cleaned up", "ENABLED"},
		{"a schedule is over", func(f *checkup.Facts) { schedule(f, "sweep").Look.Got.Ends = now.Add(-day) }, checkup.CheckSchedules, wrong, "ended on 2026-11-29", "end date"},
		{"a schedule invokes another function", func(f *checkup.Facts) {
			schedule(f, "census").Look.Got.Target = "arn:aws:lambda:eu:1:function:acme-worker"
		},
			checkup.CheckSchedules, wrong, "invokes acme-worker, not acme-scheduler", "deploy again"},
		{"a schedule asks for something else", func(f *checkup.Facts) { schedule(f, "census").Look.Got.Input = schedule(f, "pass").Look.Got.Input },
			checkup.CheckSchedules, wrong, "does not ask for a census", "deploy again"},
		{"a schedule does not say its time", func(f *checkup.Facts) { schedule(f, "pass").Look.Got.Input = `{"task":"pass"}` }, checkup.CheckSchedules, wrong, "lacks <aws.scheduler.scheduled-time>", "deploy again"},
		{"a schedule loses what fails", func(f *checkup.Facts) { schedule(f, "pass").Look.Got.DeadLetters = false }, checkup.CheckSchedules, wrong, "no dead-letter queue", "deploy again"},
		{"the census is counted too seldom", func(f *checkup.Facts) { schedule(f, "census").Look.Got.Expression = "rate(2 days)" },
			checkup.CheckSchedules, wrong, "every 2 days: the census is older", "more often than every 26h"},
		{"passes are too seldom", func(f *checkup.Facts) { schedule(f, "pass").Look.Got.Expression = "rate(1 hour)" },
			checkup.CheckSchedules, wrong, "every 1h, and PassEvery is 15m", "every 15m"},

		{"the gate is paused", func(f *checkup.Facts) { f.Gate.Got.Paused = true }, checkup.CheckGate, wrong, "it is paused", "strandline resume"},
		{"report-only", func(f *checkup.Facts) { f.Gate.Got = gate.State{} }, checkup.CheckGate, note, "report-only", ""},
		{"slowed by throttles", func(f *checkup.Facts) { f.Gate.Got.SlowedTo, f.Gate.Got.SlowedAt = 250, f.Now.Add(-time.Minute) },
			checkup.CheckGate, note, "slowed to 350 of 500 versions a second", ""},
		{"open without a rate", func(f *checkup.Facts) { f.Gate.Got.Rate = 0 }, checkup.CheckGate, wrong, "workers get no slot", "strandline rate set"},
		{"the census is old", func(f *checkup.Facts) { f.Census.Got.All.AsOf = now.Add(-27 * time.Hour) }, checkup.CheckCensus, wrong, "27h0m0s old", "census recount"},
		{"no census", func(f *checkup.Facts) { f.Census.Got.All.AsOf = time.Time{} }, checkup.CheckCensus, wrong, "there is no census", "census recount"},
		{"a census of tomorrow", func(f *checkup.Facts) { f.Census.Got.All.AsOf = now.Add(time.Hour) }, checkup.CheckCensus, wrong, "in the future", "census recount"},

		{"the census may not be read", func(f *checkup.Facts) {
			f.Census.Seen, f.Census.Failed = false, checkup.Failure{Kind: checkup.Denied, Says: "denied: DynamoDB Query"}
		}, checkup.CheckCensus, unchecked, "denied: DynamoDB Query", "allow dynamodb:Query"},
		{"a service was never asked", func(f *checkup.Facts) { f.Services = f.Services[1:] }, checkup.CheckEndpoint, unchecked, "never asked", "run doctor again"},
		{"a customer's key that nobody asked after", func(f *checkup.Facts) {
			f.Table.Got.CustomerKey = "arn:aws:kms:eu-central-1:123456789012:key/1"
			for who := range checkup.Needed(*f) {
				for _, action := range rights.UsesKey().Actions {
					f.Asked = append(f.Asked, checkup.Asked{Who: who, On: rights.Key, Action: action, Allowed: who != "worker"})
				}
			}
		}, checkup.CheckRights, unchecked, "could not be told: kms:Decrypt", "SimulatePrincipalPolicy"},
		{"a right on something that was not seen", func(f *checkup.Facts) {
			a := asked(f, "scheduler", "sqs:SendMessage")
			a.Allowed, a.Failed = false, checkup.Failure{Kind: checkup.NotGiven, Says: "the queue was not seen"}
		}, checkup.CheckRights, unchecked, "sqs:SendMessage (the queue was not seen)", "see the checks of functions, queues and buckets"},
		{"you name no log group of the audit trail", func(f *checkup.Facts) {
			a := asked(f, checkup.You, "logs:PutLogEvents")
			a.Allowed, a.Failed = false, checkup.Failure{Kind: checkup.NotGiven, Says: "no log group is named"}
		}, checkup.CheckRights, unchecked, "logs:PutLogEvents (no log group is named)", "--audit-group"},

		{"the worker may not delete", func(f *checkup.Facts) {
			*asked(f, "worker", "s3:DeleteObjectVersion") = checkup.Asked{
				Who: "worker", On: rights.Objects, Action: "s3:DeleteObjectVersion", Failed: checkup.Failure{Kind: checkup.Denied, Says: "bucket uploads"},
			}
		}, checkup.CheckRights, wrong, "denied: s3:DeleteObjectVersion (bucket uploads)", "worker's role"},
		{"the operator may not redrive", func(f *checkup.Facts) {
			a := asked(f, checkup.You, "sqs:DeleteMessage")
			a.Allowed, a.Failed = false, checkup.Failure{Kind: checkup.Denied}
		}, checkup.CheckRights, wrong, "denied: sqs:DeleteMessage", "OperatorsPolicyArn"},
		{"a right nobody asked after", func(f *checkup.Facts) {
			f.Asked = slices.DeleteFunc(f.Asked, func(a checkup.Asked) bool { return a.Action == "s3:AbortMultipartUpload" && a.Who == "worker" })
		}, checkup.CheckRights, unchecked, "could not be told: s3:AbortMultipartUpload (nobody asked)", "SimulatePrincipalPolicy"},
		{"IAM may not be asked", func(f *checkup.Facts) {
			for i := range f.Asked {
				if f.Asked[i].Who == "worker" {
					f.Asked[i].Allowed, f.Asked[i].Failed = false, checkup.Failure{Kind: checkup.Other, Says: "denied: IAM SimulatePrincipalPolicy"}
				}
			}
		}, checkup.CheckRights, unchecked, "rights could be told: denied: IAM SimulatePrincipalPolicy", "SimulatePrincipalPolicy"},
	}
}

func absent[T any]() checkup.Look[T] {
	return checkup.Look[T]{Failed: checkup.Failure{Kind: checkup.Absent}}
}

// Each guard of the judge is one of these lines: without it the change is no
// finding, and the operator learns of it from an alarm, or from nothing.
func TestWhatIsNotInOrderIsSaidOnceWithItsFix(t *testing.T) {
	for _, c := range changes() {
		t.Run(c.name, func(t *testing.T) {
			f := healthy()
			c.spoil(&f)
			var said []checkup.Result
			praised := map[string]bool{}
			all := checkup.Judge(f)
			for _, r := range all {
				if r.Level == checkup.OK {
					praised[string(r.Check)+r.On] = true
				}
			}
			for _, r := range all {
				if r.Finding() && praised[string(r.Check)+r.On] {
					t.Errorf("it is in order as well: %+v", r)
				}
				if r.Level == c.level && r.Check == c.check && strings.Contains(r.Says, c.says) {
					said = append(said, r)
				}
				if r.Finding() && (r.Fix == "" || strings.Contains(r.Fix, "\n") || strings.Contains(r.Says, "\n")) {
					t.Errorf("a finding without a fix of one line: %+v", r)
				}
			}
			if len(said) != 1 || !strings.Contains(said[0].Fix, c.fix) {
				t.Fatalf("expected one %s of %s with %q and the fix %q, got %+v", c.level, c.check, c.says, c.fix, findings(f))
			}
		})
	}
}

func findings(f checkup.Facts) []checkup.Result {
	return slices.DeleteFunc(checkup.Judge(f), func(r checkup.Result) bool { return r.Level == checkup.OK })
}

// lacks takes a function away.
func lacks(f *checkup.Facts, name string) {
	for i := range f.Functions {
		if f.Functions[i].Name == name {
			f.Functions[i].Look = absent[checkup.Deployed]()
		}
	}
}

// Without sources the deployment makes no relay, and gives nobody a right on
// tables.
func TestWithoutSourcesAnInstallationWithoutARelayIsInOrder(t *testing.T) {
	f := healthy()
	for i := range f.Functions {
		f.Functions[i].Look.Got.Variables["STRANDLINE_SOURCES"] = ""
	}
	lacks(&f, "relay")
	f.Asked = slices.DeleteFunc(f.Asked, func(a checkup.Asked) bool {
		return a.Who == "relay" || slices.Contains([]rights.Place{rights.SourceRows, rights.SourceTables, rights.Mappings}, a.On)
	})
	if found := findings(f); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// What a cron expression comes to is left to who wrote it; that nobody had to
// ask IAM is no fault of its.
func TestACronScheduleAndAnIAMThatNobodyAskedAreInOrder(t *testing.T) {
	f := healthy()
	schedule(&f, "pass").Look.Got.Expression = "cron(0/15 1-5 * * ? *)"
	f.Services = slices.DeleteFunc(f.Services, func(s checkup.Service) bool { return s.Name == "IAM" })
	if found := findings(f); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// Object lock without a default keeps only what somebody locks.
func TestALockWithoutADefaultIsInOrder(t *testing.T) {
	f := healthy()
	f.Buckets[0].Lock = checkup.Saw(checkup.Lock{Enabled: true})
	if found := findings(f); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// A rule of somebody else's folder, and one that is off, are none of ours.
func TestARuleThatCannotTouchOursIsNoFinding(t *testing.T) {
	for name, r := range map[string]checkup.Rule{
		"of another folder": {ID: "logs", Enabled: true, CurrentDays: 1, NoncurrentDays: 1, Prefix: "logs/"},
		"disabled":          {ID: "off", CurrentDays: 1, NoncurrentDays: 1, AbortDays: 1},
		"after the graces":  {ID: "old", Enabled: true, NoncurrentDays: 30, AbortDays: 1},
	} {
		f := healthy()
		f.Buckets[0].Rules = checkup.Saw([]checkup.Rule{r, {ID: "abort", Enabled: true, AbortDays: 31}})
		if found := findings(f); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
