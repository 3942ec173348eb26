package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/jackc/pgx/v5"

	"github.com/strandline-dev/strandline/examples/postgres-outbox/postgrestest"
	"github.com/strandline-dev/strandline/examples/postgres-outbox/tables"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/release"
)

// asProgram is set where this binary runs itself again, as the program.
const asProgram = "STRANDLINE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	localstacktest.Main(m)
}

func TestTheProgramDrainsUntilItIsToldToStop(t *testing.T) {
	database := postgrestest.Start(t).Database(t, tables.Outbox, tables.Albums,
		"INSERT INTO accounts (tenant, picture_url) VALUES ('acme', 's3://uploads/ann.jpg')", "DELETE FROM accounts")
	client := awsconf.SQS(localstacktest.Config(t))
	q, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("releases-of-a-program")})
	must(t, err)
	program, out := start(t, "DATABASE_URL="+database, "STRANDLINE_RELEASES_URL="+aws.ToString(q.QueueUrl), "STRANDLINE_SOURCE=albums",
		"OUTBOX_HOLD_BACK=0s", "OUTBOX_POLL=10ms", "AWS_ENDPOINT_URL="+localstacktest.Endpoint(t),
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")
	untilSent(t, database)
	must(t, program.Process.Signal(syscall.SIGTERM))
	if err := program.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, out)
	}
	got, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: q.QueueUrl, WaitTimeSeconds: 5})
	must(t, err)
	if len(got.Messages) != 1 {
		t.Fatalf("%d messages arrived", len(got.Messages))
	}
	m, err := release.ParseMessage(aws.ToString(got.Messages[0].Body))
	must(t, err)
	if m.Source != "albums" || m.Entity != "account/1" || m.URL != "s3://uploads/ann.jpg" {
		t.Errorf("sent %+v", m)
	}
	if strings.Contains(out.String(), "ann.jpg") {
		t.Errorf("its log names an object: %s", out)
	}
}

func TestAProgramWithoutItsVariablesSaysWhichInOneLine(t *testing.T) {
	program, out := start(t)
	err := program.Wait()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err == nil || len(lines) != 1 || !strings.Contains(lines[0], "DATABASE_URL") || !strings.HasPrefix(lines[0], "postgres-outbox: ") {
		t.Errorf("%v, %q", err, lines)
	}
}

// start runs the program with nothing but these variables.
func start(t *testing.T, variables ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env, cmd.Stdout, cmd.Stderr = append(variables, asProgram+"=1"), out, out
	must(t, cmd.Start())
	return cmd, out
}

func untilSent(t *testing.T, database string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	must(t, err)
	defer conn.Close(t.Context()) //nolint:errcheck // it was only read from
	for range 6_000 {
		var sent bool
		must(t, conn.QueryRow(t.Context(), "SELECT bool_and(state = 'sent') FROM strandline.outbox").Scan(&sent))
		if sent {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing was sent in a minute")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
