package s3

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/strandline-dev/strandline/shared/awsconf"
	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Stat shows one version, or one delete marker; ErrAbsent if it does not stand.
// The lock's date is shown only to a caller with s3:GetObjectRetention, the
// hold only with s3:GetObjectLegalHold.
//
// Of an object that is encrypted with a KMS key, S3 shows the checksum only to a
// caller with kms:Decrypt, and to any other who asks for it nothing at all
// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html): who is
// denied looks again and asks for less.
func (s *Store) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	seen, err := s.look(ctx, bucket, entry{key, versionID}, types.ChecksumModeEnabled)
	if errors.Is(err, upload.ErrDenied) {
		seen, err = s.look(ctx, bucket, entry{key, versionID}, noChecksum)
	}
	return seen.facts, err
}

// noChecksum leaves the header out.
const noChecksum types.ChecksumMode = ""

// seen is what a look showed, and the store's own clock when it did.
type seen struct {
	facts objects.Facts
	at    time.Time
}

func (s *Store) look(ctx context.Context, bucket string, e entry, mode types.ChecksumMode) (seen, error) {
	out, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{
		Bucket: aws.String(bucket), Key: aws.String(e.key), VersionId: aws.String(e.versionID),
		ChecksumMode: mode,
	})
	if err != nil {
		return s.notSeen(ctx, bucket, e, err)
	}
	at, _ := awsconf.ServerTime(out.ResultMetadata)
	return seen{at: at, facts: objects.Facts{
		Size:         aws.ToInt64(out.ContentLength),
		ETag:         unquoted(out.ETag),
		LastModified: aws.ToTime(out.LastModified).UTC(),
		Checksum:     checksumOf(out),
		LockedUntil:  utc(out.ObjectLockRetainUntilDate),
		LegalHold:    out.ObjectLockLegalHoldStatus == types.ObjectLockLegalHoldStatusOn,
	}}, nil
}

// checksumOf is the SHA-256 that S3 keeps, in the form of upload.Expected: S3
// writes it in base64, of a multipart object followed by "-" and the number of
// its parts. Empty for none, and for what is written otherwise.
func checksumOf(out *awss3.HeadObjectOutput) string {
	encoded, parts, composite := strings.Cut(aws.ToString(out.ChecksumSHA256), "-")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case err != nil || len(sum) != sha256.Size:
		return ""
	case composite:
		return objects.Checksum(sum) + "-" + parts
	}
	return objects.Checksum(sum)
}

// notSeen tells a delete marker, for which S3 refuses the method and says so
// in the headers (https://docs.aws.amazon.com/AmazonS3/latest/userguide/DeleteMarker.html),
// and a bucket that does not exist from a version that does not: an answer to
// HEAD has no words for the difference.
func (s *Store) notSeen(ctx context.Context, bucket string, e entry, err error) (seen, error) {
	doing := "stat version " + e.versionID
	var response *awshttp.ResponseError
	if errors.As(err, &response) && response.HTTPStatusCode() == http.StatusMethodNotAllowed {
		return seen{facts: markerOf(response.Response.Header)}, nil
	}
	err = translate(doing, err)
	if !errors.Is(err, upload.ErrAbsent) {
		return seen{}, err
	}
	if _, missing := s.client.HeadBucket(ctx, &awss3.HeadBucketInput{Bucket: aws.String(bucket)}); missing != nil {
		return seen{}, fmt.Errorf("%s: bucket %s cannot be seen: %w", doing, bucket, notAbsent(missing))
	}
	return seen{}, err
}

// notAbsent takes the kind from a missing bucket's error: what it holds is not
// "absent", it is not to be seen.
func notAbsent(err error) error {
	kind := awsconf.Kind(err)
	if errors.Is(kind, upload.ErrAbsent) {
		return upload.ErrRefused
	}
	return kind
}

func markerOf(h http.Header) objects.Facts {
	facts := objects.Facts{Marker: true}
	if modified, err := http.ParseTime(h.Get("Last-Modified")); err == nil {
		facts.LastModified = modified.UTC()
	}
	return facts
}

func unquoted(etag *string) string { return strings.Trim(aws.ToString(etag), `"`) }

func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// looksAtOnce bounds the looks at denied versions.
const looksAtOnce = 8

// explainDenied looks at each version whose delete was denied, because S3 says
// AccessDenied for a lock and a legal hold as well as for missing rights. What
// shows neither, or cannot be looked at, stays denied. A call that was denied
// as a whole has nothing to do with locks.
func (s *Store) explainDenied(ctx context.Context, bucket string, found answers) {
	var denied []entry
	for e, a := range found {
		if a.outcome == objects.Denied && a.own {
			denied = append(denied, e)
		}
	}
	explained := make([]answer, len(denied))
	var group errgroup.Group
	group.SetLimit(looksAtOnce)
	for i, e := range denied {
		group.Go(func() error {
			explained[i] = s.explain(ctx, bucket, e, found[e])
			return nil
		})
	}
	_ = group.Wait() // none of them returns an error
	for i, e := range denied {
		found[e] = explained[i]
	}
}

func (s *Store) explain(ctx context.Context, bucket string, e entry, a answer) answer {
	saw, err := s.look(ctx, bucket, e, noChecksum)
	switch {
	case errors.Is(err, upload.ErrAbsent):
		a.outcome = objects.Gone
	case err == nil:
		if a.retained = saw.facts.Retained(saw.at); a.retained.Count > 0 {
			a.outcome = objects.Retained
		}
	}
	return a
}
