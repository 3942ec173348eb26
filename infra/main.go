//go:build infra

// Command infra is the CDK app: one stack with one installation. What to deploy
// is in the context, whose keys begin with "strandline:"; docs/deploy.md lists
// them. The cdk command runs it, see cdk.json.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/strandline-dev/strandline/infra/strandline"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "infra:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	if _, err := exec.LookPath("node"); err != nil {
		return fmt.Errorf("node is missing: install Node 20 or newer and put it on PATH")
	}
	defer jsii.Close()
	// The CDK, and the construct, say what is wrong by panicking.
	defer func() {
		if cause := recover(); cause != nil {
			err = oneLine(cause)
		}
	}()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: outdir()})
	s, err := readSettings(app.Node().GetAllContext(nil))
	if err != nil {
		return err
	}
	if s.props.Code, err = filepath.Abs(filepath.Join("..", "dist", s.architecture())); err != nil {
		return err
	}
	if err := strandline.Build(ctx, s.props.Code, s.architecture()); err != nil {
		return err
	}
	stack := awscdk.NewStack(app, jsii.String(s.stack), &awscdk.StackProps{
		Env: environment(), Description: jsii.String("Strandline: finds and clears what uploads leave stranded in S3"),
		// The table and the buckets are retained in any case; this keeps a slip of
		// the hand from taking schedules and alarms away.
		TerminationProtection: jsii.Bool(true),
	})
	strandline.New(stack, "Strandline", s.props)
	app.Synth(nil)
	return nil
}

// outdir is the cdk command's own, which names it in a variable; cdk.out for
// whoever runs the app alone.
func outdir() *string {
	if os.Getenv("CDK_OUTDIR") != "" {
		return nil
	}
	return jsii.String("cdk.out")
}

// environment is the account and Region that the cdk command found; without
// them the template fits any.
func environment() *awscdk.Environment {
	account, region := os.Getenv("CDK_DEFAULT_ACCOUNT"), os.Getenv("CDK_DEFAULT_REGION")
	if account == "" || region == "" {
		return nil
	}
	return &awscdk.Environment{Account: jsii.String(account), Region: jsii.String(region)}
}
