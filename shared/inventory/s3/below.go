package s3

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/strandline-dev/strandline/shared/upload"
)

// Below yields the names of what lies directly below a folder ("" or ending in
// a slash); those of folders end in a slash. It needs s3:ListBucket.
func (b *Bucket) Below(ctx context.Context, folder string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in := &awss3.ListObjectsV2Input{
			Bucket: aws.String(b.name), Prefix: aws.String(folder), Delimiter: aws.String("/"),
		}
		for {
			page, err := b.client.ListObjectsV2(ctx, in)
			if err != nil {
				yield("", b.translate("list a folder", err))
				return
			}
			for _, name := range below(page, folder) {
				if !yield(name, nil) {
					return
				}
			}
			if !aws.ToBool(page.IsTruncated) {
				return
			}
			if in.ContinuationToken = page.NextContinuationToken; aws.ToString(in.ContinuationToken) == "" {
				yield("", fmt.Errorf("list a folder: cut off, without saying where it goes on: %w", upload.ErrUnclear))
				return
			}
		}
	}
}

func below(page *awss3.ListObjectsV2Output, folder string) []string {
	names := make([]string, 0, len(page.CommonPrefixes)+len(page.Contents))
	for _, p := range page.CommonPrefixes {
		names = append(names, strings.TrimPrefix(aws.ToString(p.Prefix), folder))
	}
	for _, o := range page.Contents {
		if name := strings.TrimPrefix(aws.ToString(o.Key), folder); name != "" {
			names = append(names, name)
		}
	}
	return names
}
