package reconciler

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/strandline-dev/strandline/shared/environ"
	"github.com/strandline-dev/strandline/shared/policy"
)

// Config is all that the function is told: by variables whose names begin with
// STRANDLINE_, the policy's included. Region, credentials and endpoints are the
// AWS SDK's own variables.
type Config struct {
	// Table is the ledger's DynamoDB table.
	Table string `env:"TABLE,required,notEmpty" expect:"the name of the ledger's table"`
	// InventoryBucket is where inventories are delivered, InventoryPrefix the
	// prefix that they were configured with.
	InventoryBucket string `env:"INVENTORY_BUCKET,required,notEmpty" expect:"the name of the bucket that inventories are delivered into"`
	InventoryPrefix string `env:"INVENTORY_PREFIX" expect:"the destination prefix of the inventories"`
	// InventoryConfig is the one configuration whose inventories are reconciled;
	// empty for every one. A configuration may list a part of its bucket, and no
	// inventory says so: what is outside would look as if it were not there.
	InventoryConfig string `env:"INVENTORY_CONFIG" expect:"the id of an inventory configuration"`
	// SourceBuckets are the buckets that may be reconciled, by commas.
	SourceBuckets []string `env:"SOURCE_BUCKETS,required,notEmpty" expect:"the names of the buckets to reconcile, with commas between"`
	// TempDir takes fetched files and what is spilled: see docs/scale.md for how
	// much.
	TempDir string `env:"TEMP_DIR" envDefault:"/tmp" expect:"a folder"`
	// Threads compare side by side; 0 is one for each processor.
	Threads int `env:"THREADS" envDefault:"0" expect:"a whole number"`
	// Segments of the ledger's scan, 1 to 256.
	Segments int `env:"SEGMENTS" envDefault:"8" expect:"a whole number"`
	// AuditGroup is the log group of the audit trail; empty for none, and then
	// the function's own log has it alone.
	AuditGroup string `env:"AUDIT_GROUP" expect:"the name of a log group"`
	// LogLevel is debug, info, warn or error.
	LogLevel slog.Level `env:"LOG_LEVEL" envDefault:"info" expect:"debug, info, warn or error"`
	// Policy is the protocol's delays and limits, each with its own variable.
	Policy policy.Policy `env:"-"`
}

const maxSegments = 256

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
	return c, c.validate()
}

func (c Config) validate() error {
	switch {
	case slices.ContainsFunc(c.SourceBuckets, func(b string) bool { return b == "" || strings.ContainsAny(b, "/ ") }):
		return fmt.Errorf("%sSOURCE_BUCKETS is %q: expected the names of the buckets to reconcile, with commas between",
			policy.EnvPrefix, strings.Join(c.SourceBuckets, ","))
	case strings.Contains(c.InventoryConfig, "/"):
		return fmt.Errorf("%sINVENTORY_CONFIG is %q: expected the id of an inventory configuration", policy.EnvPrefix, c.InventoryConfig)
	case c.Threads < 0 || c.Threads > maxSegments:
		return fmt.Errorf("%sTHREADS is %d: expected 0 to %d", policy.EnvPrefix, c.Threads, maxSegments)
	}
	return environ.CheckCount("SEGMENTS", c.Segments, maxSegments)
}

// folder is the configured prefix as a folder: "" or ending in one slash.
func (c Config) folder() string {
	if c.InventoryPrefix == "" {
		return ""
	}
	return strings.TrimSuffix(c.InventoryPrefix, "/") + "/"
}

// takes reports whether inventories of a configuration are reconciled.
func (c Config) takes(configuration string) bool {
	return c.InventoryConfig == "" || c.InventoryConfig == configuration
}
