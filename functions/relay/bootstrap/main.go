// Command bootstrap is the relay as a Lambda function.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/caarlos0/env/v11"

	"github.com/strandline-dev/strandline/functions/relay"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

func main() {
	app, err := build(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
	lambda.Start(app.Handle)
}

func build(ctx context.Context) (*relay.App, error) {
	cfg, err := relay.FromEnv(env.ToMap(os.Environ()))
	if err != nil {
		return nil, err
	}
	cloud, err := awsconf.Load(ctx)
	if err != nil {
		return nil, err
	}
	return relay.New(cfg, cloud)
}
