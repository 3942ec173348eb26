package localstacktest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
)

// Config is the configuration of clients of the emulator.
func Config(t testing.TB) aws.Config {
	t.Helper()
	return awsconf.ForEndpoint(Endpoint(t))
}
