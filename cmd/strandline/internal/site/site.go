// Package site is the installation that an operator's command works on: where
// it is, said by flags or by the variables that the functions have, and the
// clients for it.
package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/spf13/pflag"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/command/sqs"
	gates "github.com/strandline-dev/strandline/shared/gate/dynamo"
	"github.com/strandline-dev/strandline/shared/ledger/dynamo"
	"github.com/strandline-dev/strandline/shared/policy"
)

// Cloud says which account, Region and services; what is empty is the
// environment's.
type Cloud struct {
	Profile, Region, Endpoint string
}

// AddFlags adds the flags of where the services are.
func (c *Cloud) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&c.Profile, "profile", "", "the profile in the AWS configuration files, if not AWS_PROFILE's")
	f.StringVar(&c.Region, "region", "", "the region, if not AWS_REGION's")
	f.StringVar(&c.Endpoint, "endpoint", "", "the base URL of another cloud than AWS, if not AWS_ENDPOINT_URL's")
}

// Config is the configuration of its clients. That nobody has given credentials
// is an error at once, and so is an endpoint that is no URL: the services' own
// words for it come late and say little.
func (c Cloud) Config(ctx context.Context) (aws.Config, error) {
	at := cmp.Or(c.Endpoint, os.Getenv("AWS_ENDPOINT_URL"))
	if at != "" && !strings.HasPrefix(at, "http://") && !strings.HasPrefix(at, "https://") {
		return aws.Config{}, fmt.Errorf("the endpoint (--endpoint, AWS_ENDPOINT_URL) is %q: it begins with http:// or https://", at)
	}
	return awsconf.LoadSigned(ctx, awsconf.Given{Region: c.Region, Profile: c.Profile, Endpoint: c.Endpoint})
}

// Site says where an installation is. What is empty and not needed is not
// missed.
type Site struct {
	Cloud
	// Table is the ledger's; the gate lies in it too.
	Table string
	// Gate names the switch.
	Gate string
	// QueueURL is where commands go, DeadLetterURL what cannot be carried out.
	QueueURL, DeadLetterURL string
	// AuditGroup is the log group of the audit trail; empty for none.
	AuditGroup string
}

// Beside is a queue's URL as given, or else by the names that an installation
// gives its queues; empty where they say nothing.
func (s *Site) Beside(given, name string) string {
	prefix, ours := strings.CutSuffix(s.DeadLetterURL, "-purge-dead")
	if given != "" || !ours {
		return given
	}
	return prefix + "-" + name
}

// AddFlags adds the flags of where an installation is. What no flag gives is
// the environment's.
func (s *Site) AddFlags(f *pflag.FlagSet) {
	s.Cloud.AddFlags(f)
	f.StringVar(&s.Table, "table", os.Getenv(policy.EnvPrefix+"TABLE"), "the ledger's table (STRANDLINE_TABLE)")
	f.StringVar(&s.Gate, "gate", cmp.Or(os.Getenv(policy.EnvPrefix+"GATE"), "main"), "the name of the gate (STRANDLINE_GATE)")
	f.StringVar(&s.QueueURL, "queue-url", os.Getenv(policy.EnvPrefix+"QUEUE_URL"), "the queue of commands (STRANDLINE_QUEUE_URL)")
	f.StringVar(&s.DeadLetterURL, "dead-letter-url", os.Getenv(policy.EnvPrefix+"DEAD_LETTER_URL"), "the queue of dead letters (STRANDLINE_DEAD_LETTER_URL)")
	f.StringVar(&s.AuditGroup, "audit-group", os.Getenv(policy.EnvPrefix+"AUDIT_GROUP"), "the log group that decisions are written to (STRANDLINE_AUDIT_GROUP)")
}

// Opened are the clients of an installation.
type Opened struct {
	Config aws.Config
	Ledger *dynamo.Store
	Gate   *gates.Gate
	// Policy is what the environment says, as the functions read it.
	Policy policy.Policy

	site Site
}

// Open reads the environment and makes the clients. It asks nothing of the
// installation yet.
func (s Site) Open(ctx context.Context, now func() time.Time) (Opened, error) {
	if err := s.Named(); err != nil {
		return Opened{}, err
	}
	delays, err := policy.FromEnv(environment())
	if err != nil {
		return Opened{}, err
	}
	o, err := s.OpenWithoutPolicy(ctx, now)
	o.Policy = delays
	return o, err
}

// OpenWithoutPolicy is Open for what must not fail because a delay is spelled
// wrong: to stop. The Policy is the zero one, which deletes nothing.
func (s Site) OpenWithoutPolicy(ctx context.Context, now func() time.Time) (Opened, error) {
	if err := s.Named(); err != nil {
		return Opened{}, err
	}
	cfg, err := s.Config(ctx)
	if err != nil {
		return Opened{}, err
	}
	client := awsconf.DynamoDB(cfg)
	return Opened{
		Config: cfg, Ledger: dynamo.New(client, s.Table), Gate: gates.New(client, s.Table, s.Gate, now), site: s,
	}, nil
}

// Named says in one line what has to be given and is not; Open does too.
func (s Site) Named() error {
	if s.Table == "" {
		return errors.New("--table is not given and STRANDLINE_TABLE is not set: name the ledger's table")
	}
	return nil
}

// Queue is the queue of commands; for what only sends, the dead letters' queue
// need not be given.
func (o Opened) Queue() (*sqs.Queue, error) {
	if err := needed("--queue-url", "QUEUE_URL", o.site.QueueURL); err != nil {
		return nil, err
	}
	return sqs.New(awsconf.SQS(o.Config), o.site.QueueURL, o.site.DeadLetterURL), nil
}

// BothQueues is the queue of commands with its dead letters.
func (o Opened) BothQueues() (*sqs.Queue, error) {
	if err := needed("--dead-letter-url", "DEAD_LETTER_URL", o.site.DeadLetterURL); err != nil {
		return nil, err
	}
	return o.Queue()
}

func needed(flag, variable, value string) error {
	if value == "" {
		return fmt.Errorf("%s is not given and %s%s is not set: name the queue by its URL", flag, policy.EnvPrefix, variable)
	}
	return nil
}

func environment() map[string]string {
	all := map[string]string{}
	for _, line := range os.Environ() {
		name, value, _ := strings.Cut(line, "=")
		all[name] = value
	}
	return all
}
