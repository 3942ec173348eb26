package scheduler

import (
	"log/slog"

	"github.com/strandline-dev/strandline/shared/environ"
	"github.com/strandline-dev/strandline/shared/policy"
)

// Config is all that the function is told: by variables whose names begin with
// STRANDLINE_, the policy's included. Region, credentials and endpoints are the
// AWS SDK's own variables.
type Config struct {
	// Table is the ledger's DynamoDB table; the gate lies in it too.
	Table string `env:"TABLE,required,notEmpty" expect:"the name of the ledger's table"`
	// QueueURL is where commands go. The scheduler has nothing to do with their
	// dead letters.
	QueueURL string `env:"QUEUE_URL,required,notEmpty" expect:"a queue's URL"`
	// Gate names the switch that the pass reads.
	Gate string `env:"GATE" envDefault:"main" expect:"the name of the gate"`
	// AuditGroup is the log group of the audit trail; empty for none, and then
	// the function's own log has it alone.
	AuditGroup string `env:"AUDIT_GROUP" expect:"the name of a log group"`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" expect:"debug, info, warn or error"`
	// Policy is the protocol's delays and limits, each with its own variable.
	Policy policy.Policy `env:"-"`
}

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
	if err := environ.CheckURL("QUEUE_URL", c.QueueURL, "a queue's URL"); err != nil {
		return Config{}, err
	}
	return c, nil
}
