package awsconf

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

func TestAnEndpointForAllServicesOrForOneIsTakenFromTheEnvironment(t *testing.T) {
	for _, variable := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		t.Run(variable, func(t *testing.T) {
			var asked string
			endpoint := serve(t, func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.Path })
			clean(t)
			t.Setenv("AWS_REGION", "eu-central-1")
			t.Setenv(variable, endpoint)
			cfg, err := Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !S3(cfg).Options().UsePathStyle { // the SDK itself does it for an IP address only
				t.Error("a bucket's own host name would be asked for")
			}
			_, err = S3(cfg).HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String("bucket"), Key: aws.String("k")})
			if err != nil || asked != "/bucket/k" {
				t.Errorf("asked for %q (%v): the bucket belongs into the path", asked, err)
			}
		})
	}
}

func TestAWSItselfIsAskedWithTheBucketInTheHostName(t *testing.T) {
	clean(t)
	t.Setenv("AWS_REGION", "eu-central-1")
	cfg, err := Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if S3(cfg).Options().UsePathStyle {
		t.Error("path style, though no endpoint is set")
	}
}

func TestAMissingRegionIsNamed(t *testing.T) {
	clean(t)
	if _, err := Load(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("got %v", err)
	}
}

// Otherwise the command says that S3 denies what S3 was never asked.
func TestACommandWithoutCredentialsSaysSoAtOnce(t *testing.T) {
	clean(t)
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	if _, err := LoadSigned(t.Context(), Given{}); err == nil || !strings.HasPrefix(err.Error(), "no AWS credentials (set ") {
		t.Errorf("without: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "a")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "b")
	for given, want := range map[string]string{"": "eu-central-1", "eu-west-1": "eu-west-1"} {
		if cfg, err := LoadSigned(t.Context(), Given{Region: given}); err != nil || cfg.Region != want {
			t.Errorf("with, and region %q: %q, %v", given, cfg.Region, err)
		}
	}
}

func TestAThrottledCallIsRepeatedThreeTimesAndNoMore(t *testing.T) {
	calls := 0
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := DynamoDB(ForEndpoint(endpoint)).ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err == nil || calls != maxAttempts {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestTheServersClockIsTheDateOfItsAnswer(t *testing.T) {
	date := time.Date(2026, 3, 1, 12, 0, 5, 0, time.UTC)
	endpoint := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", date.Format(http.TimeFormat))
	})
	out, err := S3(ForEndpoint(endpoint)).HeadBucket(t.Context(), &s3.HeadBucketInput{Bucket: aws.String("b")})
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := ServerTime(out.ResultMetadata); !ok || !got.Equal(date) {
		t.Errorf("got %v %v, want %v", got, ok, date)
	}
}

// clean hides this machine's own settings.
func clean(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
}
