//go:build infra

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/infra/strandline"
	"github.com/strandline-dev/strandline/localstack/localstacktest"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/s3"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestMain(m *testing.M) {
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "node is missing: install Node 20 or newer and put it on PATH")
		os.Exit(1)
	}
	localstacktest.Main(m)
}

const (
	localPrefix = "local"
	localBucket = "local-uploads"
)

// localPolicy lets a dead worker's message come back within half a minute. The
// graces are the usual ones: it is the upload that is old.
const localPolicy = "WORKER_TIMEOUT=4s,VISIBILITY_TIMEOUT=30s,CLAIM_LEASE=10s"

// installation is the deployed stack, seen from outside.
type installation struct {
	t      *testing.T
	cloud  aws.Config
	policy policy.Policy
	ledger *ledgers.Store
	store  *s3.Store
}

// deploy deploys the app to the emulator with the cdk command, as a person
// would, but for the machine's own architecture, and with the endpoints told to
// the functions: the emulator does not.
func deploy(t *testing.T, endpoint string, environment ...string) *installation {
	t.Helper()
	own, err := strandline.PolicyFrom(map[string]string{
		"STRANDLINE_WORKER_TIMEOUT": "4s", "STRANDLINE_VISIBILITY_TIMEOUT": "30s", "STRANDLINE_CLAIM_LEASE": "10s",
	})
	must(t, err)
	out := t.TempDir()
	context := []string{
		"-c", "strandline:prefix=" + localPrefix, "-c", "strandline:new-buckets=" + localBucket,
		"-c", "strandline:architecture=" + map[string]string{"amd64": strandline.X8664, "arm64": strandline.ARM64}[runtime.GOARCH],
		"-c", "strandline:policy=" + localPolicy, "--output", out,
	}
	context = append(context, applicationTable(t)...)
	if len(environment) > 0 {
		context = append(context, "-c", "strandline:environment="+strings.Join(environment, ","))
	}
	cdk(t, endpoint, append([]string{"synth", "--quiet"}, context...)...)
	cdk(t, endpoint, "bootstrap", "--app", out, "aws://000000000000/us-east-1")
	cdk(t, endpoint, "deploy", "--app", out, "--require-approval", "never", "--progress", "events")
	cloud := localstacktest.Config(t)
	i := &installation{
		t: t, cloud: cloud, policy: own,
		ledger: ledgers.New(awsconf.DynamoDB(cloud), localPrefix+"-ledger"), store: s3.New(awsconf.S3(cloud)),
	}
	return i
}

// cdk runs the cdk command against the emulator.
func cdk(t *testing.T, endpoint string, args ...string) {
	t.Helper()
	command, err := filepath.Abs(os.Getenv("STRANDLINE_CDK"))
	if os.Getenv("STRANDLINE_CDK") == "" || err != nil {
		t.Fatal("STRANDLINE_CDK names no cdk command: run make infra, or make local")
	}
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Env = append(os.Environ(),
		"AWS_ENDPOINT_URL="+endpoint, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"CDK_DISABLE_CLI_TELEMETRY=true", "CI=true")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("cdk %s: %v\n%s", args[0], err, said)
	}
	t.Logf("cdk %s: done", args[0])
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open lets the workers delete, as an operator does.
func (i *installation) open() {
	i.t.Helper()
	g := gates.New(awsconf.DynamoDB(i.cloud), localPrefix+"-ledger", "main", time.Now)
	must(i.t, g.SetRate(i.t.Context(), i.policy.DeleteRate, i.policy.Burst))
	must(i.t, g.SetMode(i.t.Context(), gate.Delete))
}

// stale puts an upload of so many objects that was begun that long ago, was
// silent since, and was marked two days later: it is due a day after that.
func (i *installation) stale(name string, count int, ago time.Duration) upload.Record {
	i.t.Helper()
	ctx, begun := i.t.Context(), time.Now().Add(-ago).Truncate(time.Millisecond) // the ledger's precision
	id := upload.ID{Tenant: "acme", Upload: name}
	apply := func(e upload.Event, at time.Time) upload.Record {
		r, err := i.ledger.Load(ctx, id)
		must(i.t, err)
		change, err := upload.Step(i.policy, r, e, at)
		must(i.t, err)
		must(i.t, i.ledger.Commit(ctx, change))
		return change.After
	}
	r := apply(upload.Reserve{
		ID: id, Owner: "o", Holder: "w", Lease: time.Minute, HoldUntil: begun.Add(8 * time.Hour),
		Bucket: localBucket, Prefix: "up", Declared: count,
	}, begun)
	for seq := 1; seq <= count; seq++ {
		sum := sha256.Sum256([]byte("data"))
		key := r.ObjectKey(upload.Key{Attempt: 1, Seq: seq})
		stored, err := i.store.Put(ctx, localBucket, key, bytes.NewReader([]byte("data")), objects.Content{Size: 4, SHA256: sum[:]})
		must(i.t, err)
		r = apply(upload.RecordObject{Fence: 1, Seq: seq, VersionID: stored.VersionID, Size: 4, ETag: stored.ETag}, begun)
	}
	marked := begun.Add(2 * 24 * time.Hour)
	return apply(upload.Expire{Version: r.Version, Cutoff: marked.Add(-i.policy.SafetyMargin)}, marked)
}

// standing is how many versions there are.
func (i *installation) standing() int {
	i.t.Helper()
	n := 0
	for _, err := range i.store.Versions(i.t.Context(), localBucket, "") {
		must(i.t, err)
		n++
	}
	return n
}

// fire has the deployed schedule fire now. The emulator leaves the place of the
// scheduled time as it is, and a rate of minutes is long for a test: a one-time
// schedule with the deployed one's own target and the time filled in.
func (i *installation) fire(endpoint, schedule string) {
	i.t.Helper()
	deployed := call[struct{ Target map[string]any }](i.t, http.MethodGet, endpoint+"/schedules/"+localPrefix+"-"+schedule, nil)
	input, _ := deployed.Target["Input"].(string)
	filled := strings.Replace(input, "<aws.scheduler.scheduled-time>", time.Now().UTC().Format(time.RFC3339), 1)
	if filled == input {
		i.t.Fatalf("schedule %s does not carry the scheduled time: %s", schedule, input)
	}
	deployed.Target["Input"] = filled
	once := fmt.Sprintf("%s/schedules/%s-now-%d", endpoint, schedule, time.Now().UnixNano())
	call[any](i.t, http.MethodPost, once, map[string]any{
		"ScheduleExpression": "at(" + time.Now().UTC().Format("2006-01-02T15:04:05") + ")", "ActionAfterCompletion": "DELETE",
		"FlexibleTimeWindow": map[string]any{"Mode": "OFF"}, "Target": deployed.Target,
	})
}

// call is one call of the Scheduler's API, which is JSON over HTTP.
func call[Answer any](t *testing.T, method, url string, body any) Answer {
	t.Helper()
	text, err := json.Marshal(body)
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(text))
	must(t, err)
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/scheduler/aws4_request, SignedHeaders=host, Signature=0")
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	must(t, err)
	var a Answer
	if err := json.Unmarshal(said, &a); err != nil || answer.StatusCode/100 != 2 {
		t.Fatalf("%s %s: status %d: %s", method, url, answer.StatusCode, said)
	}
	return a
}

// await looks twice a second until it is so.
func await(t *testing.T, within time.Duration, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for !so() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within %v: %s", within, what)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// clearsAStaleUpload opens the gate and has a census, a pass and a worker run.
func (i *installation) clearsAStaleUpload(endpoint string) {
	i.t.Helper()
	i.open()
	i.fire(endpoint, "census")
	await(i.t, 90*time.Second, "the census is counted", i.counted)
	i.t.Log("a stale upload, a pass")
	first := i.stale("first", 3, 4*24*time.Hour)
	i.fire(endpoint, "pass")
	await(i.t, 90*time.Second, "the upload is deleted", func() bool { return i.state(first.ID).State == upload.StateDeleted })
	if n := i.standing(); n != 0 {
		i.t.Errorf("%d versions still stand", n)
	}
	await(i.t, 90*time.Second, "the audit trail has the claim and the end", func() bool {
		said := i.trail(endpoint, first.Upload)
		return strings.Contains(said, "claim") && strings.Contains(said, "finish")
	})
}

// trail is what the audit trail's log group has about an upload.
func (i *installation) trail(endpoint, about string) string {
	i.t.Helper()
	return i.said(endpoint, "StrandlineAudit", `"upload":"`+about+`"`)
}

// lines are those of the log groups of that name.
func (i *installation) lines(endpoint, name string) (all []string) {
	i.t.Helper()
	groups := logs[struct {
		LogGroups []struct {
			LogGroupName string `json:"logGroupName"`
		} `json:"logGroups"`
	}](i.t, endpoint, "DescribeLogGroups", map[string]any{})
	for _, g := range groups.LogGroups {
		if !strings.Contains(g.LogGroupName, name) {
			continue
		}
		found := logs[struct {
			Events []struct {
				Message string `json:"message"`
			} `json:"events"`
		}](i.t, endpoint, "FilterLogEvents", map[string]any{"logGroupName": g.LogGroupName})
		for _, e := range found.Events {
			all = append(all, e.Message)
		}
	}
	return all
}

// logs asks CloudWatch Logs; an emulator looks at no signature.
func logs[Answer any](t *testing.T, endpoint, operation string, body any) (a Answer) {
	t.Helper()
	text, err := json.Marshal(body)
	must(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint+"/", bytes.NewReader(text))
	must(t, err)
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("X-Amz-Target", "Logs_20140328."+operation)
	request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=test/20261130/us-east-1/logs/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", operation, answer.Status)
	}
	must(t, json.NewDecoder(answer.Body).Decode(&a))
	return a
}

// inContainers is whether the emulator is LocalStack, which runs functions in
// containers of their own.
func inContainers(t *testing.T, endpoint string) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, endpoint+"/_localstack/info", nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(request)
	must(t, err)
	defer answer.Body.Close()
	var info struct {
		Version string `json:"version"`
	}
	return answer.StatusCode == http.StatusOK && json.NewDecoder(answer.Body).Decode(&info) == nil && info.Version != ""
}

// counted is whether the scheduler's census has been stored.
func (i *installation) counted() bool {
	doc, err := i.ledger.Get(i.t.Context(), "CENSUS", "#all")
	must(i.t, err)
	return doc.Revision > 0
}

func (i *installation) state(id upload.ID) upload.Record {
	i.t.Helper()
	r, err := i.ledger.Load(i.t.Context(), id)
	must(i.t, err)
	return r
}

var errNoProcess = errors.New("no process of the worker")
