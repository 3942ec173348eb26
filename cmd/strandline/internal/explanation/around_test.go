package explanation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/strandline-dev/strandline/shared/cleanup"
	"github.com/strandline-dev/strandline/shared/confirm"
	"github.com/strandline-dev/strandline/shared/gate"
	ledgers "github.com/strandline-dev/strandline/shared/ledger/memory"
	"github.com/strandline-dev/strandline/shared/release"
	"github.com/strandline-dev/strandline/shared/telemetry"
	"github.com/strandline-dev/strandline/shared/upload"
)

// due is an upload that was given up and is due.
func (s *scene) due() upload.ID {
	s.t.Helper()
	id := s.reserve()
	s.now = s.do(id, upload.Cancel{Fence: 1, Reason: "the user went away"}).DueAt.Add(10 * time.Minute)
	return id
}

// surroundings are installations in which something is in the way of an upload
// that is due.
var surroundings = map[string]func(*scene) upload.ID{
	"in report-only": func(s *scene) upload.ID {
		s.must(s.gate.SetMode(s.t.Context(), gate.ReportOnly))
		id := s.due()
		s.recount()
		s.passing().pass()
		return id
	},
	"paused": func(s *scene) upload.ID {
		s.must(s.gate.Pause(s.t.Context()))
		id := s.due()
		s.recount()
		s.passing().pass()
		return id
	},
	"without a census": func(s *scene) upload.ID {
		id := s.due()
		s.passing().pass()
		return id
	},
	"without passes, by a clock that is wrong": func(s *scene) upload.ID {
		id := s.due()
		s.recount()
		return id
	},
	"published, and the message lost": func(s *scene) upload.ID {
		id := s.due()
		s.recount()
		p := s.passing()
		p.pass()
		if p.handed(id) != upload.OpClaim {
			s.t.Fatal("it was not published")
		}
		s.later(20 * time.Minute)
		return id
	},
	"in a plan that waits for approval": func(s *scene) upload.ID {
		s.policy.MaxDeleteCount = 2
		id := s.due()
		s.recount()
		if r := s.passing().pass(); r.State != cleanup.RunPaused {
			s.t.Fatalf("the run is %s", r.State)
		}
		s.later(20 * time.Minute)
		return id
	},
	"beyond what a pass takes": func(s *scene) upload.ID {
		s.policy.MaxPerPass = 1
		for n := range 40 {
			s.reserve(func(e *upload.Reserve) { e.ID = named(1_000 + n) })
			s.do(named(1_000+n), upload.Cancel{Fence: 1})
		}
		s.later(time.Second)
		id := s.due()
		s.recount()
		s.passing().pass()
		return id
	},
}

func TestWhatIsInTheWayIsSaidInWords(t *testing.T) {
	for name, arrange := range surroundings {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			id := arrange(s)
			f := s.explain(id)
			if strings.Contains(name, "clock") {
				f.Gate.ServerTime = f.Gate.ServerTime.Add(-time.Hour)
			}
			var out strings.Builder
			s.must(f.Text(&out, 0))
			_, text, _ := strings.Cut(out.String(), "what passes decide")
			shows(t, "way "+name, "what passes decide"+text)
		})
	}
}

// saidElsewhere are the reasons of recorder and relay, which explain never shows:
// docs/metrics.md has their words.
var saidElsewhere = []string{
	confirm.SkipUnknown, confirm.SkipNoVersion, confirm.SkipRepeated, confirm.SkipOther, confirm.SkipStale,
	confirm.SkipCompleted, confirm.SkipGivenUp, confirm.SkipDeleted, confirm.SkipGone,
	release.SkipNothingReleased, release.SkipAlreadyReleased, release.SkipForeignURL, release.SkipObjectAbsent,
	release.SkipSameSecond, release.SkipOverwrittenLate, release.SkipNamedByRow, release.SkipOtherReferences,
	release.SkipReferenceNewer, release.SkipSiblingNamed, release.SkipNotPublished, release.SkipOtherTenant,
}

// A reason without words is a word of the code's that an operator cannot know.
func TestEveryReasonOfAPassOrAWorkerIsSaidInWords(t *testing.T) {
	for _, reason := range telemetry.Reasons() {
		if reason != telemetry.Other && !slices.Contains(saidElsewhere, string(reason)) && skipWords[string(reason)] == "" {
			t.Errorf("no words for %q", reason)
		}
	}
	if n := len(telemetry.Reasons()); n < 15 {
		t.Errorf("only %d reasons", n)
	}
}

func TestARecordOfANewerReleaseIsNotGuessedAt(t *testing.T) {
	s := newScene(t)
	id := s.reserve()
	s.recount()
	f := s.explain(id)
	// What an adapter keeps of it: see ledger/dynamo.
	f.Record = upload.Record{ID: id, Schema: upload.Schema + 1, State: upload.StateDeleting, Version: 9}
	f.Ahead, f.Obstacles = nil, nil
	var out strings.Builder
	s.must(f.Text(&out, 20))
	shows(t, "of a newer release", out.String())
}

// reading counts writes: to explain must change nothing.
func TestAnExplanationWritesNothing(t *testing.T) {
	s := newScene(t)
	id := surroundings["in a plan that waits for approval"](s)
	before := s.everything()
	s.explain(id)
	if after := s.everything(); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// everything is the revision of every document and the version of the upload.
func (s *scene) everything() string {
	s.t.Helper()
	var b strings.Builder
	for _, collection := range []string{"RUN#pass", "CURSOR", "CENSUS", "LEASE"} {
		for d, err := range s.ledger.List(s.t.Context(), collection, "", "") {
			s.must(err)
			b.WriteString(collection + " " + d.ID + " " + string(rune('0'+d.Revision%10)) + "\n")
		}
	}
	b.WriteString(string(rune('0' + s.record(named(1)).Version)))
	return b.String()
}

func TestJSONHasTheSameAnswersAndNoToken(t *testing.T) {
	s := newScene(t)
	id := lives["deleting, its claim alive"](s)
	s.running()
	var out strings.Builder
	s.must(s.explain(id).JSON(&out, 2))
	shows(t, "as JSON", out.String())
	if strings.Contains(out.String(), "t-0") {
		t.Error("the claim's token is shown: who has it can act as the worker")
	}
	page := s.document(id)
	if page["exists"] != true || page["state"] != "deleting" || page["keys_not_shown"] != nil {
		t.Errorf("%v", page)
	}
}

func TestAFailedReadIsAnErrorAndNoExplanation(t *testing.T) {
	s := newScene(t)
	id := s.reserve()
	for _, bad := range []upload.ID{{Tenant: "", Upload: "u"}, {Tenant: "a", Upload: strings.Repeat("x", 200)}} {
		if _, err := s.sources().Gather(t.Context(), bad); err == nil {
			t.Errorf("%q is explained", bad)
		}
	}
	from := s.sources()
	from.Ledger = ledgers.New()
	if f, err := from.Gather(t.Context(), id); err != nil || f.Record.State != upload.StateNone {
		t.Errorf("%v, %v", f.Record.State, err)
	}
}

// What ended a minute ago keeps nothing; the margin does, and without its being
// named "due at 12:00, and not before" is read at 12:01.
func TestWhatEndedWithinTheSafetyMarginIsNotSaidToKeepTheUpload(t *testing.T) {
	s := newScene(t)
	id := s.due()
	r := s.do(id)
	for ago, says := range map[time.Duration]bool{-time.Minute: false, time.Minute: true} {
		s.now = r.DueAt.Add(ago)
		text := strings.Join(strings.Fields(s.text(id)), " ")
		if !strings.Contains(text, "it is due at ") || strings.Contains(text, "UTC, and passes wait 5 min (SafetyMargin) more") != says {
			t.Errorf("%v after it was due, expected the margin: %v; it says\n%s", ago, says, text)
		}
	}
}
