package cleanup

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/strandline-dev/strandline/shared/policy"
)

// judgedSpan is how far back what was published counts against the limit.
const judgedSpan = 24 * time.Hour

// BucketVerdict compares what would be published with what one bucket may lose
// in a day without a person's approval, in object versions.
type BucketVerdict struct {
	Bucket  string `json:"bucket"`
	Planned int64  `json:"planned"`
	// Recent was published in the last 24 hours, by earlier attempts of this
	// run too; not what an approved plan published.
	Recent int64 `json:"recent"`
	Census int64 `json:"census"`
	Limit  int64 `json:"limit"`
	Over   bool  `json:"over,omitempty"`
}

func (v BucketVerdict) String() string {
	return fmt.Sprintf("bucket %s: %d object versions planned and %d published in 24h, the limit is %d of %d",
		v.Bucket, v.Planned, v.Recent, v.Limit, v.Census)
}

// judge compares each bucket of the plan with its limit: the larger of
// MaxDeletePercent of the census and MaxDeleteCount. A bucket that the census
// does not know holds nothing.
func judge(p policy.Policy, plan *Plan, recent map[string]int64, census census) []BucketVerdict {
	purges := plan.Stats().Purges
	verdicts := make([]BucketVerdict, 0, len(purges))
	for _, bucket := range slices.Sorted(maps.Keys(purges)) {
		v := BucketVerdict{
			Bucket: bucket, Planned: purges[bucket].Objects,
			Recent: recent[bucket], Census: census.objects[bucket],
		}
		v.Limit = DailyLimit(p, v.Census)
		v.Over = v.Planned+v.Recent > v.Limit
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// DailyLimit is how many object versions of a bucket that holds so many may be
// published in a day without a person's approval.
func DailyLimit(p policy.Policy, census int64) int64 {
	return max(percentOf(p.MaxDeletePercent, census), p.MaxDeleteCount)
}

// percentOf divides first where the product would not fit.
func percentOf(percent int, of int64) int64 {
	return of/100*int64(percent) + of%100*int64(percent)/100
}
