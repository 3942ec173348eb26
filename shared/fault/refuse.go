package fault

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// refusal is a service's answer of one kind.
type refusal struct {
	status int
	code   string
}

// refusals are the services' own codes. Those of a condition are of the
// operations that have one: what can be asked of the service itself is
// (impossible).
var refusals = map[string]map[Kind]refusal{
	// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
	"S3": {
		Throttled:   {http.StatusServiceUnavailable, "SlowDown"},
		ServerError: {http.StatusInternalServerError, "InternalError"},
		Denied:      {http.StatusForbidden, "AccessDenied"},
		Condition:   {http.StatusPreconditionFailed, "PreconditionFailed"},
	},
	// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
	"DynamoDB": {
		Throttled:   {http.StatusBadRequest, "ProvisionedThroughputExceededException"},
		ServerError: {http.StatusInternalServerError, "InternalServerError"},
		Denied:      {http.StatusBadRequest, "AccessDeniedException"},
		Condition:   {http.StatusBadRequest, "ConditionalCheckFailedException"},
	},
	// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
	"SQS": {
		Throttled:   {http.StatusBadRequest, "RequestThrottled"},
		ServerError: {http.StatusInternalServerError, "InternalFailure"},
		Denied:      {http.StatusForbidden, "AccessDeniedException"},
		Condition:   {http.StatusBadRequest, "com.amazonaws.sqs#MessageNotInflight"},
	},
}

// dead is what the calls of a dead process come to. Nobody hears it; a broken
// connection would be tried again.
var dead = refusal{http.StatusBadRequest, "TheProcessHasDied"}

// refuse is the answer of a call that fails in this way: the service's, or none.
func refuse(r *http.Request, operation string, k Kind) (*http.Response, error) {
	service, _, _ := strings.Cut(operation, ".")
	said, speaks := refusals[service][k]
	if k == Death {
		said, speaks = dead, true
	}
	switch {
	case !speaks:
		return nil, broken(k)
	case service != "S3":
		return answer(r, said.status, "application/x-amz-json-1.0", fmt.Sprintf(`{"__type":%q,"message":"injected"}`, said.code)), nil
	case r.Method == http.MethodHead:
		return answer(r, said.status, "application/xml", ""), nil
	}
	return answer(r, said.status, "application/xml",
		fmt.Sprintf("<Error><Code>%s</Code><Message>injected</Message></Error>", said.code)), nil
}

func answer(r *http.Request, status int, kind, body string) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {kind}},
		Body:          io.NopCloser(bytes.NewReader([]byte(body))),
		ContentLength: int64(len(body)), Request: r,
	}
}
