package objects

import (
	"context"
	"iter"
)

// Lister lists versions and delete markers below a prefix, keys ascending in
// the order of their UTF-8 bytes. Within one key the order is not promised.
type Lister interface {
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[Version, error]
}

// VersionsOf lists the versions and delete markers of exactly one key. S3's
// Prefix matches more than the key (a1 and a/ as well as a): the others are
// left out, and the listing ends at the first of them, because a key comes
// before every key that it is a prefix of.
func VersionsOf(ctx context.Context, l Lister, bucket, key string) iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		for v, err := range l.Versions(ctx, bucket, key) {
			if err != nil {
				yield(Version{}, err)
				return
			}
			if v.Key > key {
				return
			}
			if v.Key == key && !yield(v, nil) {
				return
			}
		}
	}
}
