package cleanup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/strandline-dev/strandline/shared/lease"
)

// published sums what the runs of the last 24 hours handed to the queue, by
// bucket, and what earlier attempts of this run did.
func (p Pass) published(ctx context.Context, id string, now time.Time) (map[string]int64, error) {
	sum := map[string]int64{}
	// A run may publish long after it fired, but not longer than this; and a
	// little after it was last stored.
	from := RunID("", now.Add(-MaxTriggerAge-judgedSpan-lease.Span))
	for doc, err := range p.Documents.List(ctx, runs, strings.TrimSuffix(from, "#"), "") {
		if err != nil {
			return nil, fmt.Errorf("read the runs of the last days: %w", err)
		}
		r, err := decodeReport(doc)
		if err != nil {
			return nil, err
		}
		if r.Run != id && r.PublishedAt.Before(now.Add(-judgedSpan-admittedFor)) {
			continue
		}
		for bucket, n := range r.Published {
			sum[bucket] += n
		}
	}
	return sum, nil
}

// raise adds objects to the run's published counters and stores them: before
// anything is sent, so that a crash counts too much and never too little.
func (r *run) raise(ctx context.Context, now time.Time, byBucket map[string]int64) error {
	published := r.counters()
	for bucket, n := range byBucket {
		published[bucket] += n
	}
	r.setCounters(published, now)
	return r.save(ctx)
}

// lower takes back what the queue did not accept; stored with the next save.
func (r *run) lower(bucket string, objects int64) { r.counters()[bucket] -= objects }

// counters are the run's own, or those of its approval.
func (r *run) counters() map[string]int64 {
	m := r.report.Published
	if r.report.Approval != nil {
		m = r.report.Approval.Published
	}
	if m == nil {
		return map[string]int64{}
	}
	return m
}

func (r *run) setCounters(m map[string]int64, now time.Time) {
	if r.report.Approval != nil {
		r.report.Approval.Published = m
		return
	}
	r.report.Published, r.report.PublishedAt = m, now
}
