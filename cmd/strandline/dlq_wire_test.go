package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/intake"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

// deadOnWire makes an installation with one upload, whose command is dead, one
// letter that is no command, and a trigger that failed. It points the command's
// variables at it.
func deadOnWire(t *testing.T, prefix string) (queue *sqs.Queue, id upload.ID) {
	t.Helper()
	onWire(t)
	cfg := localstacktest.Config(t)
	in, made := created(t, cfg, prefix)
	for name, value := range map[string]string{
		"STRANDLINE_TABLE": in.Ledger.Name, "STRANDLINE_QUEUE_URL": made.PurgeURL, "STRANDLINE_DEAD_LETTER_URL": made.DeadLetterURL,
	} {
		t.Setenv(name, value)
	}
	ledger := dynamo.New(awsconf.DynamoDB(cfg), in.Ledger.Name)
	app, err := intake.New(intake.Config{
		Records: ledger, Lookups: ledger, Objects: s3.New(awsconf.S3(cfg)), Policy: policy.Default(), Now: time.Now,
	})
	must(t, err)
	s, err := app.Reserve(t.Context(), intake.Request{
		Tenant: "acme", Owner: "ann", QuotaLimit: 10, Holder: "writer", Lease: time.Minute, Bucket: in.Buckets[0].Name, Prefix: "in", Chunks: 1,
	})
	must(t, err)
	body, err := command.Encode(upload.Command{
		Run: "passes@1", Operation: upload.OpClaim, ID: s.ID(), Version: 1, Cutoff: time.Now().Add(-time.Hour), Reason: "cancelled",
	})
	must(t, err)
	client := awsconf.SQS(cfg)
	queue = sqs.New(client, made.PurgeURL, made.DeadLetterURL)
	must(t, queue.DeadLetter(t.Context(), command.Received{MessageID: "first", Body: string(body), Receives: 3}, "no such upload of this tenant"))
	must(t, queue.DeadLetter(t.Context(), command.Received{MessageID: "poison", Body: "not JSON", Receives: 1}, "message is not a JSON object"))
	_, err = client.SendMessage(t.Context(), &awssqs.SendMessageInput{
		QueueUrl:    aws.String(strings.Replace(made.DeadLetterURL, "-purge-dead", "-events-dead", 1)),
		MessageBody: aws.String(`{"task":"census","schedule":"daily","time":"2026-11-30T03:00:00Z"}`),
	})
	must(t, err)
	parked := sqs.New(client, "", made.ReleasesDeadURL)
	must(t, parked.Park(t.Context(), command.Received{MessageID: "8214", Body: `{"schema":2}`, Receives: 1}, "orders", "message: its schema is unknown"))
	return queue, s.ID()
}

// TestDeadLettersAreListedRedrivenAndDiscardedOnTheWire: the operator's whole
// way. The queues of triggers and of releases are found by their names.
func TestDeadLettersAreListedRedrivenAndDiscardedOnTheWire(t *testing.T) {
	queue, id := deadOnWire(t, "command-dead")
	letters := map[string]string{} // ids by reason
	got := runLine(t.Context(), "dlq", "list", "--json")
	if got.code != exitOK {
		t.Fatalf("exit %d: %s", got.code, got.errs)
	}
	for line := range strings.Lines(got.out) {
		var l struct {
			ID      string `json:"id"`
			Reason  string `json:"given_up_for"`
			Trigger string `json:"trigger"`
		}
		must(t, json.Unmarshal([]byte(line), &l))
		letters[l.Reason+l.Trigger] = l.ID
	}
	dead, poison, trigger := letters["no such upload of this tenant"], letters["message is not a JSON object"], letters["census"]
	release := letters["message: its schema is unknown"]
	if dead == "" || poison == "" || trigger == "" || release == "" {
		t.Fatalf("it lists %s", got.out)
	}
	for _, step := range []struct {
		args   []string
		code   int
		says   string
		queued int64
	}{
		{[]string{"list"}, exitOK, "4 dead letters: 1 can be redriven, 1 would only come back, 1 is a trigger, 1 is a release\n", 0},
		{[]string{"list", "--queue", "releases"}, exitOK, "\n1 dead letter: 1 is a release\n", 0},
		{[]string{"show", release[:12], "--body"}, exitOK, "source         orders\n", 0},
		{[]string{"show", dead[:10]}, exitOK, "upload         " + id.Upload + "\n", 0},
		{[]string{"redrive", dead}, exitFailed, "there is nobody to ask", 0},
		{[]string{"redrive", "--all", "--yes"}, exitOK, "1 redriven\n1 left: ", 1},
		{[]string{"discard", "--all", "--yes"}, exitFailed, "--all needs --queue", 1},
		{[]string{"discard", poison, trigger, "--yes"}, exitOK, "2 discarded\n", 1},
		{[]string{"discard", "--all", "--queue", "releases", "--yes"}, exitOK, "1 discarded\n", 1},
		{[]string{"list"}, exitOK, "no dead letters\n", 1},
	} {
		got := runLine(t.Context(), append([]string{"dlq"}, step.args...)...)
		if got.code != step.code || !strings.Contains(got.out+got.errs, step.says) {
			t.Errorf("dlq %v: exit %d, expected %d with %q; it says\n%s%s", step.args, got.code, step.code, step.says, got.out, got.errs)
		}
		if got.code == exitFailed && strings.Count(got.errs, "\n") != 1 {
			t.Errorf("dlq %v: more than one line: %q", step.args, got.errs)
		}
		depth, err := queue.Depth(t.Context())
		must(t, err)
		if depth != step.queued {
			t.Errorf("after dlq %v there are %d messages in the queue, expected %d", step.args, depth, step.queued)
		}
	}
}

func TestWhereDeadLettersAreIsAskedForInOneLine(t *testing.T) {
	onWire(t)
	for _, name := range []string{"STRANDLINE_QUEUE_URL", "STRANDLINE_DEAD_LETTER_URL", "STRANDLINE_EVENTS_URL", "STRANDLINE_RELEASES_DEAD_URL"} {
		t.Setenv(name, "")
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"list"}, "--dead-letter-url is not given"},
		{[]string{"list", "--queue", "events"}, "--events-url is not given"},
		{[]string{"list", "--queue", "releases"}, "--releases-dead-url is not given"},
		{[]string{"list", "--queue", "letters"}, `--queue is "letters": expected purge, events or releases`},
		{[]string{"list", "--most", "0", "--dead-letter-url", "http://127.0.0.1:1/dead"}, "--most is less than 1"},
		{[]string{"redrive", "m-1", "--yes", "--dead-letter-url", "http://127.0.0.1:1/dead"}, "--queue-url is not given"},
		{[]string{"redrive", "m-1", "--json"}, "--json needs --yes"},
		{[]string{"redrive"}, "name a dead letter"},
		{[]string{"redrive", "--all", "m-1"}, "do not go together"},
		{[]string{"redrive", "m-1", "--reason", "x"}, "--reason goes with --all"},
		{[]string{"discard", "m-1", "--yes", "--who", ""}, "--who is empty"},
		{[]string{"show"}, "name a dead letter"},
	} {
		got := runLine(t.Context(), append(append([]string{"dlq"}, c.args...), "--table", "t")...)
		if got.code != exitFailed || !strings.Contains(got.errs, c.says) || strings.Count(got.errs, "\n") != 1 {
			t.Errorf("dlq %v: exit %d, says %q, expected %q", c.args, got.code, got.errs, c.says)
		}
	}
}
