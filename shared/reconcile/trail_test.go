package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/reconcile"
	"github.com/strandline-dev/strandline/shared/upload"
)

// trailed gives the runner an audit trail and returns what is written to it: by
// many at once, while it runs.
func (s *site) trailed() *[]string {
	lines, mu := &[]string{}, sync.Mutex{}
	s.runner.Audit = func(_ context.Context, l audit.Line) {
		if text := fmt.Sprint(l); l.At != s.now || l.Run == "" || strings.Contains(text, "imports/") || strings.Contains(text, "up/acme") {
			s.t.Errorf("the line is not whole, or has a key: %+v", l)
		}
		about := l.Upload
		if l.Hold != "" {
			about = "hold"
		}
		mu.Lock()
		defer mu.Unlock()
		*lines = append(*lines, strings.TrimSpace(fmt.Sprintf("%s %s %s (%s): %s → %s %s", l.Who, l.What, about, l.Why, l.Before, l.After, l.Outcome)))
	}
	return lines
}

func (s *site) wantLines(got *[]string, want ...string) {
	s.t.Helper()
	slices.Sort(*got)
	slices.Sort(want)
	if g, w := strings.Join(*got, "\n"), strings.Join(want, "\n"); g != w {
		s.t.Errorf("the trail is\n%s\nwant\n%s", g, w)
	}
	*got = nil
}

func TestWhatAComparisonChangesIsInTheTrail(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.deleted("u-2") // and its object stands
	r, _ := s.publishedOf("u-3", 2)
	s.now = noon.Add(-20 * day)
	r = s.commit(r, upload.Trim{Version: r.Version, Cutoff: s.now.Add(-s.policy.SafetyMargin), Gone: 1})
	s.now = noon
	s.store.Write(bucket, r.ObjectKey(upload.Key{Attempt: 1, Seq: 2}), []byte("late"), noon.Add(-10*day))
	v := s.stranger("imports/a.png")
	lines := s.trailed()
	s.run()
	s.wantLines(lines,
		"reconciler reopen u-2 (undead): deleted → deleting",
		"reconciler resupersede u-3 (leftover): complete → complete",
		"reconciler hold-opened hold (orphan):  → open")
	s.remove(v)
	s.now = s.now.Add(day)
	s.run()
	s.wantLines(lines, "reconciler hold-closed hold (it does not stand any more): open → closed")
	s.now = s.now.Add(day)
	s.run()
	s.wantLines(lines)
}

func TestWhatASweepChangesIsInTheTrail(t *testing.T) {
	s := newSite(t)
	s.begin("imports/video.mp4", noon.Add(-s.policy.OrphanGrace-time.Hour))
	lines := s.trailed()
	s.sweep()
	s.wantLines(lines, "reconciler hold-opened hold (nobody's multipart upload):  → open")
	s.sweep()
	s.wantLines(lines)
}

// An answer that was lost may have changed the record all the same.
func TestATakingBackWhoseAnswerWasLostIsInTheTrailAsUnclear(t *testing.T) {
	s := newSite(t)
	s.published("u-1")
	s.deleted("u-2")
	lines := s.trailed()
	s.runner.Records = answersLost{s.runner.Records}
	if _, err := s.deliver(s.list()); err == nil {
		t.Error("no error")
	}
	s.wantLines(lines, "reconciler reopen u-2 (undead): deleted → deleting unclear")
}

type answersLost struct{ reconcile.Records }

func (a answersLost) Commit(ctx context.Context, c upload.Change) error {
	if err := a.Records.Commit(ctx, c); err != nil {
		return err
	}
	return upload.ErrUnclear
}
