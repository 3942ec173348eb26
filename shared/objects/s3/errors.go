package s3

import (
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// translate says what was being done, and of which kind its failure is.
func translate(doing string, err error) error {
	return fmt.Errorf("%s: %w", doing, awsconf.Kind(err))
}

// translatePut does so for a write under If-None-Match, whose refusals have no
// kind elsewhere (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
func translatePut(doing string, err error) error {
	code, status := answerOf(err)
	switch {
	case status == http.StatusPreconditionFailed:
		return fmt.Errorf("%s: the key has an object: %w", doing, upload.ErrRefused)
	case status == http.StatusConflict: // another write of this key is under way
		return fmt.Errorf("%s: %s: %w", doing, code, upload.ErrUnclear)
	case code == "BadDigest", code == "XAmzContentSHA256Mismatch", code == "IncompleteBody":
		return fmt.Errorf("%s: the body has another size or SHA-256: %w", doing, upload.ErrRefused)
	}
	return translate(doing, err)
}

// answerOf returns the service's code and the HTTP status, as far as there was
// an answer.
func answerOf(err error) (code string, status int) {
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		status = response.HTTPStatusCode()
	}
	return code, status
}

// outcomeOf is what an error of a kind means for a version that was to be
// deleted. What has no kind was refused as it stood: nothing was done.
func outcomeOf(kind error) objects.Outcome {
	switch {
	case errors.Is(kind, upload.ErrThrottled):
		return objects.Throttled
	case errors.Is(kind, upload.ErrDenied):
		return objects.Denied
	case errors.Is(kind, upload.ErrUnclear):
		return objects.Unclear
	}
	return objects.Failed
}
