package worker

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/environ"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
)

// Config is all that the function is told: by variables whose names begin with
// STRANDLINE_, the policy's included. Region, credentials and endpoints are the
// AWS SDK's own variables.
type Config struct {
	// Table is the ledger's DynamoDB table; the gate lies in it too.
	Table string `env:"TABLE,required,notEmpty" expect:"the name of the ledger's table"`
	// QueueURL is where the messages come from, DeadLetterURL where those go
	// that cannot be dealt with.
	QueueURL      string `env:"QUEUE_URL,required,notEmpty" expect:"a queue's URL"`
	DeadLetterURL string `env:"DEAD_LETTER_URL,required,notEmpty" expect:"a queue's URL"`
	// Gate names the rate and the switch that all workers share.
	Gate string `env:"GATE" envDefault:"main" expect:"the name of the gate"`
	// Concurrency is how many uploads one invocation works on at once, 1 to
	// 256. It is not the rate.
	Concurrency int `env:"CONCURRENCY" envDefault:"16" expect:"a whole number"`
	// DeadlineMargin is how long before its deadline an invocation claims
	// nothing any more.
	DeadlineMargin time.Duration `env:"DEADLINE_MARGIN" envDefault:"10s" expect:"a duration such as \"10s\""`
	// SourcesJSON is the list of sources; without it no rows are asked.
	SourcesJSON string `env:"SOURCES" expect:"a JSON array of sources"`
	// AuditGroup is the log group of the audit trail; empty for none, and then
	// the function's own log has it alone.
	AuditGroup string `env:"AUDIT_GROUP" expect:"the name of a log group"`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" expect:"debug, info, warn or error"`
	// Policy is the protocol's delays and limits, each with its own variable.
	Policy policy.Policy `env:"-"`
	// Sources is what SourcesJSON says.
	Sources []source.Source `env:"-"`
}

const maxConcurrency = 256

// FromEnv reads the configuration from a process's environment. An error is one
// line that names the variable, what it holds and what is expected; a variable
// of ours that nothing reads is an error too.
func FromEnv(variables map[string]string) (Config, error) {
	var c Config
	p, err := environ.Read(variables, &c)
	if err != nil {
		return Config{}, err
	}
	c.Policy = p
	if c.Sources, err = source.Parse([]byte(c.SourcesJSON)); err != nil {
		return Config{}, fmt.Errorf("%sSOURCES: %w", policy.EnvPrefix, err)
	}
	return c, c.validate()
}

func (c Config) validate() error {
	err := cmp.Or(
		environ.CheckURL("QUEUE_URL", c.QueueURL, "a queue's URL"),
		environ.CheckURL("DEAD_LETTER_URL", c.DeadLetterURL, "a queue's URL"),
		environ.CheckCount("CONCURRENCY", c.Concurrency, maxConcurrency),
	)
	if err != nil {
		return err
	}
	if most := c.Policy.WorkerTimeout / 2; c.DeadlineMargin < cleanup.MinDeadlineMargin || c.DeadlineMargin > most {
		return fmt.Errorf("%sDEADLINE_MARGIN is %v: expected %v to %v, half of the worker's timeout",
			policy.EnvPrefix, c.DeadlineMargin, cleanup.MinDeadlineMargin, most)
	}
	return nil
}
