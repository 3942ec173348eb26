package installation_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/localstack/installation"
	"github.com/strandline-dev/strandline/shared/awsconf"
	queues "github.com/strandline-dev/strandline/shared/command/sqs"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/objects/memory"
)

// hands are what people and other programs do to an installation's resources.
type hands interface {
	// write puts an object on top of whatever is there, and returns its version.
	write(t *testing.T, key, body string) string
	// lock keeps a version until an instant, whatever kept it before.
	lock(t *testing.T, key, version string, until time.Time)
	// mark puts a delete marker on top of a key, as a delete by its name does.
	mark(t *testing.T, key string)
	hold(t *testing.T, key, version string)
	// redeem does a presigned put, or sends a presigned part; tryRedeem may fail.
	redeem(t *testing.T, p objects.Presigned, body []byte)
	tryRedeem(t *testing.T, p objects.Presigned, body []byte) error
	sendRaw(t *testing.T, body string)
	// letters are the reasons of the dead letters; a race asks once.
	letters(t *testing.T) []string
}

type memoryHands struct {
	*installation.Memory
	bucket string
}

func (h memoryHands) write(_ *testing.T, key, body string) string {
	return h.Objects.Write(h.bucket, key, []byte(body), time.Time{}).VersionID
}

func (h memoryHands) lock(t *testing.T, key, version string, until time.Time) {
	t.Helper()
	must(t, h.Objects.Lock(h.bucket, key, version, memory.Lock{Until: until}))
}

func (h memoryHands) hold(t *testing.T, key, version string) {
	t.Helper()
	must(t, h.Objects.SetLegalHold(h.bucket, key, version, true))
}

func (h memoryHands) mark(_ *testing.T, key string) { h.Objects.Mark(h.bucket, key) }

func (h memoryHands) redeem(t *testing.T, p objects.Presigned, body []byte) {
	t.Helper()
	must(t, h.tryRedeem(t, p, body))
}

func (h memoryHands) tryRedeem(t *testing.T, p objects.Presigned, body []byte) error {
	_, err := h.Objects.Redeem(t.Context(), p, bytes.NewReader(body))
	return err
}

func (h memoryHands) sendRaw(_ *testing.T, body string) { h.Queue.Put(body) }

func (h memoryHands) letters(*testing.T) []string {
	var reasons []string
	for _, letter := range h.Queue.DeadLetters() {
		reasons = append(reasons, letter.Reason)
	}
	return reasons
}

type wireHands struct {
	*installation.Cloud
	bucket string
}

func (h wireHands) write(t *testing.T, key, body string) string {
	t.Helper()
	out, err := awsconf.S3(h.Config).PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(h.bucket), Key: aws.String(key), Body: strings.NewReader(body),
	})
	must(t, err)
	return aws.ToString(out.VersionId)
}

func (h wireHands) lock(t *testing.T, key, version string, until time.Time) {
	t.Helper()
	_, err := awsconf.S3(h.Config).PutObjectRetention(t.Context(), &s3.PutObjectRetentionInput{
		Bucket: aws.String(h.bucket), Key: aws.String(key), VersionId: aws.String(version),
		Retention:                 &types.ObjectLockRetention{Mode: types.ObjectLockRetentionModeGovernance, RetainUntilDate: aws.Time(until)},
		BypassGovernanceRetention: aws.Bool(true),
	})
	must(t, err)
}

func (h wireHands) hold(t *testing.T, key, version string) {
	t.Helper()
	must(t, h.Hold(t.Context(), h.bucket, key, version))
}

func (h wireHands) mark(t *testing.T, key string) {
	t.Helper()
	_, err := awsconf.S3(h.Config).DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(h.bucket), Key: aws.String(key)})
	must(t, err)
}

func (h wireHands) redeem(t *testing.T, p objects.Presigned, body []byte) {
	t.Helper()
	must(t, h.tryRedeem(t, p, body))
}

func (h wireHands) tryRedeem(t *testing.T, p objects.Presigned, body []byte) error {
	req, err := http.NewRequestWithContext(t.Context(), p.Method, p.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = p.Header.Clone()
	answer, err := h.Config.HTTPClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("presigned put: %s", answer.Status)
	}
	return nil
}

func (h wireHands) sendRaw(t *testing.T, body string) {
	t.Helper()
	must(t, h.SendRaw(t.Context(), body))
}

func (h wireHands) letters(t *testing.T) []string {
	t.Helper()
	var reasons []string
	for {
		out, err := awsconf.SQS(h.Config).ReceiveMessage(context.WithoutCancel(t.Context()), &sqs.ReceiveMessageInput{
			QueueUrl: aws.String(h.DeadLetterURL), MaxNumberOfMessages: 10, MessageAttributeNames: []string{"All"},
		})
		must(t, err)
		if len(out.Messages) == 0 {
			return reasons
		}
		for _, m := range out.Messages {
			reasons = append(reasons, aws.ToString(m.MessageAttributes[queues.AttributeReason].StringValue))
		}
	}
}
