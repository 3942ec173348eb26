package localstacktest

import (
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/strandline-dev/strandline/shared/awsconf"
)

// Config is the configuration of clients of the emulator, with a fresh
// connection for each call: under load it breaks some that it keeps before it
// answers, and what the SDK then sends again is done twice: a message is there
// two times, a receive hides what nobody was given. It costs half a
// millisecond a call; 60,000 calls in a row left ports enough.
func Config(t testing.TB) aws.Config {
	t.Helper()
	cfg := awsconf.ForEndpoint(Endpoint(t))
	cfg.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return cfg
}
