package fault

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/strandline-dev/strandline/shared/objects"
	"github.com/strandline-dev/strandline/shared/upload"
)

// ObjectCalls is what worker and intake call of an object store.
type ObjectCalls interface {
	Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result
	Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error]
	Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error)
	Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error]
	Abort(ctx context.Context, bucket, key, uploadID string) error
	CheckBucket(ctx context.Context, bucket string) error
	Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error)
	PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error)
	Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error)
	objects.PartStore
}

// Objects is an object store whose calls may fail. Presigning passes: it asks
// nobody.
type Objects struct {
	next ObjectCalls
	set  *Set
}

// Objects puts the set in front of an object store.
func (s *Set) Objects(next ObjectCalls) *Objects { return &Objects{next, s} }

// Delete see [ObjectCalls].
func (o *Objects) Delete(ctx context.Context, bucket string, versions []upload.Condemned) []objects.Result {
	do := func(n int) []objects.Result {
		if n == 0 {
			return nil
		}
		return o.next.Delete(ctx, bucket, versions[:n])
	}
	c := o.set.meet(ctx, "objects.Delete")
	all, half := len(versions), len(versions)/2
	switch {
	case c.Kind == "":
		return do(all)
	case c.Kind == Death:
		if c.When == After {
			do(all)
		}
		return nil
	case c.When == Before:
		return answered(nil, versions, c.Kind)
	case c.When == After:
		do(all)
		return answered(nil, versions, c.Kind)
	case c.Kind == PartTimeout:
		do(half)
		return answered(nil, versions, c.Kind)
	case c.Kind == PartUnnamed:
		return answered(do(all)[:half], versions, c.Kind)
	}
	return answered(do(half), versions, c.Kind)
}

// answered are the results with those that are missing, as the kind says them.
func answered(results []objects.Result, versions []upload.Condemned, k Kind) []objects.Result {
	outcome, code := k.outcome()
	for _, v := range versions[len(results):] {
		results = append(results, objects.Result{Condemned: v, Outcome: outcome, Code: code})
	}
	return results
}

// Versions see [ObjectCalls].
func (o *Objects) Versions(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Version, error] {
	return sequence(ctx, o.set, "objects.Versions", o.next.Versions(ctx, bucket, prefix))
}

// Stat see [ObjectCalls].
func (o *Objects) Stat(ctx context.Context, bucket, key, versionID string) (objects.Facts, error) {
	return call(ctx, o.set, "objects.Stat", func() (objects.Facts, error) { return o.next.Stat(ctx, bucket, key, versionID) })
}

// Multiparts see [ObjectCalls].
func (o *Objects) Multiparts(ctx context.Context, bucket, prefix string) iter.Seq2[objects.Multipart, error] {
	return sequence(ctx, o.set, "objects.Multiparts", o.next.Multiparts(ctx, bucket, prefix))
}

// Abort see [ObjectCalls].
func (o *Objects) Abort(ctx context.Context, bucket, key, uploadID string) error {
	return run(ctx, o.set, "objects.Abort", nil, func() error { return o.next.Abort(ctx, bucket, key, uploadID) })
}

// CheckBucket see [ObjectCalls].
func (o *Objects) CheckBucket(ctx context.Context, bucket string) error {
	return run(ctx, o.set, "objects.CheckBucket", nil, func() error { return o.next.CheckBucket(ctx, bucket) })
}

// Put see [ObjectCalls]. A condition that fails says that the key has an object.
func (o *Objects) Put(ctx context.Context, bucket, key string, body io.Reader, c objects.Content) (objects.Stored, error) {
	return callOr(ctx, o.set, "objects.Put", upload.ErrRefused, func() (objects.Stored, error) {
		return o.next.Put(ctx, bucket, key, body, c)
	})
}

// PresignPut see [ObjectCalls].
func (o *Objects) PresignPut(ctx context.Context, bucket, key string, c objects.Content, life time.Duration) (objects.Presigned, error) {
	return o.next.PresignPut(ctx, bucket, key, c, life)
}

// Open see [ObjectCalls]. Once open, it does not fail.
func (o *Objects) Open(ctx context.Context, bucket, key, versionID string) (io.ReadCloser, error) {
	return call(ctx, o.set, "objects.Open", func() (io.ReadCloser, error) { return o.next.Open(ctx, bucket, key, versionID) })
}
