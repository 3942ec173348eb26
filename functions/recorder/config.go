package recorder

import (
	"log/slog"

	"github.com/strandline-dev/strandline/shared/environ"
	"github.com/strandline-dev/strandline/shared/policy"
)

// Config is all that the function is told: by variables whose names begin with
// STRANDLINE_, the policy's included. Region, credentials and endpoints are the
// AWS SDK's own variables. It is told no bucket: a record says where its objects
// are.
type Config struct {
	// Table is the ledger's DynamoDB table.
	Table string `env:"TABLE,required,notEmpty" expect:"the name of the ledger's table"`
	// Concurrency is how many uploads one invocation works on at once, 1 to 256.
	Concurrency int `env:"CONCURRENCY" envDefault:"16" expect:"a whole number"`
	// AuditGroup is the log group of the audit trail; empty for none, and then
	// the function's own log has it alone.
	AuditGroup string `env:"AUDIT_GROUP" expect:"the name of a log group"`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" expect:"debug, info, warn or error"`
	// Policy is the protocol's delays and limits, each with its own variable.
	Policy policy.Policy `env:"-"`
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
	return c, environ.CheckCount("CONCURRENCY", c.Concurrency, maxConcurrency)
}
