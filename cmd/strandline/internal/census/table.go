package census

import (
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/bytesize"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/show"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/policy"
)

func table(c cleanup.Counted, before *cleanup.Counted, p policy.Policy) *show.Table {
	heads := []string{"bucket", ">objects", ">bytes", ">limit a day"}
	if before != nil {
		heads = append(heads, ">before")
	}
	t := show.NewTable(heads...)
	add := func(b cleanup.BucketCensus, limit, was string) {
		cells := []string{b.Bucket, bytesize.Count(b.Objects), bytesize.Text(b.Bytes), limit, was}
		t.Add(cells[:len(heads)]...)
	}
	for _, b := range c.Buckets {
		add(b, bytesize.Count(cleanup.DailyLimit(p, b.Objects)), was(before, b.Bucket))
	}
	all := c.All
	all.Bucket = "all"
	add(all, "", wasInAll(before))
	return t
}

func was(before *cleanup.Counted, bucket string) string {
	if before == nil {
		return ""
	}
	for _, b := range before.Buckets {
		if b.Bucket == bucket {
			return bytesize.Count(b.Objects)
		}
	}
	return "-"
}

func wasInAll(before *cleanup.Counted) string {
	if before == nil || before.All.AsOf.IsZero() {
		return "-"
	}
	return bytesize.Count(before.All.Objects)
}

// page is a census for programs. AsOf is absent if there never was one.
type page struct {
	AsOf    time.Time              `json:"as_of,omitzero"`
	From    string                 `json:"from,omitempty"`
	By      string                 `json:"by,omitempty"`
	Objects int64                  `json:"objects"`
	Bytes   int64                  `json:"bytes"`
	Stale   string                 `json:"stale,omitempty"` // why nothing can be judged by it
	Buckets []cleanup.BucketCensus `json:"buckets"`
}

func pageOf(c cleanup.Counted, stale string) page {
	buckets := c.Buckets
	if buckets == nil {
		buckets = []cleanup.BucketCensus{}
	}
	return page{c.All.AsOf, c.All.From, c.All.By, c.All.Objects, c.All.Bytes, stale, buckets}
}
