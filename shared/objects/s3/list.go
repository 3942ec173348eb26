package s3

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Versions lists every version and delete marker of the keys that begin with
// prefix, page by page, keys ascending. Keys are asked for URL-encoded, since
// XML cannot carry all of them, and decoded once.
func (s *Store) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	return pageByPage(awss3.ListObjectVersionsInput{
		Bucket: aws.String(bucket), Prefix: aws.String(prefix), EncodingType: types.EncodingTypeUrl,
	}, func(in *awss3.ListObjectVersionsInput) ([]objects.Version, bool, error) {
		return s.versionsPage(ctx, in)
	})
}

// pageByPage yields the entries of all pages, or an error and nothing after it.
// read reads a page and moves its input to the next.
func pageByPage[Input, Entry any](first Input, read func(*Input) (page []Entry, more bool, err error)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		in := first // whoever ranges a second time begins anew
		for more := true; more; {
			var page []Entry
			var err error
			if page, more, err = read(&in); err != nil {
				var none Entry
				yield(none, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
			}
		}
	}
}

// versionsPage reads one page and moves the input to the next: a page may end
// between two versions of one key, so both markers are needed.
func (s *Store) versionsPage(ctx context.Context, in *awss3.ListObjectVersionsInput) ([]objects.Version, bool, error) {
	const doing = "list versions"
	out, err := s.client.ListObjectVersions(ctx, in)
	if err != nil {
		return nil, false, translate(doing, err)
	}
	key := decoder(out.EncodingType)
	page := make([]objects.Version, 0, len(out.Versions)+len(out.DeleteMarkers))
	for _, v := range out.Versions {
		page = append(page, objects.Version{
			Key: key.of(v.Key), VersionID: aws.ToString(v.VersionId), Latest: aws.ToBool(v.IsLatest),
			Size: aws.ToInt64(v.Size), ETag: unquoted(v.ETag), LastModified: utc(v.LastModified),
		})
	}
	for _, m := range out.DeleteMarkers {
		page = append(page, objects.Version{
			Key: key.of(m.Key), VersionID: aws.ToString(m.VersionId), Latest: aws.ToBool(m.IsLatest),
			Marker: true, LastModified: utc(m.LastModified),
		})
	}
	more := aws.ToBool(out.IsTruncated)
	if more {
		in.KeyMarker, in.VersionIdMarker = aws.String(key.of(out.NextKeyMarker)), out.NextVersionIdMarker
	}
	if err := key.check(doing, more, in.KeyMarker); err != nil {
		return nil, false, err
	}
	slices.SortStableFunc(page, inOrder)
	return page, more, nil
}

// inOrder joins versions and markers, which the client hands over apart.
func inOrder(a, b objects.Version) int {
	if c := cmp.Compare(a.Key, b.Key); c != 0 {
		return c
	}
	return b.LastModified.Compare(a.LastModified)
}

// Multiparts lists the unfinished multipart uploads of the keys that begin
// with prefix, page by page.
func (s *Store) Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error] {
	return pageByPage(awss3.ListMultipartUploadsInput{
		Bucket: aws.String(bucket), Prefix: aws.String(prefix), EncodingType: types.EncodingTypeUrl,
	}, func(in *awss3.ListMultipartUploadsInput) ([]objects.Multipart, bool, error) {
		return s.multipartsPage(ctx, in)
	})
}

func (s *Store) multipartsPage(ctx context.Context, in *awss3.ListMultipartUploadsInput) ([]objects.Multipart, bool, error) {
	const doing = "list multipart uploads"
	out, err := s.client.ListMultipartUploads(ctx, in)
	if err != nil {
		return nil, false, translate(doing, err)
	}
	key := decoder(out.EncodingType)
	page := make([]objects.Multipart, len(out.Uploads))
	for i, u := range out.Uploads {
		page[i] = objects.Multipart{Key: key.of(u.Key), UploadID: aws.ToString(u.UploadId), Begun: utc(u.Initiated)}
	}
	more := aws.ToBool(out.IsTruncated)
	if more {
		in.KeyMarker, in.UploadIdMarker = aws.String(key.of(out.NextKeyMarker)), out.NextUploadIdMarker
	}
	if err := key.check(doing, more, in.KeyMarker); err != nil {
		return nil, false, err
	}
	return page, more, nil
}

// keys decodes the keys of one page, if they are encoded, and remembers the
// first that could not be.
type keys struct {
	encoded bool
	err     error
}

// decoder looks at what the answer says, not at what was asked for.
func decoder(t types.EncodingType) *keys { return &keys{encoded: t == types.EncodingTypeUrl} }

func (k *keys) of(key *string) string {
	if !k.encoded {
		return aws.ToString(key)
	}
	decoded, err := url.QueryUnescape(aws.ToString(key))
	if err != nil {
		k.err = err
	}
	return decoded
}

// check refuses a page that cannot be read whole, or that says there is more
// and not where: a shorter answer is never taken for the whole.
func (k *keys) check(doing string, more bool, next *string) error {
	if k.err != nil {
		return fmt.Errorf("%s: a key is not URL-encoded: %w", doing, upload.ErrUnclear)
	}
	if more && aws.ToString(next) == "" {
		return fmt.Errorf("%s: cut off, without saying where it goes on: %w", doing, upload.ErrUnclear)
	}
	return nil
}
