package cleanup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/upload"
)

// trailed gives the pass an audit trail and returns what is written to it.
func (s *passScene) trailed() *[]string {
	var mu sync.Mutex // shards are executed side by side
	lines := &[]string{}
	s.pass.Audit = func(_ context.Context, l audit.Line) {
		mu.Lock()
		defer mu.Unlock()
		if l.Run == "" || l.At.IsZero() {
			s.t.Errorf("the line is not whole: %+v", l)
		}
		*lines = append(*lines, strings.TrimSpace(fmt.Sprintf("%s %s (%s): %s → %s %s", l.Who, l.What, l.Why, l.Before, l.After, l.Outcome)))
	}
	return lines
}

func (s *passScene) wantLines(got *[]string, want ...string) {
	s.t.Helper()
	slices.Sort(*got)
	slices.Sort(want)
	if g, w := strings.Join(*got, "\n"), strings.Join(want, "\n"); g != w {
		s.t.Errorf("the trail is\n%s\nwant\n%s", g, w)
	}
	*got = nil
}

// A command that is published changes nothing: the worker's claim of it has the
// line.
func TestEveryDecisionOfAPassHasItsLine(t *testing.T) {
	s := newPassScene(t)
	s.reserved(0, 1, held(time.Minute, s))                // to mark
	s.reserved(1, 1)                                      // timed out: to repair
	s.cancelled(2, 10)                                    // to publish
	s.reserved(3, 1, held(31*time.Hour, s))               // not due yet
	young := s.do(s.reserved(4, 1, held(time.Minute, s))) // to defer: it was active
	s.later(29 * time.Hour)                               // all delays over
	s.do(young.ID, upload.Heartbeat{Fence: young.Fence})
	s.later(2 * time.Hour)
	s.census(map[string]int64{passBucket: 1_000_000})
	lines := s.trailed()
	s.wantState(s.run(), RunDone)
	s.wantLines(lines, "scheduler expire (hold over): receiving → expired",
		"scheduler repair (timed out): receiving → cancelled",
		"scheduler defer (not eligible): receiving → receiving")
}

func TestARunThatWaitsAndItsApprovalAreInTheTrailUnderTheApproversName(t *testing.T) {
	s := newPassScene(t)
	lines := s.trailed()
	r, _, _ := s.pausedRun(3)
	s.wantLines(lines, "scheduler run-paused ("+r.Reason+"): running → paused")
	_, err := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
	s.must(err)
	s.wantLines(lines, "ada run-approved (digest "+r.Digest+"): paused → approved", "ada expire (hold over): receiving → expired")
}

// answerLost loses the answers of all writes to records, after they were done.
type answerLost struct{ Candidates }

func (a answerLost) Commit(ctx context.Context, c upload.Change) error {
	if err := a.Candidates.Commit(ctx, c); err != nil {
		return err
	}
	return upload.ErrUnclear
}

func TestAMarkWhoseAnswerWasLostIsInTheTrailAsUnclear(t *testing.T) {
	s := newPassScene(t)
	s.reserved(0, 1, held(time.Minute, s))
	s.later(25 * time.Hour)
	s.census(map[string]int64{passBucket: 1_000_000})
	lines := s.trailed()
	s.pass.Candidates = answerLost{s.pass.Candidates}
	if _, err := s.pass.Run(t.Context(), s.trigger()); err == nil {
		t.Error("the run is not failed")
	}
	s.wantLines(lines, "scheduler expire (hold over): receiving → expired unclear")
}
