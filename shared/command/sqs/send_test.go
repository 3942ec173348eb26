package sqs_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command/commandtest"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestTwentyFiveCommandsAreThreeBatchesOfAtMostTen(t *testing.T) {
	s := newScene(t)
	_, err := s.queue.Send(t.Context(), commandtest.Commands(25))
	must(t, err)
	var sizes []int
	for _, r := range s.wire.requests {
		sizes = append(sizes, len(r.body["Entries"].([]any)))
	}
	if want := []int{10, 10, 5}; !slices.Equal(sizes, want) {
		t.Errorf("batches of %v: expected %v", sizes, want)
	}
}

// isUpload says whether an entry is one of these of commandtest.Commands.
func isUpload(e sentEntry, numbers ...int) bool {
	return slices.ContainsFunc(numbers, func(n int) bool {
		return strings.Contains(e.Body, fmt.Sprintf(`"u-%04d"`, n))
	})
}

// Without a look at each entry's answer, the two commands that the queue did
// not take would count as published, and wait for a whole RepublishAfter.
func TestWhenTheQueueTakesEightOfTenTheOthersAreSentAgain(t *testing.T) {
	s := newScene(t)
	s.wire.answer = func(batch int, e sentEntry) fate {
		if batch == 1 && isUpload(e, 3, 7) {
			return fate{refuse: "InternalError"}
		}
		return fate{}
	}
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(10))
	must(t, err)
	if slices.Contains(accepted, false) {
		t.Errorf("accepted %v: expected all", accepted)
	}
	if entries := s.wire.requests[1].body["Entries"].([]any); len(entries) != 2 {
		t.Errorf("sent %d entries again: expected the two that were refused", len(entries))
	}
	s.wantDepth(t, 10)
}

func TestWhatTheQueueKeepsRefusingIsReportedAndTheRestIsSent(t *testing.T) {
	s := newScene(t)
	s.wire.answer = func(_ int, e sentEntry) fate {
		if isUpload(e, 3, 7) {
			return fate{refuse: "RequestThrottled"}
		}
		return fate{}
	}
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(12))
	if !errors.Is(err, upload.ErrThrottled) || !strings.Contains(err.Error(), "u-0003") {
		t.Errorf("error is %v: expected it to name the first and its kind", err)
	}
	for i, ok := range accepted {
		if want := i != 2 && i != 6; ok != want {
			t.Errorf("command %d: accepted %v, expected %v", i+1, ok, want)
		}
	}
	s.wantDepth(t, 10)
	want := []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond}
	if !slices.Equal(s.pauses, want) {
		t.Errorf("paused %v: expected %v", s.pauses, want)
	}
}

func TestWhatTheSenderIsBlamedForIsNotSentAgain(t *testing.T) {
	s := newScene(t)
	s.wire.answer = func(_ int, e sentEntry) fate {
		if isUpload(e, 2) {
			return fate{refuse: "InvalidMessageContents", senderFault: true}
		}
		return fate{}
	}
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(3))
	if want := []bool{true, false, true}; err == nil || !slices.Equal(accepted, want) {
		t.Errorf("accepted %v, error %v: expected %v and an error", accepted, err, want)
	}
	if len(s.wire.requests) != 1 || len(s.pauses) != 0 {
		t.Errorf("%d requests, %d pauses: expected one request", len(s.wire.requests), len(s.pauses))
	}
}

// Taking silence for consent would let a cursor pass a command that is nowhere.
func TestAnEntryThatTheAnswerDoesNotNameIsNotAccepted(t *testing.T) {
	s := newScene(t)
	s.wire.answer = func(_ int, e sentEntry) fate { return fate{unanswered: isUpload(e, 2)} }
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(3))
	if want := []bool{true, false, true}; !errors.Is(err, upload.ErrUnclear) || !slices.Equal(accepted, want) {
		t.Errorf("accepted %v, error %v: expected %v and %v", accepted, err, want, upload.ErrUnclear)
	}
}

// What may be queued has to be counted as if it were, whatever else was refused.
func TestAnEntryThatMayBeQueuedIsToldOfBeforeThoseThatAreNot(t *testing.T) {
	s := newScene(t)
	s.wire.answer = func(batch int, e sentEntry) fate {
		switch {
		case isUpload(e, 1):
			return fate{refuse: "InvalidMessageContents", senderFault: true}
		case batch == 1:
			return fate{unanswered: isUpload(e, 2)}
		}
		return fate{refuse: "RequestThrottled"}
	}
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(3))
	if want := []bool{false, false, true}; !errors.Is(err, upload.ErrUnclear) || !slices.Equal(accepted, want) {
		t.Errorf("accepted %v, error %v: expected %v and %v", accepted, err, want, upload.ErrUnclear)
	}
}

func TestACallThatFailsKeepsWhatWasAcceptedBeforeAndEndsThere(t *testing.T) {
	s := newScene(t)
	s.wire.fail = func(operation string, nth int) (int, string, string) {
		if operation == "SendMessageBatch" && nth >= 2 {
			return http.StatusForbidden, "AccessDeniedException", "no"
		}
		return 0, "", ""
	}
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(25))
	if !errors.Is(err, upload.ErrDenied) {
		t.Errorf("error is %v: expected %v", err, upload.ErrDenied)
	}
	for i, ok := range accepted {
		if want := i < 10; ok != want {
			t.Errorf("command %d: accepted %v, expected %v", i+1, ok, want)
		}
	}
	if len(s.wire.requests) != 2 {
		t.Errorf("%d requests: expected the one that failed to be the last", len(s.wire.requests))
	}
	s.wantDepth(t, 10)
}

func TestAQueueThatTakesNothingIsNotAskedForEveryBatch(t *testing.T) {
	s := newScene(t)
	s.wire.answer = func(int, sentEntry) fate { return fate{refuse: "RequestThrottled"} }
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(500))
	if !errors.Is(err, upload.ErrThrottled) || slices.Contains(accepted, true) {
		t.Errorf("error %v, accepted %v", err, accepted)
	}
	if len(s.wire.requests) != 4 {
		t.Errorf("%d requests: expected the four tries of the first batch", len(s.wire.requests))
	}
}

func TestASenderThatIsStoppedWhileItWaitsReportsWhatWasAccepted(t *testing.T) {
	s := newScene(t)
	s.sleepReturned = errBroken
	s.wire.answer = func(_ int, e sentEntry) fate {
		if isUpload(e, 1) {
			return fate{refuse: "RequestThrottled"}
		}
		return fate{}
	}
	accepted, err := s.queue.Send(t.Context(), commandtest.Commands(3))
	if want := []bool{false, true, true}; !errors.Is(err, errBroken) || !slices.Equal(accepted, want) {
		t.Errorf("accepted %v, error %v: expected %v and %v", accepted, err, want, errBroken)
	}
}

// Without the group, the tenant with a million messages makes all others wait;
// with characters that SQS does not take in it, the whole batch is refused.
func TestTheTenantIsTheGroupInCharactersThatSQSTakes(t *testing.T) {
	punctuation := "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	tenants := []string{
		"acme", punctuation, strings.Repeat("t", upload.MaxIDBytes),
		"with space", "Küche 北 😀", strings.Repeat("ü", 64),
		fmt.Sprintf("sha256-%x", sha256.Sum256([]byte("with space"))),
	}
	s := newScene(t)
	var commands []upload.Command
	for i, tenant := range tenants {
		c := commandtest.Command(i)
		c.ID.Tenant = tenant
		commands = append(commands, c)
	}
	_, err := s.queue.Send(t.Context(), commands)
	must(t, err)
	groups := map[string]string{}
	for i, raw := range s.wire.requests[0].body["Entries"].([]any) {
		group, _ := raw.(map[string]any)["MessageGroupId"].(string)
		if strings.ContainsFunc(group, func(r rune) bool { return r <= ' ' || r > '~' }) || group == "" || len(group) > 128 {
			t.Errorf("tenant %q: SQS does not take the group %q", tenants[i], group)
		}
		if other, ok := groups[group]; ok {
			t.Errorf("tenants %q and %q share a group", tenants[i], other)
		}
		if groups[group] = tenants[i]; i < 3 && group != tenants[i] {
			t.Errorf("tenant %q is group %q: expected itself", tenants[i], group)
		}
	}
}
