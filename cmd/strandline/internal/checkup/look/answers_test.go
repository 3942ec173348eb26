package look_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup/look"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/schema/rights"
)

// between stands between the gatherer and the emulator, and answers itself what
// the emulator cannot.
type between struct {
	aws.HTTPClient
	answer func(operation string) (status int, body string, header http.Header)
	change func(*http.Response)
}

func (b between) Do(r *http.Request) (*http.Response, error) {
	if b.answer != nil {
		if status, body, header := b.answer(middleware.GetOperationName(r.Context())); status != 0 {
			if header == nil {
				header = http.Header{}
			}
			header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
			return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		}
	}
	answer, err := b.HTTPClient.Do(r)
	if err == nil && b.change != nil {
		b.change(answer)
	}
	return answer, err
}

// only answers one operation.
func only(operation string, status int, body string) func(string) (int, string, http.Header) {
	return func(asked string) (int, string, http.Header) {
		if asked != operation {
			return 0, "", nil
		}
		return status, body, nil
	}
}

func TestWhatTheEmulatorCannotBeIsReadFromTheAnswerItself(t *testing.T) {
	d := deploy(t, "look-answers")
	bare := d.options.Config.HTTPClient
	for _, c := range []struct {
		name string
		by   between
		says string
		more bool // it brings other findings with it
	}{
		{"MFA delete", between{answer: only("GetBucketVersioning", 200,
			`<VersioningConfiguration><Status>Enabled</Status><MfaDelete>Enabled</MfaDelete></VersioningConfiguration>`)},
			"MFA delete: bucket look-answers-uploads: it is on", false},
		{"a default retention", between{answer: only("GetObjectLockConfiguration", 200,
			`<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>30</Days></DefaultRetention></Rule></ObjectLockConfiguration>`)},
			"object lock: bucket look-answers-uploads: every version is locked for 30 days in compliance mode", false},
		{"a bucket elsewhere", between{answer: func(operation string) (int, string, http.Header) {
			if operation != "HeadBucket" {
				return 0, "", nil
			}
			return http.StatusMovedPermanently, "", http.Header{"X-Amz-Bucket-Region": {"eu-west-1"}}
		}}, "versioning: bucket look-answers-uploads: it is in eu-west-1, not in us-east-1", true},
		{"a clock that is behind", between{change: func(r *http.Response) {
			r.Header.Set("Date", time.Now().Add(10*time.Minute).UTC().Format(http.TimeFormat))
		}}, "behind by", false},
		{"the index is being filled", between{answer: only("DescribeTable", 200, `{"Table":{"TableName":"look-answers-ledger","TableStatus":"ACTIVE",`+
			`"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/look-answers-ledger","DeletionProtectionEnabled":true,`+
			`"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"},`+
			`"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"GlobalSecondaryIndexes":[{"IndexName":"due",`+
			`"IndexStatus":"CREATING","Backfilling":true,"Projection":{"ProjectionType":"KEYS_ONLY"},`+
			`"KeySchema":[{"AttributeName":"due_shard","KeyType":"HASH"},{"AttributeName":"due_at","KeyType":"RANGE"}]}]}}`)},
			"index: index due: its status is BACKFILLING", true}, // every table has the answer, an application's too
		{"a customer's key that the roles may not use", between{answer: only("DescribeTable", 200, `{"Table":{"TableName":"look-answers-ledger","TableStatus":"ACTIVE",`+
			`"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/look-answers-ledger",`+
			`"SSEDescription":{"Status":"ENABLED","SSEType":"KMS","KMSMasterKeyArn":"arn:aws:kms:us-east-1:000000000000:key/1"}}}`)},
			"rights: worker on key: denied: kms:Decrypt kms:DescribeKey", true},
		{"no recovery", between{answer: only("DescribeContinuousBackups", 200,
			`{"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED","PointInTimeRecoveryDescription":{"PointInTimeRecoveryStatus":"DISABLED"}}}`)},
			"recovery: table look-answers-ledger: point-in-time recovery is off", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.by.HTTPClient = bare
			d.t, d.options.Config.HTTPClient = t, c.by
			found := d.findings()
			if !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, c.says) }) {
				t.Errorf("expected %q, got\n%s", c.says, strings.Join(found, "\n"))
			}
			if len(found) > 1 && !c.more {
				t.Errorf("expected %q alone, got\n%s", c.says, strings.Join(found, "\n"))
			}
		})
	}
}

// Whoever may do nothing is told so right by right, and nothing reads as in
// order because it could not be looked at.
func TestACallerWhoIsDeniedEverythingIsToldEachRightAndNothingIsInOrder(t *testing.T) {
	d := deploy(t, "look-denied")
	d.options.Config.HTTPClient = between{HTTPClient: d.options.Config.HTTPClient, answer: func(operation string) (int, string, http.Header) {
		if operation == "GetCallerIdentity" {
			return 200, identity("arn:aws:sts::000000000000:assumed-role/nobody/ann"), nil
		}
		return http.StatusForbidden, `<Error><Code>AccessDenied</Code><Message>no</Message></Error>`, http.Header{"X-Amzn-Errortype": {"AccessDeniedException"}}
	}}
	facts := look.Gather(t.Context(), d.options)
	for _, r := range checkup.Judge(facts) {
		if r.Level == checkup.OK && r.Check != checkup.CheckEndpoint && r.Check != checkup.CheckClock {
			t.Errorf("it may see nothing, and says %+v", r)
		}
	}
	for _, r := range rights.Operators() {
		for _, action := range r.Actions {
			at := slices.IndexFunc(facts.Asked, func(a checkup.Asked) bool { return a.Who == checkup.You && a.On == r.On && a.Action == action })
			if at >= 0 && facts.Asked[at].Allowed {
				t.Errorf("%s on %s: allowed", action, r.On)
			}
		}
	}
}

func identity(arn string) string {
	return `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>` + arn +
		`</Arn><UserId>u</UserId><Account>000000000000</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
}

// What cannot be tried is asked of IAM for the role behind the caller's
// session: here one that may do all but send to the queue.
func TestWhatACallerMayNotBeTriedOnIsAskedOfHisRole(t *testing.T) {
	d := deploy(t, "look-session")
	var all []rights.Right
	for _, r := range slices.Concat(rights.Operators(), rights.Audits(), []rights.Right{rights.AsksRows()}) {
		if _, known := d.arns("ops")[r.On]; !known {
			continue
		}
		if r.On == rights.PurgeQueue {
			r.Actions = slices.DeleteFunc(slices.Clone(r.Actions), func(a string) bool { return a == "sqs:SendMessage" })
		}
		all = append(all, r)
	}
	d.role("ops", all)
	d.options.Config.HTTPClient = between{
		HTTPClient: d.options.Config.HTTPClient,
		answer:     only("GetCallerIdentity", 200, identity("arn:aws:sts::000000000000:assumed-role/look-session-ops/ann")),
	}
	found := d.findings()
	if len(found) != 1 || found[0] != "rights: you on purge queue: denied: sqs:SendMessage" {
		t.Errorf("expected the one right that is missing, got\n%s", strings.Join(found, "\n"))
	}
}

// Without an answer everything is a finding, and the endpoint is the first.
func TestACloudThatDoesNotAnswerIsFoundAsThat(t *testing.T) {
	cloud := localstacktest.Config(t)
	cloud.BaseEndpoint = aws.String("http://127.0.0.1:1")
	cloud.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	o := look.Options{Config: cloud, Now: time.Now, Prefix: "x", Passes: []string{"pass"}, Buckets: []look.Place{{Bucket: "b"}}}
	o.Site.Table, o.Site.QueueURL, o.Site.DeadLetterURL = "x-ledger", "http://127.0.0.1:1/q", "http://127.0.0.1:1/d"
	looked := int64(0)
	o.Looked = func(n int64) { looked = max(looked, n) }
	all := checkup.Judge(look.Gather(t.Context(), o))
	if all[0].Check != checkup.CheckEndpoint || all[0].Level != checkup.Wrong || !strings.Contains(all[0].Says, "connection refused") {
		t.Errorf("the first finding is %+v", all[0])
	}
	for _, r := range all {
		if r.Level == checkup.OK {
			t.Errorf("nothing answers, and it says %+v", r)
		}
	}
	// Without that a network that swallows everything would be waited for, right
	// by right.
	if looked < 10 || looked > 20 {
		t.Errorf("%d looks: expected the first round, and no trial of rights", looked)
	}
}
