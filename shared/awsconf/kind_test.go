package awsconf

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/strandline-dev/strandline/shared/upload"
)

const secretKey = "customers/alice tax return.pdf"

// answer serves one canned answer to every request.
func answer(t *testing.T, status int, kind, body string) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func once(o *s3.Options) { o.RetryMaxAttempts = 1; o.Retryer = aws.NopRetryer{} }

func getObject(ctx context.Context, endpoint string) error {
	_, err := S3(ForEndpoint(endpoint), once).GetObject(ctx, &s3.GetObjectInput{
		Bucket: aws.String("b"), Key: aws.String(secretKey),
	})
	return err
}

func getItem(ctx context.Context, endpoint string) error {
	client := DynamoDB(ForEndpoint(endpoint), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	_, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("t"),
		Key:       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "a"}},
	})
	return err
}

func TestAnAnswerOfS3TurnsIntoItsKind(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		code   string
		want   error
	}{
		"slow down":                     {503, "SlowDown", upload.ErrThrottled},
		"service unavailable":           {503, "ServiceUnavailable", upload.ErrThrottled},
		"503 without a code":            {503, "", upload.ErrThrottled},
		"429":                           {429, "Whatever", upload.ErrThrottled},
		"no such key":                   {404, "NoSuchKey", upload.ErrAbsent},
		"no such version":               {404, "NoSuchVersion", upload.ErrAbsent},
		"no such upload":                {404, "NoSuchUpload", upload.ErrAbsent},
		"denied":                        {403, "AccessDenied", upload.ErrDenied},
		"signature wrong":               {403, "SignatureDoesNotMatch", upload.ErrDenied},
		"internal error":                {500, "InternalError", upload.ErrUnclear},
		"bad gateway without a code":    {502, "", upload.ErrUnclear},
		"gateway timeout without code":  {504, "", upload.ErrUnclear},
		"the body did not come in time": {400, "RequestTimeout", upload.ErrUnclear},
		"a 200 that cannot be parsed":   {200, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			body := "<Error><Code>" + c.code + "</Code><Message>about " + secretKey + "</Message></Error>"
			err := Kind(getObject(t.Context(), answer(t, c.status, "application/xml", body)))
			if c.want == nil {
				if err != nil {
					t.Fatalf("got %v", err)
				}
				return
			}
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if strings.Contains(err.Error(), "alice") {
				t.Errorf("the error holds an object key: %v", err)
			}
		})
	}
}

// Without this, a purge whose bucket or table is gone (a wrong name in the
// configuration) would take every object for deleted already.
func TestABucketOrTableThatDoesNotExistIsNotAbsent(t *testing.T) {
	bucket := Kind(getObject(t.Context(), answer(t, 404, "application/xml", "<Error><Code>NoSuchBucket</Code></Error>")))
	table := Kind(getItem(t.Context(), answer(t, 400, "application/x-amz-json-1.0",
		`{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"no table"}`)))
	for _, err := range []error{bucket, table} {
		for _, kind := range []error{upload.ErrAbsent, upload.ErrThrottled, upload.ErrUnclear, upload.ErrDenied} {
			if err == nil || errors.Is(err, kind) {
				t.Errorf("got %v, which is %v", err, kind)
			}
		}
	}
}

func TestAnAnswerOfDynamoDBTurnsIntoItsKind(t *testing.T) {
	for code, want := range map[string]error{
		"ProvisionedThroughputExceededException": upload.ErrThrottled,
		"ProvisionedThroughputExceeded":          upload.ErrThrottled,
		"RequestLimitExceeded":                   upload.ErrThrottled,
		"ThrottlingException":                    upload.ErrThrottled,
		"AccessDeniedException":                  upload.ErrDenied,
		"InternalServerError":                    upload.ErrUnclear,
	} {
		body := `{"__type":"com.amazonaws.dynamodb.v20120810#` + code + `","message":"so it is"}`
		err := Kind(getItem(t.Context(), answer(t, 400, "application/x-amz-json-1.0", body)))
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", code, err, want)
		}
		if !strings.Contains(err.Error(), "so it is") {
			t.Errorf("%s: the service's message is lost: %v", code, err)
		}
	}
}

func TestACallThatEndsWithoutAnAnswerIsUnclear(t *testing.T) {
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	})
	half := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, `{"Item":{`)
	})
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see the client leave
		<-r.Context().Done()
	})
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for name, err := range map[string]error{
		"connection cut":        getItem(t.Context(), cut),
		"answer cut in half":    getItem(t.Context(), half),
		"deadline of the call":  getItem(short, silent),
		"nobody listens":        getObject(t.Context(), "http://127.0.0.1:1"),
		"s3 connection cut":     getObject(t.Context(), cut),
		"not even a connection": getItem(t.Context(), "http://127.0.0.1:1"),
	} {
		got := Kind(err)
		if !errors.Is(got, upload.ErrUnclear) {
			t.Errorf("%s: got %v", name, got)
			continue
		}
		if strings.Contains(got.Error(), "alice") || strings.Contains(got.Error(), "http://") {
			t.Errorf("%s: the error holds a URL: %v", name, got)
		}
	}
}

func TestTheErrorBelowStaysReachable(t *testing.T) {
	err := Kind(getItem(t.Context(), answer(t, 400, "application/x-amz-json-1.0",
		`{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"m"}`)))
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ThrottlingException" {
		t.Errorf("the API error is lost: %v", err)
	}
	if twice := Kind(err); twice != err { //nolint:errorlint // the very same value is what is meant
		t.Errorf("translated twice: %v", twice)
	}
	plain := errors.New("not a call at all")
	if got := Kind(plain); !errors.Is(got, plain) || got.Error() != plain.Error() {
		t.Errorf("got %v", got)
	}
	if Kind(nil) != nil {
		t.Error("no error became one")
	}
}
