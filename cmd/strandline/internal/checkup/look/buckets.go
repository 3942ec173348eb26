package look

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/checkup"
)

// buckets are the looks at those that were given, and at those in which the
// ledger counts anything.
func (e *eye) buckets() []func(context.Context) {
	places := slices.Clone(e.Buckets)
	for _, b := range e.facts.Census.Got.Buckets {
		given := slices.ContainsFunc(places, func(p Place) bool { return p.Bucket == b.Bucket })
		if b.Objects > 0 && !given {
			places = append(places, Place{Bucket: b.Bucket})
		}
	}
	e.facts.Buckets = make([]checkup.Bucket, len(places))
	var looks []func(context.Context)
	for i, p := range places {
		e.facts.Buckets[i] = checkup.Bucket{Name: p.Bucket, Prefix: p.Prefix}
		looks = append(looks, func(ctx context.Context) { e.bucket(ctx, i, p) })
	}
	return looks
}

func (e *eye) bucket(ctx context.Context, i int, p Place) {
	found := checkup.Bucket{Name: p.Bucket, Prefix: p.Prefix}
	region, err := e.regionOf(ctx, p.Bucket)
	switch {
	case err != nil:
		fails := failure(err)
		found.Versioning.Failed, found.Lock.Failed, found.Rules.Failed = fails, fails, fails
	case region != "" && region != e.facts.Region:
		elsewhere := checkup.Failure{Kind: checkup.Other, Says: "it is in another region"}
		found.Versioning = checkup.Saw(checkup.Versioning{Region: region})
		found.Lock.Failed, found.Rules.Failed = elsewhere, elsewhere
	default:
		found.Versioning = e.versioning(ctx, p.Bucket, region)
		found.Lock = e.lock(ctx, p.Bucket)
		found.Rules = e.rules(ctx, p.Bucket)
	}
	e.set(func(f *checkup.Facts) { f.Buckets[i] = found })
}

// regionOf is where a bucket is; a bucket elsewhere answers with a redirect
// that says it, and where nothing says it, the region is empty.
func (e *eye) regionOf(ctx context.Context, bucket string) (string, error) {
	out, err := e.s3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String(bucket)})
	if err == nil {
		return aws.ToString(out.BucketRegion), nil
	}
	var answer *smithyhttp.ResponseError
	if errors.As(err, &answer) && answer.Response != nil {
		if region := answer.Response.Header.Get("X-Amz-Bucket-Region"); region != "" && region != e.facts.Region {
			return region, nil
		}
	}
	return "", err
}

func (e *eye) versioning(ctx context.Context, bucket, region string) checkup.Look[checkup.Versioning] {
	out, err := e.s3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: aws.String(bucket)})
	if err != nil {
		return seen(checkup.Versioning{}, err)
	}
	return checkup.Saw(checkup.Versioning{
		Status: string(out.Status), MFADelete: out.MFADelete == types.MFADeleteStatusEnabled, Region: region,
	})
}

func (e *eye) lock(ctx context.Context, bucket string) checkup.Look[checkup.Lock] {
	out, err := e.s3.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: aws.String(bucket)})
	if codeOf(err) == "ObjectLockConfigurationNotFoundError" {
		return checkup.Saw(checkup.Lock{})
	}
	if err != nil {
		return seen(checkup.Lock{}, err)
	}
	c := out.ObjectLockConfiguration
	l := checkup.Lock{Enabled: c != nil && c.ObjectLockEnabled == types.ObjectLockEnabledEnabled}
	if l.Enabled && c.Rule != nil && c.Rule.DefaultRetention != nil {
		r := c.Rule.DefaultRetention
		l.Mode = string(r.Mode)
		l.Retention = days(aws.ToInt32(r.Days) + 365*aws.ToInt32(r.Years))
	}
	return checkup.Saw(l)
}

func days(n int32) time.Duration { return time.Duration(n) * 24 * time.Hour }

func (e *eye) rules(ctx context.Context, bucket string) checkup.Look[[]checkup.Rule] {
	out, err := e.s3.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: aws.String(bucket)})
	if codeOf(err) == "NoSuchLifecycleConfiguration" {
		return checkup.Saw[[]checkup.Rule](nil)
	}
	if err != nil {
		return seen[[]checkup.Rule](nil, err)
	}
	var all []checkup.Rule
	for _, r := range out.Rules {
		all = append(all, ruleOf(r))
	}
	return checkup.Saw(all)
}

func ruleOf(r types.LifecycleRule) checkup.Rule {
	rule := checkup.Rule{ID: aws.ToString(r.ID), Enabled: r.Status == types.ExpirationStatusEnabled}
	rule.Prefix = aws.ToString(r.Prefix) //nolint:staticcheck // old rules have it instead of a filter
	if f := r.Filter; f != nil {
		rule.Prefix += aws.ToString(f.Prefix)
		rule.Narrowed = f.Tag != nil || f.ObjectSizeGreaterThan != nil || f.ObjectSizeLessThan != nil
		if f.And != nil {
			rule.Prefix, rule.Narrowed = aws.ToString(f.And.Prefix), true
		}
	}
	if x := r.Expiration; x != nil {
		rule.CurrentDays, rule.OnDate = int(aws.ToInt32(x.Days)), x.Date != nil
	}
	if x := r.NoncurrentVersionExpiration; x != nil {
		rule.NoncurrentDays = int(aws.ToInt32(x.NoncurrentDays))
	}
	if x := r.AbortIncompleteMultipartUpload; x != nil {
		rule.AbortDays = int(aws.ToInt32(x.DaysAfterInitiation))
	}
	return rule
}
