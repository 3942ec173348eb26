package loggroup

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	smithytime "github.com/aws/smithy-go/time"

	"github.com/strandline-dev/strandline/shared/telemetry"
)

// Group is one stream of a log group. Its rights are logs:PutLogEvents and
// logs:CreateLogStream.
type Group struct {
	cfg          aws.Config
	name, stream string
	now          func() time.Time
	signer       *v4.Signer
	endpoint     string
}

// New returns the stream of a group. It is created with the first line; the
// group is there, or nothing is taken. Every process has a stream of its own.
// now is the machine's clock, which signatures are made with.
func New(cfg aws.Config, group, stream string, now func() time.Time) *Group {
	return &Group{
		cfg: cfg, name: group, stream: streamName(stream), now: now, signer: v4.NewSigner(), endpoint: endpointOf(cfg),
	}
}

// Trail is the audit trail of a function: into out,
// and into a stream of the group that is this process's own. An empty group is
// none.
func Trail(cfg aws.Config, group, process string, out io.Writer, log *slog.Logger, now func() time.Time) *telemetry.Trail {
	if group == "" {
		return telemetry.TrailTo(out, nil, log)
	}
	return telemetry.TrailTo(out, New(cfg, group, process+"/"+rand.Text(), now), log)
}

// streamName leaves out what a stream's name may not have.
func streamName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ':' || r == '*' || r < ' ' {
			return '-'
		}
		return r
	}, name)
}

// endpointOf is where the service is: AWS_ENDPOINT_URL_CLOUDWATCH_LOGS, the
// configuration's own for all services, or the Region's.
func endpointOf(cfg aws.Config) string {
	if own := os.Getenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS"); own != "" && os.Getenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") != "true" {
		return strings.TrimSuffix(own, "/")
	}
	if cfg.BaseEndpoint != nil {
		return strings.TrimSuffix(*cfg.BaseEndpoint, "/")
	}
	suffix := "amazonaws.com"
	if strings.HasPrefix(cfg.Region, "cn-") {
		suffix = "amazonaws.com.cn"
	}
	host := "logs."
	if os.Getenv("AWS_USE_FIPS_ENDPOINT") == "true" {
		host = "logs-fips."
	}
	return "https://" + host + cfg.Region + "." + suffix
}

type inputEvent struct {
	Timestamp int64  `json:"timestamp"`
	Message   string `json:"message"`
}

// Put writes the events in their order. It is an error if the service has not
// said that it has all of them; what is repeated may be there twice.
func (g *Group) Put(ctx context.Context, events []telemetry.Event) error {
	list := make([]inputEvent, len(events))
	for i, e := range events {
		list[i] = inputEvent{e.At.UnixMilli(), e.Text}
	}
	err := g.put(ctx, list)
	var failed *failure
	if errors.As(err, &failed) && failed.kind == "ResourceNotFoundException" {
		if err = g.create(ctx); err == nil {
			err = g.put(ctx, list)
		}
	}
	if err != nil {
		return fmt.Errorf("log group %s: %w", g.name, err)
	}
	return nil
}

func (g *Group) put(ctx context.Context, events []inputEvent) error {
	var answer struct {
		Rejected map[string]any `json:"rejectedLogEventsInfo"`
	}
	err := g.call(ctx, "PutLogEvents", map[string]any{
		"logGroupName": g.name, "logStreamName": g.stream, "logEvents": events,
	}, &answer)
	if err == nil && len(answer.Rejected) > 0 {
		return errors.New("events were rejected as too old, too new or expired")
	}
	return err
}

func (g *Group) create(ctx context.Context) error {
	err := g.call(ctx, "CreateLogStream", map[string]any{"logGroupName": g.name, "logStreamName": g.stream}, nil)
	var failed *failure
	if errors.As(err, &failed) && failed.kind == "ResourceAlreadyExistsException" {
		return nil
	}
	return err
}

// tries is how often a call is sent that got no answer, or one of those that
// another attempt may change.
const tries = 3

// firstPause is between the first two; the next one is longer by as much.
const firstPause = 200 * time.Millisecond

func (g *Group) call(ctx context.Context, operation string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	for try := 1; ; try++ {
		err = g.once(ctx, operation, body, out)
		var failed *failure
		final := errors.As(err, &failed) && !failed.passing()
		if err == nil || final || try == tries || ctx.Err() != nil {
			break
		}
		if smithytime.SleepWithContext(ctx, time.Duration(try)*firstPause) != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return nil
}

func (g *Group) once(ctx context.Context, operation string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.endpoint+"/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.1")
	request.Header.Set("X-Amz-Target", "Logs_20140328."+operation)
	who, err := g.cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	if err := g.signer.SignHTTP(ctx, who, request, hex.EncodeToString(sum[:]), "logs", g.cfg.Region, g.now()); err != nil {
		return err
	}
	answer, err := g.cfg.HTTPClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return failureOf(answer.StatusCode, text)
	case out == nil:
		return nil
	}
	return json.Unmarshal(text, out)
}

// failure is an answer that is none.
type failure struct {
	status int
	kind   string
}

// failureOf reads the error's name: "com.amazonaws.logs#Kind:…".
func failureOf(status int, text []byte) *failure {
	var named struct {
		Type string `json:"__type"`
	}
	_ = json.Unmarshal(text, &named) // a name that cannot be read is none
	kind, _, _ := strings.Cut(named.Type[strings.LastIndex(named.Type, "#")+1:], ":")
	return &failure{status, kind}
}

func (f *failure) Error() string { return fmt.Sprintf("status %d %s", f.status, f.kind) }

// passing reports that the same call may succeed a little later.
func (f *failure) passing() bool {
	return f.status >= 500 || f.status == http.StatusTooManyRequests ||
		f.kind == "ThrottlingException" || f.kind == "ServiceUnavailableException"
}
