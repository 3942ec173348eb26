package cleanup

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/ledger"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestRunsAreListedFromAnInstantOnInTheOrderInWhichTheyFired(t *testing.T) {
	s := newPassScene(t)
	var ids []string
	for range 5 {
		ids = append(ids, s.run().Run)
		s.later(15 * time.Minute)
	}
	from := s.now.Add(-4 * 15 * time.Minute) // exactly when the second fired
	var got []string
	for r, err := range s.pass.Runs(t.Context(), from) {
		s.must(err)
		got = append(got, r.Run)
	}
	if strings.Join(got, " ") != strings.Join(ids[1:], " ") {
		t.Errorf("listed %q of %q", got, ids)
	}
	if _, err := s.pass.ReadRun(t.Context(), "2026-01-01T00:00:00.000Z#x"); !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("a run that never was: %v", err)
	}
}

// brokenList fails after the first document.
type brokenList struct{ Documents }

func (b brokenList) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return func(yield func(ledger.Document, error) bool) {
		for d, err := range b.Documents.List(ctx, collection, from, to) {
			if !yield(d, err) {
				return
			}
			yield(ledger.Document{}, errors.New("throttled"))
			return
		}
	}
}

// A list that ends early would say that nothing waits for approval.
func TestAListOfRunsThatIsNotWholeIsAnError(t *testing.T) {
	s := newPassScene(t)
	s.run()
	s.later(time.Minute)
	s.run()
	s.pass.Documents = brokenList{s.store}
	var seen int
	var last error
	for _, err := range s.pass.Runs(t.Context(), s.now.Add(-time.Hour)) {
		seen, last = seen+1, err
	}
	if seen != 2 || last == nil {
		t.Errorf("%d runs, then %v", seen, last)
	}
}

// What is shown before the question must be refused where the approval would
// be: a person who says yes has then been shown what goes.
func TestWhatCannotBeApprovedIsNotShownAsIfItCould(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *passScene, r *Report)
		says   string
	}{
		"used already": {func(s *passScene, r *Report) {
			_, err := s.pass.Approve(s.t.Context(), r.Run, r.Digest, "ada")
			s.must(err)
		}, "approved already, by ada"},
		"after a day":            {func(s *passScene, _ *Report) { s.later(24*time.Hour + time.Second) }, "more than 24h"},
		"another digest":         {func(_ *passScene, r *Report) { r.Digest = strings.Repeat("0", 64) }, "digest"},
		"part of the digest":     {func(_ *passScene, r *Report) { r.Digest = r.Digest[:63] }, "digest"},
		"no digest":              {func(_ *passScene, r *Report) { r.Digest = "" }, "digest"},
		"a gate that was closed": {func(s *passScene, _ *Report) { s.must(s.gate.Pause(s.t.Context())) }, "gate is closed: paused"},
		"a clock that is wrong":  {func(s *passScene, _ *Report) { s.pass.Now = func() time.Time { return s.now.Add(-time.Hour) } }, "clock differs"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPassScene(t)
			r, _, _ := s.pausedRun(2)
			c.change(s, &r)
			_, plan, shown := s.pass.ToApprove(t.Context(), r.Run, r.Digest)
			_, approved := s.pass.Approve(t.Context(), r.Run, r.Digest, "ada")
			if !errors.Is(shown, upload.ErrRefused) || !strings.Contains(shown.Error(), c.says) || plan != nil {
				t.Errorf("shown: %v", shown)
			}
			if approved == nil || approved.Error() != shown.Error() {
				t.Errorf("shown: %v; approved: %v", shown, approved)
			}
		})
	}
}

func TestWhatIsShownToBeApprovedIsTheStoredPlanAndNothingIsWritten(t *testing.T) {
	s := newPassScene(t)
	r, _, mark := s.pausedRun(3)
	before := s.revisions()
	s.pass.Documents, s.pass.Candidates = readDocuments{s.store}, readCandidates{s.store}
	got, plan, err := s.pass.ToApprove(t.Context(), r.Run, r.Digest)
	s.must(err)
	if plan.Digest() != r.Digest || got.Run != r.Run || !got.ApprovableUntil().Equal(r.PausedAt.Add(24*time.Hour)) {
		t.Errorf("plan %s of %+v", plan.Digest(), got)
	}
	s.nothingDone(before, s.record(mark))
}
