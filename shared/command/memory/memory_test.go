package memory_test

import (
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command/commandtest"
	"github.com/strandline-dev/strandline/shared/command/memory"
)

var t0 = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)

func TestTheQueueInMemoryIsAQueue(t *testing.T) {
	commandtest.Run(t, func(*testing.T) commandtest.Subject {
		now := t0
		q := memory.New(func() time.Time { return now }, commandtest.Visibility)
		seen := 0
		return commandtest.Subject{
			Queue: q,
			Put:   func(_ *testing.T, body string) { q.Put(body) },
			Pass:  func(d time.Duration) { now = now.Add(d) },
			Dead: func(*testing.T) []commandtest.Dead {
				var fresh []commandtest.Dead
				for _, d := range q.DeadLetters()[seen:] {
					seen++
					fresh = append(fresh, commandtest.Dead{
						Body: d.Body, Reason: d.Reason, MessageID: d.MessageID, Receives: d.Receives,
					})
				}
				return fresh
			},
		}
	})
}

func TestMessagesComeInTheOrderInWhichTheyWereSent(t *testing.T) {
	q := memory.New(func() time.Time { return t0 }, time.Minute)
	for _, body := range []string{"a", "b", "c"} {
		q.Put(body)
	}
	got, err := q.Receive(t.Context(), 2, 0)
	if err != nil || len(got) != 2 || got[0].Body != "a" || got[1].Body != "b" {
		t.Fatalf("received %+v, %v: expected a and b", got, err)
	}
	got, err = q.Receive(t.Context(), 2, 0)
	if err != nil || len(got) != 1 || got[0].Body != "c" {
		t.Fatalf("received %+v, %v: expected c", got, err)
	}
}

// SQS promises nothing about an older receipt. Here it is void, so that no test
// passes because a late worker acknowledged what another one has in hand.
func TestAnOlderReceiptAcknowledgesAndHidesNothing(t *testing.T) {
	now := t0
	q := memory.New(func() time.Time { return now }, time.Minute)
	q.Put("a")
	first, err := q.Receive(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if _, err := q.Receive(t.Context(), 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := q.Acknowledge(t.Context(), first[0].Receipt); err != nil {
		t.Fatal(err)
	}
	if err := q.Hide(t.Context(), first[0].Receipt, time.Hour); err == nil {
		t.Error("an older receipt hid the message")
	}
	if depth, _ := q.Depth(t.Context()); depth != 1 {
		t.Errorf("depth is %d: expected 1", depth)
	}
}

func TestTheDeadLettersInMemoryAreDeadLetters(t *testing.T) {
	commandtest.RunLetters(t, func(*testing.T) commandtest.LettersSubject {
		now := t0
		q := memory.New(func() time.Time { return now }, commandtest.Visibility)
		q.MoveAfter(2)
		return commandtest.LettersSubject{
			Letters: q.Letters(), Of: q,
			PutDead: func(_ *testing.T, body string) { q.Letters().Put(body) },
			Pass:    func(d time.Duration) { now = now.Add(d) },
			Now:     func() time.Time { return now },
		}
	})
}
