package passes

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/cleanup"
)

// What a person sees from the first look at a new installation to an approved
// plan, reviewed as a text.
func TestTheFirstWeekAsAPersonSeesIt(t *testing.T) {
	s := newScene(t)
	ctx := t.Context()
	s.typed("plan", func() error { return s.clerk.Plan(ctx) })
	s.leftovers()
	s.typed("plan", func() error { return s.clerk.Plan(ctx) })
	s.recount()
	s.typed("plan", func() error { return s.clerk.Plan(ctx) })
	s.typed("run", func() error { return s.clerk.Run(ctx) })
	s.open()
	s.now = s.now.Add(15 * time.Minute)
	s.typed("plan", func() error { return s.clerk.Plan(ctx) })
	s.typed("run", func() error { return s.clerk.Run(ctx) })
	if !errors.Is(s.last, ErrNeedsAPerson) || s.queued() != 0 {
		t.Fatalf("the run: %v, %d queued", s.last, s.queued())
	}
	all := s.runs()
	run, digest := all[1].Run, all[1].Digest
	golden.Compare(t, "first-week.txt", strings.ReplaceAll(s.out.String(), digest, "DIGEST"))
	s.out.Reset()

	s.now = s.now.Add(time.Hour)
	s.typed("runs list", func() error { return s.clerk.List(ctx, s.now.Add(-24*time.Hour), states) })
	s.typed("runs list --state stopped", func() error {
		return s.clerk.List(ctx, s.now.Add(-24*time.Hour), []cleanup.RunState{cleanup.RunStopped})
	})
	s.typed("runs show "+run, func() error { return s.clerk.Show(ctx, run) })
	s.answer = false
	s.typed("approve "+run+" "+digest, func() error { return s.clerk.Approve(ctx, run, digest) })
	if s.queued() != 0 {
		t.Fatalf("after a no %d are queued", s.queued())
	}
	s.answer = true
	s.typed("approve "+run+" 3fa4", func() error { return s.clerk.Approve(ctx, run, "3fa4") })
	s.clerk.Ask = nil
	s.typed("approve --yes "+run+" "+digest, func() error { return s.clerk.Approve(ctx, run, digest) })
	must(t, s.last)
	if s.queued() != 16 {
		t.Errorf("%d are queued", s.queued())
	}
	s.now = s.now.Add(time.Minute)
	s.typed("approve --yes "+run+" "+digest, func() error { return s.clerk.Approve(ctx, run, digest) })
	s.typed("runs show "+run, func() error { return s.clerk.Show(ctx, run) })
	s.typed("plan", func() error { return s.clerk.Plan(ctx) })
	s.typed("run --yes", func() error { return s.clerk.Run(ctx) })
	must(t, s.last)
	s.typed("runs list", func() error { return s.clerk.List(ctx, s.now.Add(-24*time.Hour), states) })
	golden.Compare(t, "approval.txt", strings.ReplaceAll(s.out.String(), digest, "DIGEST"))
}

// Programs read these names; a document is a line, and nothing else is printed.
func TestForProgramsEachDocumentIsALine(t *testing.T) {
	s := newScene(t)
	ctx := t.Context()
	s.clerk.JSON, s.clerk.Ask = true, nil
	must(t, s.clerk.Plan(ctx))
	s.leftovers()
	s.recount()
	s.open()
	must(t, s.clerk.Plan(ctx))
	golden.Compare(t, "plans.jsonl", s.out.String())
	s.out.Reset()
	if err := s.clerk.Run(ctx); !errors.Is(err, ErrNeedsAPerson) {
		t.Fatal(err)
	}
	must(t, s.clerk.List(ctx, s.now.Add(-24*time.Hour), states))
	r := s.runs()[0]
	must(t, s.clerk.Show(ctx, r.Run))
	must(t, s.clerk.Approve(ctx, r.Run, r.Digest))
	lines := strings.Split(strings.TrimSuffix(s.out.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines for 4 documents", len(lines))
	}
	for i, want := range []struct {
		state   cleanup.RunState
		hasPlan bool
	}{{cleanup.RunPaused, false}, {cleanup.RunPaused, false}, {cleanup.RunPaused, true}, {cleanup.RunApproved, false}} {
		var page runPage
		must(t, json.Unmarshal([]byte(lines[i]), &page))
		if page.Run != r.Run || page.State != want.state || page.By != "ann" || page.Digest != r.Digest || (page.Plan != nil) != want.hasPlan {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
}

// A queue that is full, and one that nobody named, look different from an empty
// one.
func TestThePlanSaysWhatIsQueuedIfTheQueueIsGiven(t *testing.T) {
	s := newScene(t)
	s.leftovers()
	s.recount()
	s.open()
	s.clerk.Pass.Policy.QueueHighWater = 1
	s.queue.Put("a")
	s.queue.Put("b")
	must(t, s.clerk.Plan(t.Context()))
	for _, part := range []string{"queue          2 messages, of at most 1\n", "note           the queue is above its high-water mark"} {
		if !strings.Contains(s.out.String(), part) {
			t.Errorf("no %q in\n%s", part, s.out.String())
		}
	}
	s.out.Reset()
	s.clerk.Pass.Queue = nil
	must(t, s.clerk.Plan(t.Context()))
	if strings.Contains(s.out.String(), "\nqueue ") {
		t.Errorf("a queue that nobody gave is shown:\n%s", s.out.String())
	}
}
