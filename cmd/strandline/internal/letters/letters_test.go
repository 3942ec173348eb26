package letters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/command"
	"github.com/strandline-dev/strandline/shared/deadletter"
	"github.com/strandline-dev/strandline/shared/policy"
	"github.com/strandline-dev/strandline/shared/upload"
)

func TestTheListShowsWhatWasGivenUpAndWhatRedrivingWouldDo(t *testing.T) {
	s := usual(t)
	must(t, s.List(t.Context(), 100, ""))
	wantText(t, s.out.String(), `
letter  queue   age  tenant     upload  what   given up for                                                  redriven now
m-1     purge   3 h  acme       u-1     claim  no such upload of this tenant                                 deleted: cancelled
m-2     purge   3 h  acme       u-2     claim  attempts used up: delete: access denied (AccessDenied)        no: the upload is parked
m-3     purge   3 h  -          -       -      command rejected: message is not a JSON object, and this go…  no: message is not a JSON object
m-4     purge   3 h  "Küche 1"  u-5     claim  delivered too often: moved by the queue                       nothing to do: newer version
m-1     events  0 m  -          -       pass   no reason given                                               no: a trigger, not a command

5 dead letters: 2 can be redriven, 1 is of a parked upload, 1 would only come back, 1 is a trigger
`)
	must(t, s.List(t.Context(), 100, "")) // they are all still there
	if n := strings.Count(s.out.String(), "5 dead letters"); n != 2 {
		t.Errorf("the second look shows other letters:\n%s", s.out)
	}
}

func TestALookAtSomeSaysThatThereAreMore(t *testing.T) {
	s := usual(t)
	must(t, s.List(t.Context(), 4, ""))
	if !strings.Contains(s.out.String(), "4 dead letters") || s.notes.String() != "there are more than were looked at: --most is 4\n" {
		t.Errorf("out %s\nnotes %s", s.out, s.notes)
	}
	if err := s.List(t.Context(), 0, ""); err == nil {
		t.Error("nothing was looked at, and nobody was told")
	}
}

func TestTheListCanBeOfAReason(t *testing.T) {
	s := usual(t)
	must(t, s.List(t.Context(), 100, "access denied"))
	if !strings.HasSuffix(s.out.String(), "\n1 dead letter: 1 is of a parked upload\n") {
		t.Errorf("out %s", s.out)
	}
	s.out.Reset()
	must(t, s.List(t.Context(), 100, "never heard of"))
	wantText(t, s.out.String(), "\nno dead letters\n")
}

func TestALetterIsShownWholeAndItsBodyOnDemandOnly(t *testing.T) {
	s := usual(t)
	must(t, s.Show(t.Context(), []string{"m-2"}))
	wantText(t, s.out.String(), `
letter         m-2
queue          purge
sent           2026-11-30T09:00:00Z, 3 h ago
given up for   attempts used up: delete: access denied (AccessDenied)
message        original-u-2
delivered      4 times before it was given up
looked at      1 time
run            every-15m@2026-11-30T08:15:00.000Z
operation      claim
tenant         acme
upload         u-2
version        7
cutoff         2026-11-30T08:50:00Z
reason         cancelled
redriven now   no: the upload is parked; "strandline parked retry acme u-2" lets it go on
`)
	s.out.Reset()
	s.Body = true
	must(t, s.Show(t.Context(), []string{"m-3"}))
	if !strings.Contains(s.out.String(), `body           "not JSON \x1b[31m"`) {
		t.Errorf("out %s", s.out)
	}
}

// A reason is whatever a sender has written, and an id whatever an application
// gives: neither may move the cursor of who looks, or look like another.
func TestWhatSendersWriteCannotReachTheTerminal(t *testing.T) {
	const evil = "\u009b31m\u202emoor"
	s := newScene()
	body, err := command.Encode(upload.Command{
		Run: "r" + evil, Operation: upload.OpClaim, ID: upload.ID{Tenant: "t" + evil, Upload: "u" + evil}, Cutoff: s.now, Reason: evil,
	})
	must(t, err)
	must(t, s.queue.DeadLetter(t.Context(), command.Received{MessageID: "x", Body: string(body), Receives: 1}, evil))
	s.events.Letters().Put(`{"task":"` + evil + `","schedule":"` + evil + `","time":"` + evil + `"}`)
	must(t, s.List(t.Context(), 100, ""))
	both := s.Boxes
	for i := range both {
		s.Boxes = both[i : i+1]
		must(t, s.Show(t.Context(), []string{"m-1"}))
	}
	if strings.ContainsAny(s.out.String(), evil[:len("\u009b")]+"\u202e") {
		t.Errorf("it writes %q", s.out)
	}
}

func TestATriggerIsShownByWhatItAsksFor(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"task":"census","schedule":"daily","time":"2026-11-30T03:00:00Z"}`, "trigger        census\nschedule       daily\nfired          2026-11-30T03:00:00Z\n"},
		{`{"detail-type":"Object Created","time":"2026-11-30T03:00:00Z","detail":{"object":{"key":"inv/secret/manifest.checksum"}}}`, "trigger        \"Object Created\"\nfired          2026-11-30T03:00:00Z\n"},
		{`{"Records":[{"s3":{"object":{"key":"secret"}}}]}`, "trigger        delivery\n"},
		{`secret`, "trigger        -\n"},
		{`[]`, "trigger        -\n"},
	} {
		s := newScene()
		s.events.Letters().Put(c.body)
		must(t, s.Show(t.Context(), []string{"m-1"}))
		if !strings.Contains(s.out.String(), c.want) || strings.Contains(s.out.String(), "secret") {
			t.Errorf("%s is shown as\n%s", c.body, s.out)
		}
	}
}

// Without it a person decides about another letter than the one that was meant.
func TestALetterThatIsNotNamedExactlyIsRefused(t *testing.T) {
	s := usual(t)
	for name, want := range map[string]string{"m-9": "there is no dead letter m-9", "m-1": "more than one dead letter begins with m-1", "m": "more than one"} {
		for _, do := range []func() error{
			func() error { return s.Show(t.Context(), []string{name}) },
			func() error { return s.Discard(t.Context(), Wanted{Names: []string{name}}) },
		} {
			if err := do(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
	if err := s.Redrive(t.Context(), Wanted{Names: []string{"m-"}}); err == nil || !strings.Contains(err.Error(), "more than one") {
		t.Errorf("got %v", err)
	}
	if len(s.asked) > 0 || len(s.trail) > 0 {
		t.Errorf("asked %q, done %+v", s.asked, s.trail)
	}
}

func TestAQueueThatNobodyNamedAndNobodyCanReadIsLeftOut(t *testing.T) {
	s := usual(t)
	s.Boxes[1].Desk.Letters = unreadable{}
	s.Boxes[1].Guessed = true
	must(t, s.List(t.Context(), 100, ""))
	if !strings.Contains(s.out.String(), "4 dead letters") || s.notes.String() != "the events queue's dead letters are not shown: receive dead letters: absent\n" {
		t.Errorf("out %s\nnotes %s", s.out, s.notes)
	}
	s.Boxes[1].Guessed = false
	if err := s.List(t.Context(), 100, ""); !errors.Is(err, upload.ErrAbsent) {
		t.Errorf("got %v", err)
	}
}

type unreadable struct{ deadletter.Letters }

func (unreadable) Receive(context.Context, int, time.Duration, time.Duration) ([]command.Letter, error) {
	return nil, fmt.Errorf("receive dead letters: %w", upload.ErrAbsent)
}

func TestAsJSONEveryLetterIsALine(t *testing.T) {
	s := usual(t)
	s.JSON = true
	must(t, s.List(t.Context(), 100, ""))
	lines := strings.Split(strings.TrimSpace(s.out.String()), "\n")
	if len(lines) != 5 {
		t.Fatalf("out %s", s.out)
	}
	want := `{"id":"m-2","queue":"purge","sent_at":"2026-11-30T09:00:00Z","given_up_for":"attempts used up: delete: access denied (AccessDenied)",` +
		`"moved_by_queue":false,"original_message_id":"original-u-2","deliveries":4,"looks":1,` +
		`"command":{"run":"every-15m@2026-11-30T08:15:00.000Z","operation":"claim","tenant":"acme","upload":"u-2","version":7,"cutoff":"2026-11-30T08:50:00Z","reason":"cancelled"},` +
		`"redrivable":false,"parked":true,"against":"the upload is parked","outlook":"the upload is parked"}`
	if lines[1] != want {
		t.Errorf("the line is\n%s, expected\n%s", lines[1], want)
	}
	var trigger page
	must(t, json.Unmarshal([]byte(lines[4]), &trigger))
	if trigger.Queue != Events || trigger.Trigger != "pass" || trigger.Schedule != "every-15m" || trigger.Command != nil || trigger.Body != "" {
		t.Errorf("the trigger is %+v", trigger)
	}
}

// Who discards a release believes otherwise that a pass does its work, as it
// does a command's.
func TestAReleaseIsShownWithItsSourceAndWhoDiscardsItIsToldThatItsObjectStays(t *testing.T) {
	s := newScene()
	s.Boxes = []Box{{Name: Releases, Desk: deadletter.Desk{Letters: s.events.Letters(), Policy: policy.Default(), Now: s.Now}}}
	must(t, s.events.Park(t.Context(), command.Received{MessageID: "8214", Body: `{"key":"photos/17.jpg"}`, Receives: 2}, "orders", "message: it names no object"))
	must(t, s.List(t.Context(), 100, ""))
	wantText(t, s.out.String(), `
letter  queue     age  tenant  upload  what    given up for                 redriven now
m-1     releases  0 m  -       -       orders  message: it names no object  no: a release, not a command

1 dead letter: 1 is a release
`)
	s.out.Reset()
	must(t, s.Discard(t.Context(), Wanted{All: true}))
	if !strings.Contains(s.out.String(), "The object of a release stays") || strings.Contains(s.out.String(), "photos") {
		t.Errorf("out %s", s.out)
	}
	if len(s.trail) != 1 || s.trail[0].Letter != "m-1" {
		t.Errorf("the trail has %+v", s.trail)
	}
}
