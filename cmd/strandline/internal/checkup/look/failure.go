package look

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/upload"
)

// absent are the codes of what is not there: a table, a queue, a bucket, a
// function, a role.
var absent = []string{
	"ResourceNotFoundException", "NoSuchBucket", "NotFound", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue",
	"NoSuchEntity",
}

// seen is a look from what a call gave.
func seen[T any](got T, err error) checkup.Look[T] {
	if err == nil {
		return checkup.Saw(got)
	}
	return checkup.Look[T]{Failed: failure(err)}
}

// failure says what kind of failure it is, in one line and without a URL.
func failure(err error) checkup.Failure {
	err = awsconf.Kind(err)
	says, _, _ := strings.Cut(err.Error(), "\n")
	return checkup.Failure{Kind: kindOf(err), Says: says}
}

func kindOf(err error) checkup.FailureKind {
	var answer *smithyhttp.ResponseError
	code := codeOf(err)
	switch {
	case errors.Is(err, upload.ErrDenied):
		return checkup.Denied
	case slices.Contains(absent, code):
		return checkup.Absent
	case code == "" && (!errors.As(err, &answer) || answer.Response == nil || answer.HTTPStatusCode() == 0):
		return checkup.Silent
	}
	return checkup.Other
}

func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// deepest is the last error of a chain: those before it name URLs.
func deepest(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	says, _, _ := strings.Cut(err.Error(), "\n")
	return says
}
