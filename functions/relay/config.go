package relay

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/strandline-dev/strandline/shared/environ"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/source"
)

// Config is all that the function is told: by variables whose names begin with
// STRANDLINE_, the policy's included. Region, credentials and endpoints are the
// AWS SDK's own variables.
type Config struct {
	// Table is the ledger's DynamoDB table.
	Table string `env:"TABLE,required,notEmpty" expect:"the name of the ledger's table"`
	// SourcesJSON is the list of sources.
	SourcesJSON string `env:"SOURCES,required,notEmpty" expect:"a JSON array of sources"`
	// DeadURL is where those records and messages go that cannot be dealt with.
	DeadURL string `env:"RELEASES_DEAD_URL,required,notEmpty" expect:"a queue's URL"`
	// Concurrency is how many records one invocation works on at once, 1 to 256.
	Concurrency int `env:"CONCURRENCY" envDefault:"16" expect:"a whole number"`
	// DeadlineMargin is how long before its deadline an invocation begins
	// nothing any more.
	DeadlineMargin time.Duration `env:"DEADLINE_MARGIN" envDefault:"10s" expect:"a duration such as \"10s\""`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" expect:"debug, info, warn or error"`
	// Policy is the protocol's delays and limits, each with its own variable.
	Policy policy.Policy `env:"-"`
	// Sources is what SourcesJSON says.
	Sources []source.Source `env:"-"`
}

const (
	maxConcurrency = 256
	maxMargin      = time.Minute
)

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
		environ.CheckURL("RELEASES_DEAD_URL", c.DeadURL, "a queue's URL"),
		environ.CheckCount("CONCURRENCY", c.Concurrency, maxConcurrency),
	)
	if err != nil {
		return err
	}
	switch {
	case len(c.Sources) == 0:
		return fmt.Errorf("%sSOURCES is %q: expected at least one source", policy.EnvPrefix, c.SourcesJSON)
	case c.DeadlineMargin < time.Second || c.DeadlineMargin > maxMargin:
		return fmt.Errorf("%sDEADLINE_MARGIN is %v: expected %v to %v", policy.EnvPrefix, c.DeadlineMargin, time.Second, maxMargin)
	}
	return nil
}
