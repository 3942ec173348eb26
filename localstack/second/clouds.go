package main

import (
	"context"
	"errors"
	"os"

	"github.com/strandline-dev/strandline/localstack"
)

// clouds are the two that make the second cloud.
type clouds struct{ store, ledger *localstack.Cloud }

func start(ctx context.Context) (*clouds, error) {
	store, err := localstack.Start(ctx, theStore())
	if err != nil {
		return nil, err
	}
	ledger, err := localstack.Start(ctx, theLedger())
	if err != nil {
		return nil, errors.Join(err, store.Stop())
	}
	return &clouds{store, ledger}, nil
}

func (s *clouds) stop() error { return errors.Join(s.store.Stop(), s.ledger.Stop()) }

// settings point the SDK, the demo and the tests of S3 and SQS at the cloud.
func (s *clouds) settings() []string {
	return []string{
		"AWS_ENDPOINT_URL_S3=" + s.store.Endpoint(),
		"AWS_ENDPOINT_URL_SQS=" + s.store.Endpoint(),
		"AWS_ENDPOINT_URL_DYNAMODB=" + s.ledger.Endpoint(),
		"STRANDLINE_TEST_ENDPOINT=" + s.store.Endpoint(),
		"AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
	}
}

func theStore() localstack.Options {
	return localstack.Options{Emulator: localstack.LocalStack, Progress: os.Stderr}
}

func theLedger() localstack.Options { return localstack.Options{Progress: os.Stderr} }

func fetch(ctx context.Context) error {
	if err := localstack.Fetch(ctx, theStore()); err != nil {
		return err
	}
	return localstack.Fetch(ctx, theLedger())
}
