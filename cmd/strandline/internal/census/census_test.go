package census

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/cmd/strandline/internal/golden"
	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/gate"
	gates "github.com/strandline-dev/strandline/shared/gate/memory"
	"github.com/strandline-dev/strandline/shared/ledger"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// scene is a ledger in memory on a clock that stands still.
type scene struct {
	t      *testing.T
	now    time.Time
	ledger *ledgers.Store
	office Office
	out    strings.Builder
	answer bool
	asked  int
	made   int
	last   error
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), ledger: ledgers.New(), answer: true}
	clock := func() time.Time { return s.now }
	s.office = Office{
		Census: cleanup.Census{Ledger: s.ledger, Now: clock, Log: slog.New(slog.DiscardHandler), By: "ann"},
		Policy: policy.Default(), Clock: gates.New(clock), Out: &s.out,
		Ask: func(question string) (bool, error) {
			s.asked++
			fmt.Fprintf(&s.out, "%s [y/N] %v\n", question, s.answer)
			return s.answer, nil
		},
	}
	return s
}

// put makes n uploads of so many objects.
func (s *scene) put(n int, bucket string, objects int) {
	s.t.Helper()
	for range n {
		s.made++
		change, err := upload.Step(s.office.Policy, upload.Record{}, upload.Reserve{
			ID: upload.ID{Tenant: "acme", Upload: fmt.Sprintf("u-%04d", s.made)}, Owner: "o", Holder: "w",
			Lease: time.Minute, Deadline: time.Minute, Bucket: bucket, Declared: objects,
		}, s.now)
		must(s.t, err)
		must(s.t, s.ledger.Commit(s.t.Context(), change))
	}
}

// typed writes a command line and what it prints; last is how it ended.
func (s *scene) typed(line string, do func(context.Context) error) {
	fmt.Fprintf(&s.out, "$ strandline %s\n", line)
	s.last = do(s.t.Context())
	if s.last != nil {
		fmt.Fprintln(&s.out, "strandline:", s.last)
	}
	fmt.Fprintln(&s.out)
}

// What a person sees, reviewed as a text: testdata/story.txt. -update writes it
// anew.
func TestTheCensusAsAPersonSeesIt(t *testing.T) {
	s := newScene(t)
	s.typed("census show", s.office.Show)
	s.put(3, "uploads-eu", 1_500)
	s.put(2, "uploads-us", 4)
	s.typed("census recount", s.office.Recount)
	must(t, s.last)
	s.put(4, "uploads-eu", 10)
	s.put(1, "uploads-ap", 7)
	s.now = s.now.Add(27 * time.Hour)
	s.typed("census show", s.office.Show)
	s.answer = false
	s.typed("census recount", s.office.Recount)
	s.office.Ask = nil
	s.typed("census recount --yes", s.office.Recount)
	must(t, s.last)
	s.office.JSON = true
	s.typed("census show --json", s.office.Show)
	golden.Compare(t, "story.txt", s.out.String())
}

func (s *scene) stored() cleanup.Counted {
	s.t.Helper()
	c, err := s.office.Census.Read(s.t.Context())
	must(s.t, err)
	return c
}

func TestWhoDoesNotSayYesHasCountedNothing(t *testing.T) {
	s := newScene(t)
	s.put(1, "uploads-eu", 1)
	s.answer = false
	if err := s.office.Recount(t.Context()); !errors.Is(err, consent.ErrDeclined) || !s.stored().All.AsOf.IsZero() {
		t.Errorf("%v, %+v", err, s.stored())
	}
}

// Dated by a clock that is ahead, a census holds every purge back until that
// instant; the person is told before they are asked.
func TestACensusIsNotDatedByAWrongClock(t *testing.T) {
	s := newScene(t)
	s.put(1, "uploads-eu", 1)
	s.office.Census.Now = func() time.Time { return s.now.Add(time.Hour) }
	err := s.office.Recount(t.Context())
	if !errors.Is(err, upload.ErrRefused) || s.asked != 0 || !s.stored().All.AsOf.IsZero() {
		t.Errorf("%v, asked %d times, %+v", err, s.asked, s.stored())
	}
}

// brokenClock cannot be read.
type brokenClock struct{}

func (brokenClock) Read(context.Context) (gate.State, error) {
	return gate.State{}, errors.New("throttled")
}

func TestWithoutTheStoresClockNothingIsCounted(t *testing.T) {
	s := newScene(t)
	s.office.Clock = brokenClock{}
	if err := s.office.Recount(t.Context()); err == nil || !strings.Contains(err.Error(), "throttled") || !s.stored().All.AsOf.IsZero() {
		t.Errorf("%v, %+v", err, s.stored())
	}
}

// broken yields some uploads and then fails.
type broken struct{ *ledgers.Store }

func (b broken) Holdings(ctx context.Context, segment, segments int) iter.Seq2[ledger.Holding, error] {
	return func(yield func(ledger.Holding, error) bool) {
		for h, err := range b.Store.Holdings(ctx, segment, segments) {
			if !yield(h, err) {
				return
			}
		}
		if segment == 2 {
			yield(ledger.Holding{}, errors.New("throttled"))
		}
	}
}

// Stored in part, a census would raise no alarm and make every bucket look
// small.
func TestACountThatFailsLeavesTheOldCensus(t *testing.T) {
	s := newScene(t)
	s.put(2, "uploads-eu", 3)
	s.office.Ask = nil
	must(t, s.office.Recount(t.Context()))
	before := s.stored()
	s.put(2, "uploads-eu", 3)
	s.now = s.now.Add(time.Hour)
	s.office.Census.Ledger = broken{s.ledger}
	cleared := false
	s.office.Progress, s.office.Clear = func(int64) {}, func() { cleared = true }
	if err := s.office.Recount(t.Context()); err == nil || !strings.Contains(err.Error(), "throttled") || !cleared {
		t.Errorf("%v, cleared %v", err, cleared)
	}
	s.office.Census.Ledger = s.ledger
	if diff := cmp.Diff(before, s.stored()); diff != "" {
		t.Errorf("stored (-before +after):\n%s", diff)
	}
}

func TestProgressCountsEveryUpload(t *testing.T) {
	s := newScene(t)
	s.put(57, "uploads-eu", 3)
	s.office.Ask = nil
	var most atomic.Int64
	s.office.Progress = func(n int64) {
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
	}
	must(t, s.office.Recount(t.Context()))
	if most.Load() != 57 || s.stored().All.Objects != 171 {
		t.Errorf("%d uploads, %+v", most.Load(), s.stored())
	}
}

// Of two who count at once, one is told that the other has.
type overtaken struct {
	*ledgers.Store
	other cleanup.Census
}

func (o overtaken) List(ctx context.Context, collection, from, to string) iter.Seq2[ledger.Document, error] {
	return func(yield func(ledger.Document, error) bool) {
		var all []ledger.Document
		for d, err := range o.Store.List(ctx, collection, from, to) {
			if err != nil {
				yield(d, err)
				return
			}
			all = append(all, d)
		}
		_, _ = o.other.Recount(ctx)
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func TestOneWhoIsOvertakenIsTold(t *testing.T) {
	s := newScene(t)
	s.put(1, "uploads-eu", 3)
	s.office.Ask = nil
	other := s.office.Census
	s.office.Census.Ledger = overtaken{s.ledger, other}
	err := s.office.Recount(t.Context())
	if !errors.Is(err, upload.ErrChanged) || !strings.Contains(err.Error(), "somebody else has counted meanwhile") {
		t.Errorf("%v", err)
	}
}
