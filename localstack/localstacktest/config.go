package localstacktest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/localstack"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

// Config is the configuration of clients of the emulator, over
// [localstack.FreshConnections].
func Config(t testing.TB) aws.Config {
	t.Helper()
	cfg := awsconf.ForEndpoint(Endpoint(t))
	cfg.HTTPClient = localstack.FreshConnections()
	return cfg
}
