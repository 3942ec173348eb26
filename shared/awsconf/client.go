package awsconf

import (
	"io"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// client keeps the SDK from breaking its own connections. The SDK closes the
// body of a request as soon as the answer begins, while net/http may still look
// whether the body goes on. It looks by WriteTo, where the body has one, and the
// SDK's (smithy-go 1.28.9, transport/http/internal/io/safe.go) says io.EOF after
// its Close, where the contract of io.WriterTo says nil: net/http takes that for
// a failed request and closes the connection under the answer. So a call that
// was done looks as if nobody had answered. Read has no such fault.
type client struct{ aws.HTTPClient }

func (c client) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r = r.WithContext(r.Context()) // a copy: the request is the caller's
		r.Body = struct{ io.ReadCloser }{r.Body}
	}
	return c.HTTPClient.Do(r)
}

func httpClient() aws.HTTPClient {
	return awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialWithin }).
		WithTransportOptions(func(t *http.Transport) {
			t.ResponseHeaderTimeout = answerWithin
			t.MaxIdleConnsPerHost = 64 // deletes and reads of one worker go side by side
		})
}
