package s3

import (
	"context"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/objects"
)

// carriedByXML reports whether a key comes back from a DeleteObjects body and
// its answer as it was. XML 1.0 has no way to write most control characters
// (https://www.w3.org/TR/xml/#charsets): the SDK writes U+FFFD for them, which
// is another key, and where the version is called null, another object. Line
// ends and the other blank controls may be normalised by a parser.
func carriedByXML(key string) bool {
	if !utf8.ValidString(key) {
		return false
	}
	for _, r := range key {
		switch {
		case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x2028, r == 0x2029, r == 0xfffe, r == 0xffff:
			return false
		}
	}
	return true
}

// deleteSingle deletes the versions whose keys a batch cannot carry, one call
// each, with the key in the URL; each is sent once.
func (s *Store) deleteSingle(ctx context.Context, bucket string, single []entry, found answers) {
	for _, e := range single {
		if ctx.Err() != nil {
			found.set(e, objects.Failed, codeCancelled)
			continue
		}
		_, err := s.client.DeleteObject(ctx, &awss3.DeleteObjectInput{
			Bucket: aws.String(bucket), Key: aws.String(e.key), VersionId: aws.String(e.versionID),
		}, once)
		if err == nil {
			found.set(e, objects.Gone, "")
			continue
		}
		outcome, code := failed(err)
		if code == "NoSuchVersion" {
			outcome = objects.Gone
		}
		found.set(e, outcome, code)
	}
}
