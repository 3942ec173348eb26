// Command bootstrap is the recorder as a Lambda function.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/caarlos0/env/v11"

	"github.com/strandline-dev/strandline/functions/recorder"
	"github.com/strandline-dev/strandline/shared/awsconf"
)

func main() {
	app, err := build(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
		os.Exit(1)
	}
	lambda.Start(app.Handle)
}

func build(ctx context.Context) (*recorder.App, error) {
	cfg, err := recorder.FromEnv(env.ToMap(os.Environ()))
	if err != nil {
		return nil, err
	}
	cloud, err := awsconf.Load(ctx)
	if err != nil {
		return nil, err
	}
	return recorder.New(cfg, cloud)
}
