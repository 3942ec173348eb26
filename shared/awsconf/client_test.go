package awsconf

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// late is an HTTP client that answers before it has looked for the end of the
// request's body, as net/http may.
type late struct{ body io.Reader }

func (l *late) Do(r *http.Request) (*http.Response, error) {
	if _, err := io.CopyN(io.Discard, r.Body, r.ContentLength); err != nil {
		return nil, err
	}
	l.body = r.Body
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// Otherwise net/http closes the connection under the answer, now and then.
func TestTheEndOfABodyThatTheSDKHasClosedIsNoError(t *testing.T) {
	for name, cfg := range map[string]func() (aws.Config, error){
		"for an endpoint":      func() (aws.Config, error) { return ForEndpoint("http://127.0.0.1:1"), nil },
		"from the environment": func() (aws.Config, error) { return Load(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			clean(t)
			t.Setenv("AWS_REGION", "eu-central-1")
			t.Setenv("AWS_ACCESS_KEY_ID", "a")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
			cfg, err := cfg()
			if err != nil {
				t.Fatal(err)
			}
			wrapped, ok := cfg.HTTPClient.(client)
			if !ok {
				t.Fatalf("the HTTP client is a %T", cfg.HTTPClient)
			}
			l := &late{}
			wrapped.HTTPClient = l
			cfg.HTTPClient = wrapped
			_, err = S3(cfg).PutObject(t.Context(), &s3.PutObjectInput{
				Bucket: aws.String("bucket"), Key: aws.String("k"), Body: bytes.NewReader([]byte("body")),
			})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := io.Copy(io.Discard, l.body); n != 0 || err != nil {
				t.Errorf("the end of the body: %d bytes, %v", n, err)
			}
		})
	}
}
