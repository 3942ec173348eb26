package installation

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/strandline-dev/strandline/shared/awsconf"
)

// Cloud does to an installation's resources what others may do to them: people,
// other programs, old clients.
type Cloud struct {
	Config        aws.Config
	QueueURL      string
	DeadLetterURL string
	// ReleasesURL is where outboxes send to.
	ReleasesURL string

	mu   sync.Mutex
	held []types.ObjectIdentifier
}

// Hold places a legal hold on a version.
func (c *Cloud) Hold(ctx context.Context, bucket, key, versionID string) error {
	if err := c.setHold(ctx, bucket, key, versionID, types.ObjectLockLegalHoldStatusOn); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = append(c.held, types.ObjectIdentifier{Key: aws.String(key), VersionId: aws.String(versionID)})
	return nil
}

func (c *Cloud) setHold(ctx context.Context, bucket, key, versionID string, status types.ObjectLockLegalHoldStatus) error {
	_, err := awsconf.S3(c.Config).PutObjectLegalHold(ctx, &s3.PutObjectLegalHoldInput{
		Bucket: aws.String(bucket), Key: aws.String(key), VersionId: aws.String(versionID),
		LegalHold: &types.ObjectLockLegalHold{Status: status},
	})
	if err != nil {
		return fmt.Errorf("set legal hold of version %s: %w", versionID, awsconf.Kind(err))
	}
	return nil
}

// liftHolds takes every legal hold away that Hold has placed.
func (c *Cloud) liftHolds(ctx context.Context, bucket string) error {
	for _, v := range c.held {
		err := c.setHold(ctx, bucket, aws.ToString(v.Key), aws.ToString(v.VersionId), types.ObjectLockLegalHoldStatusOff)
		if err != nil {
			return err
		}
	}
	c.held = nil
	return nil
}

// Remove deletes a version behind the ledger's back.
func (c *Cloud) Remove(ctx context.Context, bucket, key, versionID string) error {
	_, err := awsconf.S3(c.Config).DeleteObject(ctx, &s3.DeleteObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(key), VersionId: aws.String(versionID),
	})
	if err != nil {
		return fmt.Errorf("remove version %s: %w", versionID, awsconf.Kind(err))
	}
	return nil
}

// SendRaw puts a message into the queue that no scheduler has sent.
func (c *Cloud) SendRaw(ctx context.Context, body string) error {
	_, err := awsconf.SQS(c.Config).SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(c.QueueURL), MessageBody: aws.String(body),
	})
	if err != nil {
		return fmt.Errorf("send message: %w", awsconf.Kind(err))
	}
	return nil
}
