package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/localstack"
	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects/s3/markers"
	"github.com/strandline-dev/strandline/shared/quarantine"
)

// cloud is where the demo's installations are made.
type cloud interface {
	fmt.Stringer
	// install makes an installation of the options; the clocks are the cloud's.
	install(ctx context.Context, name string, o installation.Options) (*installation.Installation, error)
	// hold places a legal hold on a version; sendRaw sends what no scheduler
	// would.
	hold(ctx context.Context, i *installation.Installation, key, versionID string) error
	sendRaw(ctx context.Context, i *installation.Installation, bodies []string) error
	// lose takes a version away behind the ledger's back.
	lose(ctx context.Context, i *installation.Installation, key, versionID string) error
	// markers are the operator's rights to place and remove delete markers.
	markers(i *installation.Installation) quarantine.Markers
	close() error
}

// openCloud opens what the options and the environment ask for.
func openCloud(ctx context.Context, o Options) (cloud, error) {
	if o.InMemory {
		return &memoryCloud{real: o.Now, memory: map[*installation.Installation]*installation.Memory{}}, nil
	}
	wire := &wireCloud{real: o.Now, clouds: map[*installation.Installation]*installation.Cloud{}, prefix: prefix()}
	given, err := givenEndpoints(os.Getenv)
	if err != nil {
		return nil, err
	}
	if given != "" {
		cfg, err := awsconf.LoadSigned(ctx, awsconf.Given{})
		wire.config, wire.name = cfg, given
		return wire, err
	}
	emulator, err := localstack.Start(ctx, localstack.Options{Progress: o.Out})
	if err != nil {
		return nil, err
	}
	wire.emulator = emulator
	wire.config = awsconf.ForEndpoint(emulator.Endpoint())
	wire.name = fmt.Sprintf("a local cloud of its own at %s", emulator.Endpoint())
	return wire, nil
}

// prefix begins the name of everything this run makes.
func prefix() string { return "strandline-demo-" + strings.ToLower(rand.Text()[:8]) }

// givenEndpoints names the endpoints of the environment; "" if it names none.
// One service without an endpoint would be AWS itself, which nobody asked for.
func givenEndpoints(getenv func(string) string) (string, error) {
	if endpoint := getenv("AWS_ENDPOINT_URL"); endpoint != "" {
		return endpoint, credentialsGiven(getenv)
	}
	var given, missing []string
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL_DYNAMODB"} {
		if endpoint := getenv(name); endpoint != "" {
			given = append(given, endpoint)
			continue
		}
		missing = append(missing, name)
	}
	switch {
	case len(given) == 0:
		return "", nil
	case len(missing) > 0:
		return "", fmt.Errorf("%s is not set: give all three services an endpoint, or all of them AWS_ENDPOINT_URL", strings.Join(missing, " and "))
	}
	return strings.Join(given, ", "), credentialsGiven(getenv)
}

// credentialsGiven refuses to look for credentials anywhere but where the
// caller has put them.
func credentialsGiven(getenv func(string) string) error {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"} {
		if getenv(name) != "" {
			return nil
		}
	}
	return errors.New("AWS_ACCESS_KEY_ID and AWS_PROFILE are not set: the given endpoint needs credentials (emulators take any)")
}

// storyBegins is when the stories of the memory adapters begin; those on the
// wire begin now.
var storyBegins = time.Date(2030, 1, 7, 9, 0, 0, 0, time.UTC)

type memoryCloud struct {
	real   func() time.Time
	log    slog.Handler // what the functions log; nil: nobody reads it
	memory map[*installation.Installation]*installation.Memory
}

func (c *memoryCloud) String() string { return "the memory adapters" }

func (c *memoryCloud) install(ctx context.Context, _ string, o installation.Options) (*installation.Installation, error) {
	o.Clock, o.Real, o.Log = installation.NewStillClock(storyBegins), c.real, c.log
	i, memory, err := installation.InMemory(ctx, o)
	c.memory[i] = memory
	return i, err
}

func (c *memoryCloud) hold(_ context.Context, i *installation.Installation, key, versionID string) error {
	return c.memory[i].Objects.SetLegalHold(i.Bucket, key, versionID, true)
}

func (c *memoryCloud) sendRaw(_ context.Context, i *installation.Installation, bodies []string) error {
	for _, body := range bodies {
		c.memory[i].Queue.Put(body)
	}
	return nil
}

func (c *memoryCloud) lose(_ context.Context, i *installation.Installation, key, versionID string) error {
	return c.memory[i].Objects.Remove(i.Bucket, key, versionID)
}

func (c *memoryCloud) markers(i *installation.Installation) quarantine.Markers {
	return c.memory[i].Objects
}

func (c *memoryCloud) close() error { return nil }

type wireCloud struct {
	config   aws.Config
	name     string
	prefix   string
	real     func() time.Time
	emulator *localstack.Cloud // nil: somebody else's
	clouds   map[*installation.Installation]*installation.Cloud
	made     int
}

func (c *wireCloud) String() string { return c.name }

func (c *wireCloud) install(ctx context.Context, name string, o installation.Options) (*installation.Installation, error) {
	c.made++
	o.Clock, o.Real = installation.NewClock(c.real, c.real()), c.real
	i, direct, err := installation.OnCloud(ctx, c.config, fmt.Sprintf("%s-%d", c.prefix, c.made), o)
	if err != nil {
		return nil, fmt.Errorf("create the %s installation: %w", name, err)
	}
	c.clouds[i] = direct
	return i, nil
}

func (c *wireCloud) hold(ctx context.Context, i *installation.Installation, key, versionID string) error {
	return c.clouds[i].Hold(ctx, i.Bucket, key, versionID)
}

func (c *wireCloud) sendRaw(ctx context.Context, i *installation.Installation, bodies []string) error {
	for _, body := range bodies {
		if err := c.clouds[i].SendRaw(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

func (c *wireCloud) lose(ctx context.Context, i *installation.Installation, key, versionID string) error {
	return c.clouds[i].Remove(ctx, i.Bucket, key, versionID)
}

func (c *wireCloud) markers(i *installation.Installation) quarantine.Markers {
	return markers.New(awsconf.S3(c.clouds[i].Config))
}

func (c *wireCloud) close() error {
	if c.emulator == nil {
		return nil
	}
	return c.emulator.Stop()
}

// removeWithin bounds taking an installation away, also after an interrupt.
const removeWithin = time.Minute

// remove takes an installation away although the caller's time may be up.
func remove(ctx context.Context, i *installation.Installation) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	return i.Remove(ctx)
}
