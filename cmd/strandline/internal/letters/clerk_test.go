package letters

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/strandline-dev/strandline/cmd/strandline/internal/consent"
	"github.com/strandline-dev/strandline/shared/audit"
	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// queued are the uploads with a message in the queue of commands.
func (s *scene) queued(t *testing.T) (names []string) {
	t.Helper()
	for {
		got, err := s.queue.Receive(t.Context(), 10, 0)
		must(t, err)
		if len(got) == 0 {
			slices.Sort(names)
			return names
		}
		for _, m := range got {
			c, err := command.Decode([]byte(m.Body))
			must(t, err)
			names = append(names, c.ID.Upload)
			must(t, s.queue.Acknowledge(t.Context(), m.Receipt))
		}
	}
}

func (s *scene) wantLeft(t *testing.T, purge, events int64) {
	t.Helper()
	p, err := s.queue.Letters().Depth(t.Context())
	must(t, err)
	e, err := s.events.Letters().Depth(t.Context())
	must(t, err)
	if p != purge || e != events {
		t.Errorf("%d and %d letters are left, want %d and %d", p, e, purge, events)
	}
}

func TestRedrivingAllShowsAsksAndLeavesWhatWouldComeBack(t *testing.T) {
	s := usual(t)
	must(t, s.Redrive(t.Context(), Wanted{All: true}))
	wantText(t, s.out.String(), `
letter  queue  age  tenant     upload  what   given up for                                                  redriven now
m-1     purge  3 h  acme       u-1     claim  no such upload of this tenant                                 deleted: cancelled
m-4     purge  3 h  "Küche 1"  u-5     claim  delivered too often: moved by the queue                       nothing to do: newer version
m-2     purge  3 h  acme       u-2     claim  attempts used up: delete: access denied (AccessDenied)        no: the upload is parked
m-3     purge  3 h  -          -       -      command rejected: message is not a JSON object, and this go…  no: message is not a JSON object

2 go back to the queue of commands; the workers decide about each of them again.
2 stay: they would only come back.
Redrive these 2? [y/N] 
2 redriven
2 left: redriven now they would only come back; "strandline dlq list" says why
`)
	if got := s.queued(t); !slices.Equal(got, []string{"u-1", "u-5"}) {
		t.Errorf("in the queue: %v", got)
	}
	s.wantLeft(t, 2, 1)
	want := audit.Line{
		Schema: audit.Schema, At: s.now, Who: "ann", What: audit.LetterRedriven, Why: "no such upload of this tenant", Letter: "m-1",
		Run: "every-15m@2026-11-30T08:15:00.000Z", Operation: "claim", Tenant: "acme", Upload: "u-1", Before: "dead", After: "queued",
	}
	if len(s.trail) != 2 || s.trail[0] != want || s.trail[1].Letter != "m-4" {
		t.Errorf("the trail is %+v", s.trail)
	}
}

// A person who says no, or who is not there, has decided nothing.
func TestNothingIsDoneWithoutAYes(t *testing.T) {
	nobody := errors.New("there is nobody to ask")
	for _, c := range []struct {
		yes bool
		err error
	}{{false, nil}, {false, nobody}} {
		s := usual(t)
		s.Ask = s.answer(c.yes, c.err)
		want := c.err
		if want == nil {
			want = consent.ErrDeclined
		}
		if err := s.Redrive(t.Context(), Wanted{All: true}); !errors.Is(err, want) {
			t.Errorf("redrive: got %v", err)
		}
		if err := s.Discard(t.Context(), Wanted{All: true}); !errors.Is(err, want) {
			t.Errorf("discard: got %v", err)
		}
		if got := s.queued(t); len(got) > 0 || len(s.trail) > 0 {
			t.Errorf("in the queue: %v, trail %v", got, s.trail)
		}
		s.wantLeft(t, 4, 1)
	}
}

// Named, it is what the person wants; silently leaving it would be taken for
// done.
func TestALetterThatIsNamedAndWouldOnlyComeBackRefusesThemAll(t *testing.T) {
	s := usual(t)
	err := s.Redrive(t.Context(), Wanted{Names: []string{"m-1", "m-2"}})
	if err == nil || err.Error() != `dead letter m-2 is not redriven, it would only come back: the upload is parked; "strandline parked retry acme u-2" lets it go on` {
		t.Errorf("got %v", err)
	}
	if got := s.queued(t); len(got) > 0 {
		t.Errorf("in the queue: %v", got)
	}
	s.wantLeft(t, 4, 1)
}

func TestOneNamedLetterIsRedriven(t *testing.T) {
	s := usual(t)
	must(t, s.Redrive(t.Context(), Wanted{Names: []string{"m-1"}}))
	if got := s.queued(t); !slices.Equal(got, []string{"u-1"}) {
		t.Errorf("in the queue: %v", got)
	}
	if len(s.asked) != 1 || s.asked[0] != "Redrive this one?" {
		t.Errorf("asked %q", s.asked)
	}
	s.wantLeft(t, 3, 1)
}

func TestRedrivingAReasonTouchesNoOther(t *testing.T) {
	s := usual(t)
	s.Ask = nil
	must(t, s.Redrive(t.Context(), Wanted{All: true, Reason: "no such upload"}))
	wantText(t, s.out.String(), "1 redriven\n")
	s.wantLeft(t, 3, 1)
	s.out.Reset()
	must(t, s.Redrive(t.Context(), Wanted{All: true, Reason: "no such upload"}))
	wantText(t, s.out.String(), "nothing to do: no dead letter is redriven\n")
}

func TestAnswersForProgramsAreLinesOnly(t *testing.T) {
	s := usual(t)
	s.JSON, s.Ask = true, nil
	must(t, s.Redrive(t.Context(), Wanted{All: true}))
	lines := strings.Split(strings.TrimSpace(s.out.String()), "\n")
	outcomes := map[string]int{}
	for _, l := range lines {
		for _, o := range []Outcome{Redriven, Left} {
			if strings.HasSuffix(l, fmt.Sprintf(`,"outcome":%q}`, o)) {
				outcomes[string(o)]++
			}
		}
	}
	if len(lines) != 4 || outcomes["redriven"] != 2 || outcomes["left"] != 2 {
		t.Errorf("out %s", s.out)
	}
}

func TestDiscardingShowsAsksAndRemovesFromBothQueues(t *testing.T) {
	s := newScene()
	s.dies(t, "u-1", "no such upload of this tenant")
	s.events.Letters().Put("ignored")
	s.events.Letters().Put(`{"task":"pass","schedule":"every-15m","time":"2026-11-30T08:45:00Z"}`)
	must(t, s.Discard(t.Context(), Wanted{Names: []string{"m-2"}}))
	wantText(t, s.out.String(), `
letter  queue   age  tenant  upload  what  given up for     redriven now
m-2     events  0 m  -       -       pass  no reason given  no: a trigger, not a command

1 goes away for good. What the ledger says is due stays due: a pass publishes it again.
Discard this one? [y/N] 
1 discarded
`)
	s.wantLeft(t, 1, 1)
	must(t, s.Discard(t.Context(), Wanted{All: true}))
	s.wantLeft(t, 0, 0)
	if got := s.queued(t); len(got) > 0 {
		t.Errorf("in the queue: %v", got)
	}
	for i, want := range []string{"m-2", "m-1", "m-1"} {
		if len(s.trail) != 3 || s.trail[i].Letter != want || s.trail[i].What != audit.LetterDiscarded || s.trail[i].After != "discarded" {
			t.Errorf("the trail is %+v", s.trail)
		}
	}
}

func TestOfManyLettersSomeAreShownAndAllAreCounted(t *testing.T) {
	s := newScene()
	for i := range 45 {
		name := fmt.Sprintf("u-%d", i)
		s.known(name, asItIs)
		s.dies(t, name, "no such upload of this tenant")
	}
	must(t, s.Redrive(t.Context(), Wanted{All: true}))
	for _, part := range []string{"… and 25 more\n", "45 go back to the queue", "Redrive these 45?", "45 redriven\n"} {
		if !strings.Contains(s.out.String(), part) {
			t.Errorf("it does not say %q:\n%s", part, s.out)
		}
	}
	if got := s.queued(t); len(got) != 45 {
		t.Errorf("%d in the queue", len(got))
	}
}

func TestWhatCouldNotBeSentIsSaidAndStays(t *testing.T) {
	s := usual(t)
	s.Boxes[0].Desk.Queue = deaf{}
	err := s.Redrive(t.Context(), Wanted{Names: []string{"m-1"}})
	if !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v", err)
	}
	s.wantLeft(t, 4, 1)
	if len(s.trail) > 0 {
		t.Errorf("the trail is %v", s.trail)
	}
}

type deaf struct{}

func (deaf) Send(_ context.Context, commands []upload.Command) ([]bool, error) {
	return make([]bool, len(commands)), upload.ErrDenied
}
