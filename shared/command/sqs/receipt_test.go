package sqs_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestAMessageIsHiddenForWholeSecondsWithinTheLimit(t *testing.T) {
	for _, c := range []struct {
		wish time.Duration
		want float64
	}{
		{-time.Second, 0},
		{0, 0},
		{time.Millisecond, 1},
		{90 * time.Second, 90},
		{90*time.Second + 1, 91},
		{command.MaxHide, 42_300},
		{12 * time.Hour, 42_300},
		{1<<63 - 1, 42_300},
	} {
		s := newScene(t)
		s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
		_ = s.queue.Hide(t.Context(), "receipt", c.wish) // only what is asked for matters
		if got := s.wire.requests[0].body["VisibilityTimeout"]; got != c.want {
			t.Errorf("hidden for %s: asked for %v, expected %v", c.wish, got, c.want)
		}
	}
}

func TestWhatSQSSaysAboutAReceipt(t *testing.T) {
	const value = "Value AQEB for parameter "
	for _, c := range []struct {
		name, code, message string
		want                error
	}{
		{"hidden for twelve hours in all", "InvalidParameterValue",
			"Value 42300 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]", nil},
		{"expired", "InvalidParameterValue", value + "ReceiptHandle is invalid. Reason: The receipt handle has expired.", upload.ErrAbsent},
		{"gone", "InvalidParameterValue",
			value + "ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.", upload.ErrAbsent},
		{"visible again", "MessageNotInflight", "", upload.ErrAbsent},
		{"of another queue", "ReceiptHandleIsInvalid", "", upload.ErrAbsent},
		{"denied", "AccessDeniedException", "", upload.ErrDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			s.wire.fail = func(string, int) (int, string, string) { return http.StatusBadRequest, c.code, c.message }
			if err := s.queue.Hide(t.Context(), "receipt", time.Hour); !errors.Is(err, c.want) {
				t.Errorf("got %v: expected %v", err, c.want)
			}
		})
	}
}

func TestReceivingAsksForAtMostTenAndWaitsAtMostTwentySeconds(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
	if _, err := s.queue.Receive(t.Context(), 50, time.Hour); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v: expected %v", err, upload.ErrDenied)
	}
	body := s.wire.requests[0].body
	if body["MaxNumberOfMessages"] != 10.0 || body["WaitTimeSeconds"] != 20.0 {
		t.Errorf("asked for %v", body)
	}
}

// A depth that cannot be read must not look like an empty queue: the pass
// would publish on.
func TestADepthThatCannotBeReadIsAnError(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
	if depth, err := s.queue.Depth(t.Context()); !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %d and %v", depth, err)
	}
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusOK, "", "" }
	if depth, err := s.queue.Depth(t.Context()); err == nil {
		t.Errorf("an answer without counts gave %d", depth)
	}
}

func TestADeadLetterThatIsNotTakenIsAnError(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(string, int) (int, string, string) { return http.StatusForbidden, "AccessDenied", "" }
	err := s.queue.DeadLetter(t.Context(), command.Received{MessageID: "m-1", Body: "x"}, "reason")
	if !errors.Is(err, upload.ErrDenied) {
		t.Errorf("got %v: expected %v", err, upload.ErrDenied)
	}
}
