package awsconf

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/logging"
	smithy "github.com/aws/smithy-go/middleware"
)

// What a call may take. There is no limit for a whole call: a put of gigabytes
// is one. The context has that.
const (
	dialWithin   = 3 * time.Second
	answerWithin = 30 * time.Second // after the request was sent; a long poll of SQS takes 20 s

	maxAttempts = 3
	maxBackoff  = 2 * time.Second
)

// Load reads the configuration from the environment: region, credentials, and
// AWS_ENDPOINT_URL or AWS_ENDPOINT_URL_S3, _SQS, _DYNAMODB for other endpoints
// than those of AWS.
func Load(ctx context.Context) (aws.Config, error) { return load(ctx, Given{}) }

// Given is what a command was told, and goes before the environment. What is
// empty is the environment's.
type Given struct {
	Region string
	// Profile names a section of the AWS configuration files.
	Profile string
	// Endpoint is the base URL of all services.
	Endpoint string
}

func load(ctx context.Context, given Given) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(given.Region),
		config.WithSharedConfigProfile(given.Profile),
		config.WithBaseEndpoint(given.Endpoint),
		config.WithHTTPClient(httpClient()),
		config.WithRetryer(retryer),
		// What fails is an error; the SDK's own warnings are no log of ours, and
		// may say anything.
		config.WithLogger(logging.Nop{}))
	if err != nil {
		return aws.Config{}, fmt.Errorf("load the AWS configuration: %w", err)
	}
	if cfg.Region == "" {
		return aws.Config{}, fmt.Errorf("AWS_REGION is not set: expected a region such as eu-central-1")
	}
	cfg.HTTPClient = client{cfg.HTTPClient}
	return cfg, nil
}

// LoadSigned is Load for a command: that nobody has given it credentials is
// said at once, and not by the first call that needs them, as a denial.
func LoadSigned(ctx context.Context, given Given) (aws.Config, error) {
	cfg, err := load(ctx, given)
	if err != nil {
		return aws.Config{}, err
	}
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return aws.Config{}, fmt.Errorf("no AWS credentials (set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY): %w", innermost(err))
	}
	return cfg, nil
}

// ForEndpoint returns the configuration for an emulator at a base URL, with
// credentials that nobody checks. It reads no environment.
func ForEndpoint(endpoint string) aws.Config {
	return aws.Config{
		Region:       "us-east-1",
		BaseEndpoint: aws.String(endpoint),
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		HTTPClient:   client{httpClient()},
		Retryer:      retryer,
	}
}

// S3 returns a client. With an endpoint that is not AWS's own, the bucket is
// named in the path: a bucket's own host name does not resolve there.
func S3(cfg aws.Config, opts ...func(*s3.Options)) *s3.Client {
	pathStyle := func(o *s3.Options) { o.UsePathStyle = o.BaseEndpoint != nil }
	return s3.NewFromConfig(cfg, append([]func(*s3.Options){pathStyle}, opts...)...)
}

// SQS returns a client.
func SQS(cfg aws.Config, opts ...func(*sqs.Options)) *sqs.Client {
	return sqs.NewFromConfig(cfg, opts...)
}

// DynamoDB returns a client.
func DynamoDB(cfg aws.Config, opts ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, opts...)
}

// ServerTime returns the service's own clock from the metadata of an answer:
// its Date, in whole seconds.
func ServerTime(answer smithy.Metadata) (time.Time, bool) {
	return middleware.GetServerTime(answer)
}

func retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.MaxBackoff = maxBackoff
	})
}
