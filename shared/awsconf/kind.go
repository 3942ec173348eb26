package awsconf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/strandline-dev/strandline/shared/upload"
)

// codes says what the services' error codes mean, beside those of throttling
// that the SDK itself knows.
//
// A bucket, table or queue that does not exist is not among the absent ones:
// that is an installation gone wrong, and "absent" would make a purge take its
// objects for gone.
var codes = map[string]error{
	"ProvisionedThroughputExceeded": upload.ErrThrottled,
	"ServiceUnavailable":            upload.ErrThrottled,
	"ThrottlingError":               upload.ErrThrottled, // of a transaction's item
	"KmsThrottled":                  upload.ErrThrottled,
	"OverLimit":                     upload.ErrThrottled, // SQS: too many in flight

	"AccessDenied":          upload.ErrDenied,
	"AccessDeniedException": upload.ErrDenied,
	"KmsAccessDenied":       upload.ErrDenied,

	"NoSuchKey":     upload.ErrAbsent,
	"NoSuchVersion": upload.ErrAbsent,
	"NoSuchUpload":  upload.ErrAbsent,
	"NotFound":      upload.ErrAbsent, // the answer to a HEAD has no better word

	"RequestTimeout":          upload.ErrUnclear,
	"RequestTimeoutException": upload.ErrUnclear,
	"InternalError":           upload.ErrUnclear,
	"InternalServerError":     upload.ErrUnclear,
	"InternalFailure":         upload.ErrUnclear,
}

// Kind translates a failed call into the taxonomy: the error it returns matches
// one of upload.ErrThrottled, ErrDenied, ErrAbsent and ErrUnclear, where one
// fits, and still everything that err matches. Its text says the operation,
// the code and the status, and never a URL or what S3 says about a key.
//
// Where the SDK tried several times, the kind is that of the last attempt: a
// call that was throttled may have been done by an attempt before it. What is
// repeated must therefore be conditional, or harmless, whatever the kind.
func Kind(err error) error {
	if err == nil {
		return nil
	}
	var done *failure
	if errors.As(err, &done) {
		return err
	}
	return &failure{kind: kindOf(err), text: describe(err), err: err}
}

// failure is a call's error with its kind, which may be nil.
type failure struct {
	kind error
	text string
	err  error
}

func (f *failure) Error() string {
	if f.kind == nil {
		return f.text
	}
	return f.kind.Error() + ": " + f.text
}

func (f *failure) Unwrap() []error {
	if f.kind == nil {
		return []error{f.err}
	}
	return []error{f.kind, f.err}
}

func kindOf(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) {
		if kind := KindOfCode(api.ErrorCode()); kind != nil {
			return kind
		}
	}
	if status := statusOf(err); status != 0 {
		return kindOfStatus(status)
	}
	if broken(err) {
		return upload.ErrUnclear
	}
	return nil
}

// statusOf returns the status of the answer; 0 if there was none, which the
// SDK wraps in a ResponseError all the same.
func statusOf(err error) int {
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.HTTPStatusCode()
	}
	return 0
}

// KindOfCode translates an error code that came inside a successful answer, as
// those of a batch do; nil if it has no kind.
func KindOfCode(code string) error {
	if kind, ok := codes[code]; ok {
		return kind
	}
	if _, ok := retry.DefaultThrottleErrorCodes[code]; ok {
		return upload.ErrThrottled
	}
	return nil
}

func kindOfStatus(status int) error {
	switch {
	case status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
		return upload.ErrThrottled
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return upload.ErrDenied
	case status >= 500:
		return upload.ErrUnclear
	case status >= 200 && status < 300: // done, and the answer could not be read
		return upload.ErrUnclear
	}
	return nil
}

// broken reports whether the call ended without an answer.
func broken(err error) bool {
	var (
		send    *smithyhttp.RequestSendError
		reading *smithy.DeserializationError
		network net.Error
	)
	for _, ended := range []error{
		context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF,
		syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed,
	} {
		if errors.Is(err, ended) {
			return true
		}
	}
	return errors.As(err, &send) || errors.As(err, &reading) || errors.As(err, &network)
}

// describe says what failed without a URL, and without S3's own words: both
// hold keys.
func describe(err error) string {
	var parts []string
	service := ""
	var operation *smithy.OperationError
	if errors.As(err, &operation) {
		service = operation.Service()
		parts = append(parts, service+" "+operation.Operation())
	}
	var api smithy.APIError
	coded := errors.As(err, &api)
	if coded {
		parts = append(parts, api.ErrorCode())
		if service != "S3" && api.ErrorMessage() != "" {
			parts = append(parts, api.ErrorMessage())
		}
	}
	if status := statusOf(err); status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", status))
	}
	if operation == nil && !coded {
		return err.Error()
	}
	if !coded {
		parts = append(parts, innermost(err).Error())
	}
	return strings.Join(parts, ": ")
}

// innermost follows the chain to its end, past the errors that hold URLs.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
