package localstacktest

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
)

// Config is the configuration of clients of the emulator, with a fresh
// connection for each call: it breaks some that it keeps before it answers, and
// what the SDK then sends again (a message, say) is there twice. For tests that
// count; thousands of calls would use up the machine's ports.
func Config(t testing.TB) aws.Config {
	t.Helper()
	cfg := awsconf.ForEndpoint(Endpoint(t))
	cfg.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return cfg
}
