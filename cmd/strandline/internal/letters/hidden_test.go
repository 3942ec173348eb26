package letters

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command/memory"
	"github.com/strandline-dev/strandline/shared/upload"
)

// somebodyLooks hides all letters of the purge queue, as another look does, and
// returns what gives them back.
func (s *scene) somebodyLooks(t *testing.T) (giveBack func()) {
	t.Helper()
	got, err := s.queue.Letters().Receive(t.Context(), 10, 0, 15*time.Minute)
	must(t, err)
	var receipts []string
	for _, l := range got {
		receipts = append(receipts, l.Receipt)
	}
	return func() { must(t, s.queue.Letters().GiveBack(t.Context(), receipts)) }
}

// Two operators look at once, or one was killed while looking. Without asking
// the queue for its own count, the second is told that there are none.
func TestLettersThatAnotherLookHidesAreNotSaidToBeNone(t *testing.T) {
	s := newScene()
	s.known("u-1", asItIs)
	s.dies(t, "u-1", "no such upload of this tenant")
	giveBack := s.somebodyLooks(t)
	must(t, s.List(t.Context(), 1000, ""))
	wantText(t, s.out.String(), "no dead letters that can be looked at now\n")
	hidden := "the purge queue counts about 1 dead letter more that is hidden: somebody looks at them, or did and was killed, and they come back within 15 minutes; or its count is late\n"
	wantText(t, s.notes.String(), hidden)

	s.notes.Reset()
	must(t, s.Redrive(t.Context(), Wanted{All: true}))
	must(t, s.Discard(t.Context(), Wanted{All: true}))
	wantText(t, s.notes.String(), hidden+hidden)

	giveBack()
	s.notes.Reset()
	s.out.Reset()
	must(t, s.List(t.Context(), 1000, ""))
	if s.notes.Len() > 0 || !strings.Contains(s.out.String(), "1 dead letter: 1 can be redriven") {
		t.Errorf("given back: %s%s", s.out, s.notes)
	}
}

// uncounted are letters whose queue does not say how many there are.
type uncounted struct{ *memory.Letters }

func (uncounted) Depth(context.Context) (int64, error) { return 0, upload.ErrDenied }

func TestThatNobodyKnowsWhetherLettersAreHiddenIsSaid(t *testing.T) {
	s := newScene()
	s.Boxes[0].Desk.Letters = uncounted{s.queue.Letters()}
	must(t, s.List(t.Context(), 1000, ""))
	wantText(t, s.out.String(), "no dead letters that can be looked at now\n")
	wantText(t, s.notes.String(), "whether the purge queue holds hidden dead letters is not known: access denied\n")
}

// Between the question and the answer somebody else begins to look. A script
// that reads exit code 0 would take the letter for redriven.
func TestALetterThatIsNotThereAnyMoreIsAnError(t *testing.T) {
	for name, do := range map[string]func(*scene) error{
		"1 dead letter was not redriven": func(s *scene) error { return s.Redrive(t.Context(), Wanted{Names: []string{"m-1"}}) },
		"1 dead letter was not discarded": func(s *scene) error {
			return s.Discard(t.Context(), Wanted{Names: []string{"m-1"}})
		},
	} {
		s := newScene()
		s.known("u-1", asItIs)
		s.dies(t, "u-1", "no such upload of this tenant")
		s.Ask = func(string) (bool, error) { s.somebodyLooks(t); return true, nil }
		if err := do(s); !errors.Is(err, errGone) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		s.wantLeft(t, 1, 0)
	}
}

// An empty name begins every id. A script whose variable is empty would discard
// the only letter that there is.
func TestAnEmptyNameNamesNoLetter(t *testing.T) {
	s := newScene()
	s.Ask = nil
	s.known("u-1", asItIs)
	s.dies(t, "u-1", "no such upload of this tenant")
	for name, err := range map[string]error{
		"redrive": s.Redrive(t.Context(), Wanted{Names: []string{""}}),
		"discard": s.Discard(t.Context(), Wanted{Names: []string{""}}),
		"show":    s.Show(t.Context(), []string{""}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s.wantLeft(t, 1, 0)
}

// Thousands are redriven in minutes. With the trail written at the end, a
// process that is killed leaves all of them without a line.
func TestEachBatchHasItsLinesInTheTrailBeforeTheNextOneIsTaken(t *testing.T) {
	s := newScene()
	s.Ask = nil
	for i := range 25 {
		name := string(rune('a' + i))
		s.known(name, asItIs)
		s.dies(t, name, "no such upload of this tenant")
	}
	watched := &watchedQueue{s: s, inner: s.Boxes[0].Desk.Queue}
	s.Boxes[0].Desk.Queue = watched
	must(t, s.Redrive(t.Context(), Wanted{All: true}))
	if got := watched.lines; len(got) != 3 || got[0] != 0 || got[1] != 10 || got[2] != 20 || len(s.trail) != 25 {
		t.Errorf("lines before each batch: %v, at the end %d", got, len(s.trail))
	}
}

type watchedQueue struct {
	s     *scene
	inner interface {
		Send(context.Context, []upload.Command) ([]bool, error)
	}
	lines []int
}

func (w *watchedQueue) Send(ctx context.Context, commands []upload.Command) ([]bool, error) {
	w.lines = append(w.lines, len(w.s.trail))
	return w.inner.Send(ctx, commands)
}
