package sqs_test

import (
	"bytes"
	"io"
	"net/http"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
)

// likeSQS makes up for what the emulators answer differently from SQS. An
// answer that is as SQS's is left alone.
func likeSQS(o *awssqs.Options) {
	next := o.HTTPClient
	o.HTTPClient = do(func(r *http.Request) (*http.Response, error) {
		resp, err := next.Do(r)
		if err == nil && r.Header.Get("X-Amz-Target") == "AmazonSQS.ChangeMessageVisibilityBatch" {
			err = blameSender(resp)
		}
		return resp, err
	})
}

// do is an HTTP client made of a function.
type do func(*http.Request) (*http.Response, error)

func (d do) Do(r *http.Request) (*http.Response, error) { return d(r) }

// blameSender makes up for LocalStack 4.14.0, which says of an entry whose
// receipt is not good any more that this is not its sender's fault.
func blameSender(resp *http.Response) error {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if bytes.Contains(body, []byte("InvalidParameterValueException")) {
		for _, written := range []string{`"SenderFault": false`, `"SenderFault":false`} {
			body = bytes.ReplaceAll(body, []byte(written), []byte(`"SenderFault":true`))
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}
