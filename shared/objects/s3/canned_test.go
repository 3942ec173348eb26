package s3_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects/s3"
)

// serverDate is the clock of the service that canned answers come from.
const serverDate = "Mon, 30 Nov 2026 12:00:00 GMT"

// canned is a service that answers as a test says, and remembers what it was
// asked.
type canned struct {
	mu     sync.Mutex
	asked  []request
	answer func(request) reply
}

type request struct {
	method string
	query  string
	header http.Header
	body   string
}

// is reports whether the request is of the method and has the parameter.
func (r request) is(method, parameter string) bool {
	return r.method == method && strings.Contains("&"+r.query, "&"+parameter)
}

// reply is one answer; a broken one is no answer at all.
type reply struct {
	status int
	body   string
	header map[string]string
	broken bool
}

func (c *canned) Do(r *http.Request) (*http.Response, error) {
	asked := request{method: r.Method, query: r.URL.RawQuery, header: r.Header}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		asked.body = string(body)
	}
	c.mu.Lock()
	c.asked = append(c.asked, asked)
	c.mu.Unlock()
	a := c.answer(asked)
	if a.broken {
		return nil, errors.New("connection reset by peer")
	}
	resp := &http.Response{
		StatusCode: a.status, Request: r, Header: http.Header{"Date": {serverDate}},
		Body: io.NopCloser(strings.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}
	for name, value := range a.header {
		resp.Header.Set(name, value)
	}
	return resp, nil
}

// store returns a store whose every call gets what answer says.
func store(t *testing.T, answer func(request) reply) (*s3.Store, *canned) {
	t.Helper()
	c := &canned{answer: answer}
	client := awsconf.S3(awsconf.ForEndpoint("http://s3.invalid"), func(o *awss3.Options) { o.HTTPClient = c })
	return s3.New(client), c
}

// always gives the same answer to every call.
func always(r reply) func(request) reply { return func(request) reply { return r } }

// result is the body of a DeleteObjects answer.
func result(entries ...string) reply {
	return reply{status: 200, body: "<DeleteResult>" + strings.Join(entries, "") + "</DeleteResult>"}
}

func deleted(key, versionID string) string {
	return "<Deleted><Key>" + key + "</Key><VersionId>" + versionID + "</VersionId></Deleted>"
}

func failed(key, versionID, code string) string {
	return "<Error><Key>" + key + "</Key><VersionId>" + versionID + "</VersionId><Code>" + code + "</Code><Message>about " + key + "</Message></Error>"
}

func fault(status int, code string) reply {
	return reply{status: status, body: "<Error><Code>" + code + "</Code><Message>so it is</Message></Error>"}
}
