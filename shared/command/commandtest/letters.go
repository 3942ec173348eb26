package commandtest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

// Letters is what an adapter of dead letters offers.
type Letters interface {
	Depth(ctx context.Context) (int64, error)
	Receive(ctx context.Context, most int, wait, hide time.Duration) ([]command.Letter, error)
	GiveBack(ctx context.Context, receipts []string) error
	Discard(ctx context.Context, receipt string) error
}

// LettersSubject is an empty queue of dead letters and what stands around it.
type LettersSubject struct {
	Letters
	// Of is the queue whose dead letters they are. It moves a message by itself
	// that was delivered twice; its visibility timeout is [Visibility].
	Of Queue
	// PutDead places any message among the dead letters.
	PutDead func(t *testing.T, body string)
	// Pass lets time pass on the queues' clock.
	Pass func(d time.Duration)
	// Now is that clock.
	Now func() time.Time
}

// RunLetters runs the suite of dead letters; open makes new queues each time.
func RunLetters(t *testing.T, open func(t *testing.T) LettersSubject) {
	for _, c := range []struct {
		name string
		test func(*testing.T, LettersSubject)
	}{
		{"no dead letters are none", noLetters},
		{"what a worker gave up says why, and what it was", givenUp},
		{"what a relay parked says of which source it is", parkedOf},
		{"what was delivered too often was moved, and nobody says why", moved},
		{"what others put there says nothing but itself", foreign},
		{"a letter that is looked at is hidden, and given back is there again", lookedAt},
		{"a letter that is never given back comes back by itself", comesBack},
		{"twenty-five letters are each seen once while they are hidden, and all given back", manyLetters},
		{"a discarded letter is gone, and no other", discarded},
		{"giving back what is not there any more is no error", goneMeanwhile},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, open(t))
		})
	}
}

// look is how long the suite hides a letter that it looks at.
const look = time.Minute

func (s LettersSubject) look(t *testing.T, most int) []command.Letter {
	t.Helper()
	got, err := s.Receive(t.Context(), most, wait, look)
	must(t, err)
	return got
}

func (s LettersSubject) oneLetter(t *testing.T) command.Letter {
	t.Helper()
	got := s.look(t, 10)
	if len(got) != 1 {
		t.Fatalf("%d letters: expected one", len(got))
	}
	return got[0]
}

func (s LettersSubject) noLetter(t *testing.T) {
	t.Helper()
	if got, err := s.Receive(t.Context(), 10, 0, look); err != nil || len(got) > 0 {
		t.Fatalf("%d letters, %v: expected none", len(got), err)
	}
}

func (s LettersSubject) wantDepth(t *testing.T, want int64) {
	t.Helper()
	if got, err := s.Depth(t.Context()); err != nil || got != want {
		t.Errorf("depth is %d, %v: expected %d", got, err, want)
	}
}

func noLetters(t *testing.T, s LettersSubject) {
	s.noLetter(t)
	s.wantDepth(t, 0)
	if got, err := s.Receive(t.Context(), 0, 0, look); err != nil || len(got) != 0 {
		t.Errorf("receiving at most none: %v, %v", got, err)
	}
	must(t, s.GiveBack(t.Context(), nil))
}

// sentOnce sends the first command and receives it, as a worker does.
func (s LettersSubject) sentOnce(t *testing.T) command.Received {
	t.Helper()
	_, err := s.Of.Send(t.Context(), Commands(1))
	must(t, err)
	return Subject{Queue: s.Of}.one(t)
}

func givenUp(t *testing.T, s LettersSubject) {
	before := s.Now().Add(-time.Second) // services cut instants
	m := s.sentOnce(t)
	must(t, s.Of.DeadLetter(t.Context(), m, "attempts used up: delete:\naccess denied"))
	must(t, s.Of.Acknowledge(t.Context(), m.Receipt))
	got := s.oneLetter(t)
	if got.Body != m.Body || got.Reason != "attempts used up: delete: access denied" || got.Moved {
		t.Errorf("the letter is %+v", got)
	}
	if got.OriginalID != m.MessageID || got.Deliveries != 1 || got.Receives != 1 || got.MessageID == "" || got.Receipt == "" {
		t.Errorf("the letter is %+v: expected message %s, delivered once", got, m.MessageID)
	}
	if got.SentAt.Before(before) || got.SentAt.After(s.Now().Add(time.Minute)) {
		t.Errorf("sent at %s, it is %s", got.SentAt, s.Now())
	}
	s.wantDepth(t, 1)
}

func parkedOf(t *testing.T, s LettersSubject) {
	m := command.Received{MessageID: "100000000003", Body: `{"dynamodb":{}}`}
	must(t, s.Of.Park(t.Context(), m, "photos", "key: expected a string"))
	got := s.oneLetter(t)
	if got.Source != "photos" || got.Reason != "key: expected a string" || got.OriginalID != m.MessageID || got.Body != m.Body || got.Moved {
		t.Errorf("the letter is %+v", got)
	}
}

func moved(t *testing.T, s LettersSubject) {
	m := s.sentOnce(t)
	s.Pass(Visibility + time.Second)
	Subject{Queue: s.Of}.one(t)
	s.Pass(Visibility + time.Second)
	Subject{Queue: s.Of}.none(t)
	got := s.oneLetter(t)
	if !got.Moved || got.Reason != "" || got.Body != m.Body || got.OriginalID == "" || got.SentAt.IsZero() {
		t.Errorf("the letter is %+v", got)
	}
	if depth, err := s.Of.Depth(t.Context()); err != nil || depth != 0 {
		t.Errorf("%d messages are left in the queue, %v", depth, err)
	}
}

func foreign(t *testing.T, s LettersSubject) {
	const body = `{"task":"pass","what":"<&>ü"}`
	s.PutDead(t, body)
	got := s.oneLetter(t)
	if got.Body != body || got.Reason != "" || got.Moved || got.OriginalID != "" || got.Deliveries != 0 {
		t.Errorf("the letter is %+v", got)
	}
}

// Without the giving back, whoever looks first hides the letters from everybody
// else; without the hiding, a look never comes to its end.
func lookedAt(t *testing.T, s LettersSubject) {
	s.PutDead(t, "a")
	got := s.oneLetter(t)
	s.noLetter(t)
	s.wantDepth(t, 1)
	must(t, s.GiveBack(t.Context(), []string{got.Receipt}))
	again := s.oneLetter(t)
	if again.MessageID != got.MessageID || again.Receives != 2 {
		t.Errorf("came back as %+v: expected the second delivery of %s", again, got.MessageID)
	}
}

// Without it, a look that dies takes the letters with it.
func comesBack(t *testing.T, s LettersSubject) {
	s.PutDead(t, "a")
	first, err := s.Receive(t.Context(), 10, wait, time.Second)
	must(t, err)
	if len(first) != 1 {
		t.Fatalf("%d letters", len(first))
	}
	s.Pass(2 * time.Second)
	if again := s.oneLetter(t); again.MessageID != first[0].MessageID {
		t.Errorf("letter %s came back: expected %s", again.MessageID, first[0].MessageID)
	}
}

func manyLetters(t *testing.T, s LettersSubject) {
	const n = 25
	for range n {
		s.PutDead(t, "x")
	}
	for range 2 { // the second time after they were given back
		seen := map[string]int{}
		var receipts []string
		for range 20 {
			for _, l := range s.look(t, 25) {
				seen[l.MessageID]++
				receipts = append(receipts, l.Receipt)
			}
			if len(receipts) >= n {
				break
			}
		}
		if len(seen) != n || len(receipts) != n {
			t.Fatalf("%d letters in %d deliveries: expected %d", len(seen), len(receipts), n)
		}
		must(t, s.GiveBack(t.Context(), receipts))
	}
	s.wantDepth(t, n)
}

func discarded(t *testing.T, s LettersSubject) {
	s.PutDead(t, "a")
	s.PutDead(t, "b")
	got := s.look(t, 1)
	if len(got) != 1 {
		t.Fatalf("%d letters at most 1", len(got))
	}
	must(t, s.Discard(t.Context(), got[0].Receipt))
	s.wantDepth(t, 1)
	if other := s.oneLetter(t); other.Body == got[0].Body {
		t.Errorf("letter %q is still there", other.Body)
	}
	if err := s.Discard(t.Context(), got[0].Receipt); err != nil && !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("discarded again: %v", err)
	}
}

func goneMeanwhile(t *testing.T, s LettersSubject) {
	s.PutDead(t, "a")
	s.PutDead(t, "b")
	var receipts []string
	for len(receipts) < 2 {
		for _, l := range s.look(t, 10) {
			receipts = append(receipts, l.Receipt)
		}
	}
	must(t, s.Discard(t.Context(), receipts[0]))
	must(t, s.GiveBack(t.Context(), slices.Clone(receipts)))
	s.oneLetter(t)
}
