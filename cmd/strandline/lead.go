package main

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/aws/smithy-go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/strandline-dev/strandline/shared/upload"
)

// badCredentials are the codes with which the services refuse whoever asks,
// whatever is asked.
var badCredentials = []string{
	"ExpiredToken", "ExpiredTokenException", "RequestExpired", "UnrecognizedClientException", "InvalidClientTokenId",
	"InvalidAccessKeyId", "InvalidToken", "SignatureDoesNotMatch", "InvalidSignatureException",
}

// lead says after a service's own words what a person does about them, in the
// terms of the command; empty where they say enough.
func lead(err error) string {
	var operation *smithy.OperationError
	if !errors.As(err, &operation) {
		return ""
	}
	if unanswered(err) {
		return "; nobody answers there: look at --region, and at --endpoint or AWS_ENDPOINT_URL"
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		return ""
	}
	service, code := operation.Service(), api.ErrorCode()
	switch {
	case slices.Contains(badCredentials, code):
		return "; the credentials are not, or no longer, good: sign in again, or look at --profile and AWS_PROFILE, and at this machine's clock"
	case service == "DynamoDB" && code == "ResourceNotFoundException":
		return "; there is no such table here: look at --table or STRANDLINE_TABLE, at --region, and at whose account --profile is"
	case service == "SQS" && slices.Contains([]string{"QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"}, code):
		return "; there is no such queue here: look at the queues' URLs (--queue-url, --dead-letter-url), and at --region"
	case code == "NoSuchBucket":
		return "; look at the bucket's name, and at --region and --profile"
	case errors.Is(err, upload.ErrDenied) && service == "S3":
		return "; look at what the bucket allows whom --profile names"
	case errors.Is(err, upload.ErrDenied):
		return `; whoever works here needs the operators' policy (docs/deploy.md, Rights); "strandline doctor" says which right is missing`
	}
	return ""
}

// unanswered reports whether there was nobody to send the call to.
func unanswered(err error) bool {
	var name *net.DNSError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &name)
}

// leadToHelp has what is wrong with the words of a command line end with where
// the right ones are. What a command says itself about its arguments stays.
func leadToHelp(root *cobra.Command) {
	root.SetFlagErrorFunc(badFlag)
	if args := root.Args; args != nil {
		root.Args = func(cmd *cobra.Command, given []string) error { return ledBy(cmd, args(cmd, given)) }
	}
	for _, cmd := range root.Commands() {
		leadToHelp(cmd)
	}
}

// ledBy adds to cobra's own words, and says of what is no command that it is an
// argument too many where there are no commands.
func ledBy(cmd *cobra.Command, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "unknown command ") && !cmd.HasSubCommands():
		return seeHelp(cmd, fmt.Errorf("%s takes no argument", cmd.CommandPath()))
	case strings.HasPrefix(err.Error(), "unknown command "), strings.HasPrefix(err.Error(), "accepts "):
		return seeHelp(cmd, err)
	}
	return err
}

// wanted are the values of a flag, by their type: the words of who parses them
// are about Go.
var wanted = map[string]string{
	"bool": "true or false", "int": "a whole number", "int64": "a whole number",
	"duration": `a duration in hours, minutes or seconds, such as "168h" or "90m"`,
}

// badFlag says what a flag expects.
func badFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		if values := wanted[invalid.GetFlag().Value.Type()]; values != "" {
			err = fmt.Errorf("--%s is %.60q: expected %s", invalid.GetFlag().Name, invalid.GetValue(), values)
		}
	}
	return seeHelp(cmd, err)
}

// helpOfCommands has the command help refuse what is no command.
func helpOfCommands(help *cobra.Command) {
	help.Args = func(cmd *cobra.Command, words []string) error {
		found, _, err := cmd.Root().Find(words)
		if err == nil && found.CommandPath() != strings.Join(append([]string{cmd.Root().Name()}, words...), " ") {
			err = fmt.Errorf("unknown command %q", strings.Join(words, " "))
		}
		if err != nil {
			return seeHelp(cmd.Root(), err)
		}
		return nil
	}
}

// onlyShells has the command completion refuse a shell that is none of its own.
func onlyShells(completion *cobra.Command) {
	completion.Args = func(cmd *cobra.Command, given []string) error { return ledBy(cmd, cobra.NoArgs(cmd, given)) }
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func seeHelp(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w; \"%s --help\" shows what there is", err, cmd.CommandPath())
}
