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

func empty(t *testing.T, s Subject) {
	s.none(t)
	s.wantDepth(t, 0)
	if got, err := s.Receive(t.Context(), 0, 0); err != nil || len(got) != 0 {
		t.Errorf("receiving at most no message: %v, %v", got, err)
	}
}

func sentAndReceived(t *testing.T, s Subject) {
	m := s.sendOne(t)
	got, err := command.Decode([]byte(m.Body))
	must(t, err)
	if got != Command(1) {
		t.Errorf("received %+v: expected %+v", got, Command(1))
	}
	if m.Receives != 1 || m.MessageID == "" || m.Receipt == "" {
		t.Errorf("received %+v: expected an id, a receipt and the first delivery", m)
	}
	s.wantDepth(t, 1)
	s.none(t)
	must(t, s.Acknowledge(t.Context(), m.Receipt))
	s.wantDepth(t, 0)
	// AWS takes it again, ministack says that the receipt is invalid.
	if err := s.Acknowledge(t.Context(), m.Receipt); err != nil && !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("acknowledged again: %v", err)
	}
}

func twentyFive(t *testing.T, s Subject) {
	sent := Commands(25)
	accepted, err := s.Send(t.Context(), sent)
	must(t, err)
	if len(accepted) != 25 || slices.Contains(accepted, false) {
		t.Fatalf("accepted %v: expected all 25", accepted)
	}
	s.wantDepth(t, 25)
	seen := map[upload.Command]int{}
	for range 20 {
		batch := s.receive(t, 25)
		if len(batch) > 10 {
			t.Fatalf("received %d at once", len(batch))
		}
		for _, m := range batch {
			c, err := command.Decode([]byte(m.Body))
			must(t, err)
			seen[c]++
			must(t, s.Acknowledge(t.Context(), m.Receipt))
		}
		if len(seen) == 25 {
			break
		}
	}
	for _, c := range sent {
		if seen[c] != 1 {
			t.Errorf("command for %s was received %d times", c.ID, seen[c])
		}
	}
	s.wantDepth(t, 0)
}

func nothing(t *testing.T, s Subject) {
	accepted, err := s.Send(t.Context(), nil)
	must(t, err)
	if len(accepted) != 0 {
		t.Errorf("accepted %v", accepted)
	}
}

func oneImpossible(t *testing.T, s Subject) {
	commands := Commands(3)
	commands[1].ID.Tenant = ""
	accepted, err := s.Send(t.Context(), commands)
	var rejected *command.Rejected
	if !errors.As(err, &rejected) {
		t.Errorf("error is %v: expected a *command.Rejected", err)
	}
	if want := []bool{true, false, true}; !slices.Equal(accepted, want) {
		t.Errorf("accepted %v: expected %v", accepted, want)
	}
	s.wantDepth(t, 2)
}

func unicodeTenant(t *testing.T, s Subject) {
	c := Command(1)
	c.ID = upload.ID{Tenant: "Küche 北 😀", Upload: `u "1" <&>`}
	_, err := s.Send(t.Context(), []upload.Command{c})
	must(t, err)
	got, err := command.Decode([]byte(s.one(t).Body))
	must(t, err)
	if got != c {
		t.Errorf("received %+v: expected %+v", got, c)
	}
}

// Without redelivery, a worker that dies takes its messages with it.
func redelivered(t *testing.T, s Subject) {
	first := s.sendOne(t)
	s.none(t)
	s.Pass(Visibility + time.Second)
	second := s.one(t)
	if second.MessageID != first.MessageID || second.Body != first.Body || second.Receives != 2 {
		t.Errorf("came back as %+v: expected the second delivery of %+v", second, first)
	}
	if second.Receipt == first.Receipt {
		t.Error("both deliveries have one receipt: a late worker could acknowledge the other's")
	}
	s.wantDepth(t, 1)
}

func hidden(t *testing.T, s Subject) {
	m := s.sendOne(t)
	must(t, s.Hide(t.Context(), m.Receipt, 3*Visibility))
	s.Pass(Visibility + time.Second)
	s.none(t)
	s.wantDepth(t, 1)
	s.Pass(2*Visibility - time.Second + time.Second/2)
	if again := s.one(t); again.MessageID != m.MessageID {
		t.Errorf("message %s came back: expected %s", again.MessageID, m.MessageID)
	}
}

func notHidden(t *testing.T, s Subject) {
	m := s.sendOne(t)
	must(t, s.Hide(t.Context(), m.Receipt, -time.Second))
	if again := s.one(t); again.MessageID != m.MessageID {
		t.Errorf("message %s came back: expected %s", again.MessageID, m.MessageID)
	}
}

func hiddenForDays(t *testing.T, s Subject) {
	m := s.sendOne(t)
	must(t, s.Hide(t.Context(), m.Receipt, 72*time.Hour))
	s.Pass(Visibility + time.Second)
	s.none(t)
}

func hideAcknowledged(t *testing.T, s Subject) {
	m := s.sendOne(t)
	must(t, s.Acknowledge(t.Context(), m.Receipt))
	if err := s.Hide(t.Context(), m.Receipt, time.Minute); !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("got %v: expected %v", err, upload.ErrAbsent)
	}
}

func cancelled(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	accepted, err := s.Send(ctx, Commands(12))
	if err == nil || len(accepted) != 12 || slices.Contains(accepted, true) {
		t.Errorf("accepted %v, error %v", accepted, err)
	}
	s.wantDepth(t, 0)
}
